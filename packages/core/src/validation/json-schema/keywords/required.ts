import type { Json } from '../../../json.ts';
import { evaluateEach, isList, isObject, keywordOf, type CompilationScope, type Evaluate, type KeywordCompiler, type KeywordSource } from '../evaluation/node.ts';
import type { Finding, PathKey } from '../evaluation/run.ts';
import { quoteName } from '../evaluation/words.ts';
import { readCount } from './numbers.ts';
import { compileMembers } from './properties.ts';

/** Steps of asking whether a value has a name. */
const NAME_LOOK = 4;

export const required: KeywordCompiler = (source) => {
  const names = readNames(source.value, source.scope);
  refuseUndescribed(names, source);
  return requireNames(names, 'required', '');
};

function requireNames(names: readonly string[], keyword: string, condition: string): Evaluate {
  return (value, run) => {
    if (!isObject(value)) return true;
    run.spend(NAME_LOOK * names.length);
    return evaluateEach(names, run, (name) => Object.hasOwn(value, name) || run.fail(value, () => missing(name, { keyword, condition })));
  };
}

function missing(name: string, { keyword, condition }: { readonly keyword: string; readonly condition: string }): Finding {
  return { keyword, problem: `must have required property ${quoteName(name)}${condition}`, expected: `the property ${quoteName(name)}`, name };
}

function readNames(value: Json, scope: CompilationScope, ...keys: readonly PathKey[]): readonly string[] {
  const isNames = isList(value) && value.every((name) => typeof name === 'string');
  if (!isNames || new Set(value).size !== value.length) return scope.refuse('must be a list of names that differ', ...keys);
  return value.map(String);
}

/** A slip in `required` would make a tool of ours that nobody can call. */
function refuseUndescribed(names: readonly string[], { schema, scope }: KeywordSource): void {
  if (!scope.isStrict) return;
  const properties = keywordOf(schema, 'properties') ?? null;
  const known = isObject(properties) ? properties : {};
  const undescribed = names.find((name) => !Object.hasOwn(known, name));
  if (undescribed !== undefined) scope.refuse(`names ${quoteName(undescribed)}, which "properties" does not describe`);
}

export const dependentRequired: KeywordCompiler = ({ keyword, value, scope }) => {
  if (!isObject(value)) return scope.refuse('must be an object of lists of names');
  const rules = Object.entries(value).map(([name, needed]) => whenPresent(name, requireNames(readNames(needed, scope, name), keyword, conditionOf(name))));
  return all(rules);
};

export const dependentSchemas: KeywordCompiler = (source) => {
  const rules = [...compileMembers(source)].map(([name, node]) => whenPresent(name, (...seen) => node.evaluate(...seen)));
  return all(rules);
};

/** Both of the former, by what stands there. */
export const dependencies: KeywordCompiler = ({ keyword, value, scope }) => {
  if (!isObject(value)) return scope.refuse('must be an object');
  const rules = Object.entries(value).map(([name, needed]) => {
    if (isList(needed)) return whenPresent(name, requireNames(readNames(needed, scope, name), keyword, conditionOf(name)));
    const node = scope.compile(needed, name);
    return whenPresent(name, (...seen) => node.evaluate(...seen));
  });
  return all(rules);
};

function whenPresent(name: string, evaluate: Evaluate): Evaluate {
  return (value, run, marks) => !isObject(value) || !Object.hasOwn(value, name) || evaluate(value, run, marks);
}

function all(rules: readonly Evaluate[]): Evaluate {
  return (value, run, marks) => {
    run.spend(NAME_LOOK * rules.length);
    return evaluateEach(rules, run, (rule) => rule(value, run, marks));
  };
}

function conditionOf(name: string): string {
  return `, since it has ${quoteName(name)}`;
}

export const limitNames: KeywordCompiler = (source) => {
  const limit = readCount(source);
  const { keyword } = source;
  const isLeast = keyword === 'minProperties';
  const problem = isLeast ? `must NOT have fewer than ${limit} properties` : `must NOT have more than ${limit} properties`;
  const finding = { keyword, problem, expected: `${isLeast ? 'at least' : 'at most'} ${limit} properties` };
  return (value, run) => {
    if (!isObject(value)) return true;
    const count = run.namesOf(value).length;
    return (isLeast ? count >= limit : count <= limit) || run.fail(value, () => finding);
  };
};
