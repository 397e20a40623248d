import { isList, isObject, type SchemaNode } from './json-schema/evaluation/node.ts';
import { Run, type Finding, type Meter, type PathKey, type PathMark, type Reporter } from './json-schema/evaluation/run.ts';
import type { Json } from '../json.ts';
import { sayTheSame } from './decimal.ts';

/** A conversion may be what another one waits for: a `kind` that decides which branch is meant. */
const MOST_ROUNDS = 4;
/** Texts that a call has turned into something else. */
const MOST_CONVERSIONS = 10_000;
/** Those of them that a branch asked for: each is tried without. */
const MOST_OPTIONAL = 1_000;
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
  const conversions = new Conversions(value, meter);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    if (!conversions.extend((current, reporter) => root.evaluate(current, new Run(meter, reporter), undefined))) return undefined;
    const fits = () => root.evaluate(conversions.apply(), new Run(meter), undefined);
    if (!fits()) continue;
    conversions.takeBackNeedless(fits);
    const [coerced, run] = [conversions.apply(), new Run(meter)];
    return root.evaluate(coerced, run, undefined) ? { value: coerced, paths: run.pathMarks } : undefined;
  }
  return undefined;
}

interface Conversion {
  readonly path: readonly PathKey[];
  readonly to: Json;
  /** Only a branch of a choice asked for it, perhaps not the one that was meant. */
  readonly isOptional: boolean;
}

/** What is to stand at a place, and at the places inside it. */
interface Replacement {
  value?: Json;
  readonly children: Map<PathKey, Replacement>;
}

/** What is turned into something else in one value, by place. A place that was converted is never converted on, only back. */
class Conversions {
  readonly #received: Json;
  readonly #meter: Meter;
  readonly #byPlace = new Map<string, Conversion>();
  readonly #settled = new Set<string>();

  constructor(received: Json, meter: Meter) {
    this.#received = received;
    this.#meter = meter;
  }

  /** False when a look finds nothing more to convert, or too much. */
  extend(look: (current: Json, reporter: Reporter) => void): boolean {
    const found: Conversion[] = [];
    look(this.apply(), new Mismatches(found, false));
    const isChanged = found.map((conversion) => this.#take(conversion)).includes(true);
    return isChanged && this.#byPlace.size < MOST_CONVERSIONS && this.#optional().length <= MOST_OPTIONAL;
  }

  /** `1.10` becomes 1.1 for a branch that was not meant, and would come back as `1.1`: what came is kept wherever it fits. */
  takeBackNeedless(fits: () => boolean): void {
    for (const [place, conversion] of this.#optional()) {
      this.#byPlace.delete(place);
      if (!fits()) this.#byPlace.set(place, conversion);
    }
  }

  apply(): Json {
    const root: Replacement = { children: new Map() };
    for (const { path, to } of this.#byPlace.values()) placeOf(root, path).value = to;
    return this.#replace(this.#received, root);
  }

  #optional(): readonly (readonly [string, Conversion])[] {
    return [...this.#byPlace].filter(([, { isOptional }]) => isOptional);
  }

  #take(conversion: Conversion): boolean {
    const place = JSON.stringify(conversion.path);
    if (this.#settled.has(place)) return false;
    if (this.#byPlace.delete(place)) this.#settled.add(place);
    else this.#byPlace.set(place, conversion);
    return true;
  }

  #replace(value: Json, { value: converted, children }: Replacement): Json {
    if (converted !== undefined) return converted;
    if (children.size === 0 || typeof value !== 'object' || value === null) return value;
    const entries: readonly (readonly [string, Json])[] = Object.entries(value);
    this.#meter.spend(entries.length * 4);
    const inner = (key: PathKey, member: Json) => {
      const replacement = children.get(key);
      return replacement === undefined ? member : this.#replace(member, replacement);
    };
    if (isList(value)) return Object.freeze(value.map((item, index) => inner(index, item)));
    return isObject(value) ? Object.freeze(Object.fromEntries(entries.map(([name, member]) => [name, inner(name, member)]))) : value;
  }
}

function placeOf(root: Replacement, path: readonly PathKey[]): Replacement {
  let place = root;
  for (const key of path) {
    const child: Replacement = place.children.get(key) ?? { children: new Map() };
    place.children.set(key, child);
    place = child;
  }
  return place;
}

/** Gathers the values that are of another type than the schema asks for, and can be turned into it. */
class Mismatches implements Reporter {
  readonly #found: Conversion[];
  readonly #isOptional: boolean;

  constructor(found: Conversion[], isOptional: boolean) {
    this.#found = found;
    this.#isOptional = isOptional;
  }

  get isFull(): boolean {
    return this.#found.length >= MOST_CONVERSIONS;
  }

  /** All branches report: which one was meant is known when the whole fits. */
  forBranches(): Reporter {
    return new Mismatches(this.#found, true);
  }

  add(path: readonly PathKey[], { types = [] }: Finding, value: Json): void {
    const to = types.map((type) => convert(value, type)).find((candidate) => candidate !== undefined);
    if (to !== undefined && path.length > 0) this.#found.push({ path: [...path], to, isOptional: this.#isOptional });
  }
}

/** The whole table: what is not here stays as it came. */
function convert(value: Json, type: string): Json | undefined {
  if (type === 'string') return toText(value);
  if (typeof value !== 'string') return undefined;
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : undefined;
  if (type === 'number' || type === 'integer') return toNumber(value);
  return undefined;
}

/** A number that is too large to be exact is an id, most of the time: its text would name another one. */
function toText(value: Json): string | undefined {
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number' || (Number.isInteger(value) && !Number.isSafeInteger(value))) return undefined;
  return String(value);
}

/** As JSON writes numbers: no spaces, no `0x`, no `Infinity`, and nothing that would come out as another number. */
function toNumber(text: string): number | undefined {
  if (text.length > MOST_DIGITS || !NUMBER.test(text)) return undefined;
  const number = Number(text);
  if (!Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number))) return undefined;
  if (!sayTheSame(text, String(number))) return undefined;
  // JSON cannot say which zero it was.
  return number === 0 ? 0 : number;
}
