import { isList, isObject, type SchemaNode } from './json-schema/node.ts';
import { Run, type Finding, type Meter, type PathKey, type PathMark, type Reporter } from './json-schema/run.ts';
import type { Json } from '../json.ts';

/** A conversion may be what another one waits for: a `kind` that decides which branch is meant. */
const MOST_ROUNDS = 3;
/** Texts that a call has turned into something else. */
const MOST_CONVERSIONS = 10_000;
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const MOST_DIGITS = 64;

export interface Coerced {
  readonly value: Json;
  readonly paths: readonly PathMark[];
}

/**
 * A value in which texts stand for what they spell, and the other way round, where the schema asks for
 * it and the whole then fits. Undefined when it does not: nothing is half converted. Nothing is made of
 * null, objects or lists, and nothing of nothing.
 */
export function coerce(root: SchemaNode, value: Json, meter: Meter): Coerced | undefined {
  let current = value;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const mismatches = new Mismatches();
    root.evaluate(current, new Run(meter, mismatches), undefined);
    if (mismatches.isFull || mismatches.conversions.children.size === 0) return undefined;
    current = replace(current, mismatches.conversions);
    const run = new Run(meter);
    if (root.evaluate(current, run, undefined)) return { value: current, paths: run.pathMarks };
  }
  return undefined;
}

/** What is to stand at a place, and at the places inside it. */
interface Conversions {
  value?: Json;
  readonly children: Map<PathKey, Conversions>;
}

/** Gathers the values that are of another type than the schema asks for, and can be turned into it. */
class Mismatches implements Reporter {
  readonly wantsEveryBranch = true;
  readonly conversions: Conversions = { children: new Map() };
  #count = 0;

  get isFull(): boolean {
    return this.#count >= MOST_CONVERSIONS;
  }

  add(path: readonly PathKey[], { types = [] }: Finding, value: Json): void {
    const converted = types.map((type) => convert(value, type)).find((candidate) => candidate !== undefined);
    if (converted === undefined || path.length === 0) return;
    this.#count += 1;
    let place = this.conversions;
    for (const key of path) {
      const child: Conversions = place.children.get(key) ?? { children: new Map() };
      place.children.set(key, child);
      place = child;
    }
    place.value = converted;
  }
}

/** The whole table: what is not here stays as it came. */
function convert(value: Json, type: string): Json | undefined {
  if (type === 'string') return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
  if (typeof value !== 'string') return undefined;
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : undefined;
  if (type === 'number' || type === 'integer') return toNumber(value);
  return undefined;
}

/** As JSON writes numbers: no spaces, no `0x`, no `Infinity`, and no integer that would come out as another one. */
function toNumber(text: string): number | undefined {
  if (text.length > MOST_DIGITS || !NUMBER.test(text)) return undefined;
  const number = Number(text);
  if (!Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number))) return undefined;
  // JSON cannot say which zero it was.
  return number === 0 ? 0 : number;
}

function replace(value: Json, { value: converted, children }: Conversions): Json {
  if (converted !== undefined) return converted;
  if (children.size === 0) return value;
  if (isList(value)) return Object.freeze(value.map((item, index) => replaceMember(item, children.get(index))));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, inner]) => [name, replaceMember(inner, children.get(name))] as const);
  return Object.freeze(Object.fromEntries(members));
}

function replaceMember(value: Json, conversions: Conversions | undefined): Json {
  return conversions === undefined ? value : replace(value, conversions);
}
