import { closestName } from '../../../config/closest-name.ts';
import type { JsonObject } from '../../../json.ts';
import { CollectingReporter } from '../evaluation/branches.ts';
import { evaluateEach, evaluateMember, isObject, keywordOf, type KeywordCompiler, type KeywordSource, type SchemaNode } from '../evaluation/node.ts';
import type { TextTest } from '../evaluation/metered-patterns.ts';
import type { Finding, Hint, Run } from '../evaluation/run.ts';
import { quoteName, showNames } from '../evaluation/words.ts';

/** Most names that a hint is looked for among: the search takes their number times the length of the name. */
const MOST_HINTED = 200;

export function compileMembers({ value, scope }: KeywordSource): ReadonlyMap<string, SchemaNode> {
  if (!isObject(value)) return scope.refuse('must be an object of schemas');
  return new Map(Object.entries(value).map(([name, schema]) => [name, scope.compile(schema, name)]));
}

export const properties: KeywordCompiler = (source) => {
  const nodes = [...compileMembers(source)];
  return (value, run, marks) => {
    if (!isObject(value)) return true;
    run.spend(2 * nodes.length);
    return evaluateEach(nodes, run, ([name, node]) => {
      if (!Object.hasOwn(value, name)) return true;
      marks?.addName(name);
      return evaluateMember(node, run, [name, value[name] ?? null]);
    });
  };
};

export const patternProperties: KeywordCompiler = (source) => {
  const { scope } = source;
  const patterns = [...compileMembers(source)].map(([pattern, node]) => ({ matches: scope.compilePattern(pattern, pattern), node }));
  return (value, run, marks) => {
    if (!isObject(value)) return true;
    return evaluateEach(run.namesOf(value), run, (name) =>
      evaluateEach(patterns, run, ({ matches, node }) => {
        if (!matches(name, run)) return true;
        marks?.addName(name);
        return evaluateMember(node, run, [name, value[name] ?? null]);
      }),
    );
  };
};

export const additionalProperties: KeywordCompiler = (source) => {
  const { value: schema, scope } = source;
  const node = scope.compile(schema);
  const isKnown = knownNames(source);
  const describe = describeUnknown(source);
  return (value, run, marks) => {
    if (!isObject(value)) return true;
    // What it does not look at, `properties` and `patternProperties` do.
    marks?.addEveryName();
    if (schema === true) return true;
    return evaluateEach(run.namesOf(value), run, (name) => {
      run.spend(12);
      if (isKnown(name, run)) return true;
      if (schema === false) return run.fail(value, () => describe(name, value));
      return evaluateMember(node, run, [name, value[name] ?? null]);
    });
  };
};

/** The names that `properties` and `patternProperties` beside it have. */
function knownNames({ schema, scope }: KeywordSource): TextTest {
  const names = new Set(namesOf(schema, 'properties'));
  const patterns = namesOf(schema, 'patternProperties');
  const matchers = patterns.map((pattern) => scope.compilePattern(pattern));
  return (name, run) => names.has(name) || matchers.some((matches) => matches(name, run));
}

function namesOf(schema: JsonObject, keyword: string): readonly string[] {
  const members = keywordOf(schema, keyword) ?? null;
  return isObject(members) ? Object.keys(members) : [];
}

/** Makes what is said of a name that nothing describes. Said of the object, so that the pointer never holds a name that only the caller knows. */
export function describeUnknown({ schema, keyword }: Pick<KeywordSource, 'schema' | 'keyword'>): (name: string, owner: JsonObject) => Finding {
  const known = namesOf(schema, 'properties');
  const shown = showNames(known);
  const expected = known.length === 0 ? 'no such argument' : `one of ${shown}`;
  const others = known.length === 0 ? undefined : { text: `known are ${shown}` };
  return (name, owner) => ({
    keyword,
    problem: `has an argument that is not known: ${quoteName(name)}`,
    expected,
    hint: () => hintFor(name, owner, known) ?? others,
  });
}

function hintFor(name: string, owner: JsonObject, known: readonly string[]): Hint | undefined {
  // A name that stands there already was not meant a second time.
  const meant = closestName(name, known.slice(0, MOST_HINTED).filter((candidate) => !Object.hasOwn(owner, candidate)));
  return meant === undefined ? undefined : { text: `did you mean ${quoteName(meant)}?`, name: meant };
}

export const propertyNames: KeywordCompiler = ({ keyword, value: schema, scope }) => {
  const node = scope.compile(schema);
  return (value, run) => {
    if (!isObject(value)) return true;
    return evaluateEach(run.namesOf(value), run, (name) => {
      if (run.with(undefined, () => node.evaluate(name, run, undefined))) return true;
      return run.fail(value, () => wrongName(name, { node, run, keyword }));
    });
  };
};

function wrongName(name: string, { node, run, keyword }: { readonly node: SchemaNode; readonly run: Run; readonly keyword: string }): Finding {
  const collected = new CollectingReporter();
  run.with(collected, () => node.evaluate(name, run, undefined));
  const [first] = collected.found;
  const why = first === undefined ? '' : `: it ${first.finding.problem}`;
  return { keyword, problem: `has a name that is not allowed, ${quoteName(name)}${why}`, expected: first?.finding.expected ?? 'another name' };
}
