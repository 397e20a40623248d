import type { Json } from '../../../json.ts';
import { evaluateEach, evaluateMember, isList, keywordOf, type Evaluate, type KeywordCompiler, type KeywordSource, type SchemaNode } from '../evaluation/node.ts';
import type { Run } from '../evaluation/run.ts';
import type { Marks } from '../evaluation/marks.ts';
import { readCount } from './numbers.ts';
import { canonicalOf, isCompound } from './values.ts';

export const limitItems: KeywordCompiler = (source) => {
  const limit = readCount(source);
  const { keyword } = source;
  // `contains` reads its own bounds.
  if (keyword === 'minContains' || keyword === 'maxContains') return undefined;
  const isLeast = keyword === 'minItems';
  const problem = isLeast ? `must NOT have fewer than ${limit} items` : `must NOT have more than ${limit} items`;
  const finding = { keyword, problem, expected: `${isLeast ? 'at least' : 'at most'} ${limit} items` };
  return (value, run) => {
    if (!isList(value)) return true;
    return (isLeast ? value.length >= limit : value.length <= limit) || run.fail(value, () => finding);
  };
};

export const prefixItems: KeywordCompiler = (source) => {
  const nodes = compileList(source);
  return (value, run, marks) => !isList(value) || evaluatePrefix(nodes, value, { run, marks });
};

export const itemsOf2020: KeywordCompiler = (source) => {
  if (isList(source.value)) return source.scope.refuse('must be a schema: a list of them is "prefixItems" in 2020-12');
  const prefix = keywordOf(source.schema, 'prefixItems');
  return evaluateRest(source, source.scope.compile(source.value), isList(prefix) ? prefix.length : 0);
};

/** A list of schemas, one for each place, and `additionalItems` for the places behind; or one schema for all. */
export const itemsOf07: KeywordCompiler = (source) => {
  if (!isList(source.value)) return evaluateRest(source, source.scope.compile(source.value), 0);
  const nodes = compileList(source);
  const additionalItems = keywordOf(source.schema, 'additionalItems');
  const first: Evaluate = (value, run, marks) => !isList(value) || evaluatePrefix(nodes, value, { run, marks });
  if (additionalItems === undefined) return first;
  const rest = evaluateRest({ ...source, value: additionalItems }, source.scope.compileBeside('additionalItems', additionalItems), nodes.length);
  return (value, run, marks) => first(value, run, marks) && rest(value, run, marks);
};

export function compileList({ value, scope }: KeywordSource): readonly SchemaNode[] {
  if (!isList(value) || value.length === 0) return scope.refuse('must be a list of schemas');
  return value.map((schema, index) => scope.compile(schema, index));
}

interface Sight {
  readonly run: Run;
  readonly marks: Marks | undefined;
}

function evaluatePrefix(nodes: readonly SchemaNode[], items: readonly Json[], { run, marks }: Sight): boolean {
  const count = Math.min(nodes.length, items.length);
  marks?.addFirstItems(count);
  return evaluateEach(nodes.slice(0, count).entries(), run, ([index, node]) => evaluateMember(node, run, [index, items[index] ?? null]));
}

/** Every item from `start` on. */
function evaluateRest({ value: schema }: KeywordSource, node: SchemaNode, start: number): Evaluate {
  return (value, run, marks) => {
    if (!isList(value)) return true;
    marks?.addEveryItem();
    // Said once and of the list, not of each item that is too much.
    if (schema === false && value.length > start) return run.fail(value, () => tooMany(start));
    let fits = true;
    for (let index = start; index < value.length; index += 1) {
      if (evaluateMember(node, run, [index, value[index] ?? null])) continue;
      fits = false;
      if (!run.goesOn) return false;
    }
    return fits;
  };
}

function tooMany(most: number) {
  return { keyword: 'items', problem: `must NOT have more than ${most} items`, expected: `at most ${most} items` };
}

export const contains: KeywordCompiler = (source) => {
  const { scope, value } = source;
  const node = scope.compile(value);
  const { least, most } = readContains(source);
  const isEvery = () => scope.looksEverywhere();
  const expected = most === Infinity ? `at least ${least}` : `${least} to ${most}`;
  const finding = { keyword: 'contains', problem: `must contain ${expected} items that fit its "contains"`, expected: `${expected} such items` };
  return (items, run, marks) => {
    if (!isList(items)) return true;
    const kept = scope.containsMarks ? marks : undefined;
    const looksOn = isEvery() || kept !== undefined || most < Infinity;
    let count = 0;
    for (let index = 0; index < items.length && (looksOn || count < least); index += 1) {
      if (!run.with(undefined, () => evaluateMember(node, run, [index, items[index] ?? null]))) continue;
      count += 1;
      kept?.addItem(index);
    }
    return (count >= least && count <= most) || run.fail(items, () => finding);
  };
};

function readContains({ schema, scope }: KeywordSource): { readonly least: number; readonly most: number } {
  // Draft 07 does not know them.
  if (!scope.knows('minContains')) return { least: 1, most: Infinity };
  const least = readCount({ value: keywordOf(schema, 'minContains') ?? 1, scope });
  const maxContains = keywordOf(schema, 'maxContains');
  return { least, most: maxContains === undefined ? Infinity : readCount({ value: maxContains, scope }) };
}

/** Each item is read once, and not compared with each other one. */
export const uniqueItems: KeywordCompiler = ({ value: isWanted, scope }) => {
  if (typeof isWanted !== 'boolean') return scope.refuse('must be true or false');
  if (!isWanted) return undefined;
  const finding = { keyword: 'uniqueItems', problem: 'must NOT have duplicate items', expected: 'items that differ' };
  return (value, run) => {
    if (!isList(value)) return true;
    return hasDistinctItems(value, run) || run.fail(value, () => finding);
  };
};

/** Steps of keeping an item. */
const KEPT = 16;

/** The texts of lists and objects apart from texts that stand there themselves. */
function hasDistinctItems(items: readonly Json[], run: Run): boolean {
  const [simple, compound] = [new Set<Json>(), new Set<string>()];
  for (const item of items) {
    if (isCompound(item)) {
      compound.add(canonicalOf(item, run));
      continue;
    }
    run.spend(KEPT + (typeof item === 'string' ? item.length >> 2 : 0));
    simple.add(item);
  }
  return simple.size + compound.size === items.length;
}
