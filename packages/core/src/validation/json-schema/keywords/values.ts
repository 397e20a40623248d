import type { Json } from '../../../json.ts';
import { canonicalJson } from '../../../canonical-json.ts';
import { isList, isObject, type Evaluate, type KeywordCompiler, type KeywordSource } from '../evaluation/node.ts';
import type { Run } from '../evaluation/run.ts';
import { joinWords, showValues } from '../evaluation/words.ts';

const TYPES = new Map<string, (value: Json) => boolean>([
  ['string', (value) => typeof value === 'string'],
  ['number', (value) => typeof value === 'number'],
  ['integer', (value) => Number.isInteger(value)],
  ['boolean', (value) => typeof value === 'boolean'],
  ['null', (value) => value === null],
  ['array', isList],
  ['object', isObject],
]);

export const type: KeywordCompiler = (source) => {
  const types = readTypes(source);
  const expected = joinWords(types);
  const checks = types.flatMap((name) => TYPES.get(name) ?? []);
  const [only] = checks;
  const fits = checks.length === 1 && only !== undefined ? only : (value: Json) => checks.some((check) => check(value));
  return (value, run) => fits(value) || run.fail(value, () => ({ keyword: 'type', problem: `must be ${expected}`, expected, types }));
};

function readTypes({ value, scope }: KeywordSource): readonly string[] {
  const names = typeof value === 'string' ? [value] : value;
  const isKnown = isList(names) && names.length > 0 && names.every((name) => typeof name === 'string' && TYPES.has(name));
  if (!isKnown) return scope.refuse('must be one or more of the types of JSON Schema');
  return names.map(String);
}

export const constant: KeywordCompiler = ({ value: wanted }) => among('const', [wanted]);

export const enumeration: KeywordCompiler = ({ value, scope }) => {
  if (!isList(value) || value.length === 0) return scope.refuse('must be a list of values');
  return among('enum', value);
};

/** Looked up, not compared one by one: thousands of values meet tens of thousands of items. */
function among(keyword: string, allowed: readonly Json[]): Evaluate {
  const simple = new Set<Json>(allowed.filter((value) => !isCompound(value)));
  const compound = new Set(allowed.filter(isCompound).map(canonicalJson));
  const isAmong = (value: Json, run: Run) =>
    isCompound(value) ? compound.size > 0 && compound.has(canonicalOf(value, run)) : simple.has(value);
  const expected = allowed.length === 1 ? showValues(allowed).slice(1, -1) : `one of ${showValues(allowed)}`;
  const finding = { keyword, problem: `must be ${expected}`, expected, allowed };
  return (value, run) => isAmong(value, run) || run.fail(value, () => finding);
}

export function isCompound(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}

/** Equal for equal values. Costs what the value is long, and is paid for. */
export function canonicalOf(value: Json, run: Run): string {
  const text = canonicalJson(value);
  run.spend(60 + 2 * text.length);
  return text;
}
