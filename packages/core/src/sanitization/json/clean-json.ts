import { DevsError } from '../../errors.ts';
import { isRecord, type Json } from '../../json.ts';
import type { Tally } from '../pipeline/tally.ts';
import { nameBeside, nameOfItem as nameBefore } from '../secrets/pair-names.ts';
import { DirtyNames } from './dirty-names.ts';
import { DistinctNames } from './distinct-names.ts';

/** Cleans one text. @param key the name of the member that it stands in, or of the list's: some secrets are known by it alone */
export type CleanString = (text: string, key?: string) => string;

/** Lists and objects in each other (seed 002): the 51st is refused. */
export const MAX_OUTPUT_LEVELS = 50;
/** Beyond any honest answer; a bound for values that hold one part many times, or themselves. */
const MAX_VALUES = 1_000_000;
/** Of all texts and names together, counted each time that they stand in the value. */
const MAX_CHARACTERS = 33_554_432;
const MAX_KEY_CHARACTERS = 16_384;

type MemberName = string | undefined;

/** A list or an object on the way from the root: what is read, what is written, how far it has come. */
interface Frame {
  readonly source: object;
  /** Undefined for a list. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  readonly names: DistinctNames | undefined;
  readonly target: Json[] | Map<string, Json>;
  /** The clean name that texts of a list stand under. */
  readonly key: MemberName;
  next: number;
}

/**
 * A copy with every text cleaned, names of members too. Names that become the same are kept apart, see `DistinctNames`,
 * and counted as `objects:key-collision`. Numbers stay what they are, and a text of digits is a text. Throws
 * `OUTPUT_WITHHELD` for what JSON cannot carry, names that reach a prototype, more than 5,000 different names that had to be changed, and what is too large; `MALFORMED_JSON`
 * for what is too deep.
 * Without recursion; reads each member once, so that a getter or a proxy cannot show another face the second time.
 */
export function cleanJson(value: unknown, clean: CleanString, tally?: Tally): Json {
  try {
    return new JsonCleaner(clean, tally).clean(value);
  } catch (cause) {
    // Else a getter or a proxy of a tool threw, or the cleaning did.
    throw DevsError.is(cause) ? cause : new DevsError('OUTPUT_WITHHELD', { cause });
  }
}

class JsonCleaner {
  readonly #clean: CleanString;
  readonly #tally: Tally | undefined;
  readonly #open: Frame[] = [];
  readonly #dirty = new DirtyNames();
  #values = 0;
  #characters = 0;

  constructor(clean: CleanString, tally: Tally | undefined) {
    this.#clean = clean;
    this.#tally = tally;
  }

  clean(root: unknown): Json {
    let done = this.#enter(root, undefined);
    for (let frame = this.#open.at(-1); frame !== undefined; frame = this.#open.at(-1)) {
      if (frame.next < frame.length) done = this.#step(frame);
      else done = this.#leave(frame);
    }
    if (done === undefined) throw withheld('no value');
    return done;
  }

  /** The value if it is done at once; undefined when it was opened. */
  #step(frame: Frame): undefined {
    const { keys, source, names } = frame;
    const key = keys?.[frame.next];
    const at = frame.next;
    frame.next += 1;
    if (key === undefined) return this.#put(frame, '', this.#enter(Reflect.get(source, at), nameOfItem(frame) ?? frame.key));
    const value: unknown = Reflect.get(source, key);
    // JSON leaves such a member out, and so does a tool that writes `{ cursor: undefined }`.
    if (value === undefined) return undefined;
    const name = names?.finalOf(key) ?? key;
    return this.#put(frame, name, this.#enter(value, nameOfValue(frame, name)));
  }

  #put(frame: Frame, name: string, value: Json | undefined): undefined {
    if (value === undefined) return undefined;
    // With `__proto__`, the two ways a merge reaches a prototype.
    if (name === 'constructor' && isRecord(value) && Object.hasOwn(value, 'prototype')) throw withheld('a name that reaches a prototype');
    if (frame.target instanceof Map) frame.target.set(name, value);
    else frame.target.push(value);
    return undefined;
  }

  #leave(frame: Frame): Json {
    this.#open.pop();
    const value = frame.target instanceof Map ? Object.fromEntries(frame.target) : frame.target;
    const parent = this.#open.at(-1);
    if (parent !== undefined) this.#put(parent, this.#nameIn(parent), value);
    return value;
  }

  /** Under which name the member that was opened last stands. */
  #nameIn(parent: Frame): string {
    const key = parent.keys?.[parent.next - 1] ?? '';
    return parent.names?.finalOf(key) ?? key;
  }

  #enter(value: unknown, key: MemberName): Json | undefined {
    this.#values += 1;
    if (this.#values > MAX_VALUES) throw withheld(`more than ${MAX_VALUES} values`);
    switch (typeof value) {
      case 'string':
        return this.#text(value, key);
      case 'boolean':
        return value;
      case 'number':
        if (Number.isFinite(value)) return value;
        throw withheld('a number that is not finite');
      case 'object':
        return value === null ? null : this.#openFrame(value, key);
      default:
        throw withheld(`a value of type ${typeof value}, which JSON cannot carry`);
    }
  }

  #openFrame(source: object, key: MemberName): undefined {
    if (this.#open.length >= MAX_OUTPUT_LEVELS) throw new DevsError('MALFORMED_JSON', { cause: new Error(`more than ${MAX_OUTPUT_LEVELS} levels`) });
    if (Array.isArray(source)) {
      this.#open.push({ source, keys: undefined, length: source.length, names: undefined, target: [], key, next: 0 });
      return undefined;
    }
    const prototype: unknown = Object.getPrototypeOf(source);
    // Only a plain object says by its own keys all that it is. Another realm's is plain too.
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw withheld('an object that is not a plain one');
    const keys = Object.keys(source);
    if (this.#values + keys.length > MAX_VALUES) throw withheld(`more than ${MAX_VALUES} values`);
    this.#open.push({ source, keys, length: keys.length, names: this.#namesOf(keys), target: new Map(), key, next: 0 });
    return undefined;
  }

  /** Undefined when every name is clean: the common case keeps no table. */
  #namesOf(keys: readonly string[]): DistinctNames | undefined {
    const cleaned = keys.map((key) => this.#name(key));
    if (cleaned.every((name, index) => name === keys[index])) return undefined;
    const names = new DistinctNames();
    for (const [index, key] of keys.entries()) names.add(key, cleaned[index] ?? key);
    if (names.collisions > 0) this.#tally?.add('objects', 'key-collision', names.collisions);
    return names;
  }

  #name(key: string): string {
    if (key.length > MAX_KEY_CHARACTERS) throw withheld(`a name of more than ${MAX_KEY_CHARACTERS} characters`);
    const name = this.#text(key, undefined);
    if (name !== key) this.#dirty.add(key);
    // A merge that reads it would change what every object inherits.
    if (name === '__proto__') throw withheld('a name that reaches a prototype');
    return name;
  }

  #text(text: string, key: MemberName): string {
    this.#characters += text.length;
    if (this.#characters > MAX_CHARACTERS) throw withheld(`more than ${MAX_CHARACTERS} characters`);
    return text === '' ? text : this.#clean(text.toWellFormed(), key);
  }
}

/** Of a pair, it is the text of the member before it. As that was cleaned: the source is read once. */
function nameOfValue({ target }: Frame, name: string): string {
  return target instanceof Map ? nameBeside(name, (member) => target.get(member)) : name;
}

/** The text before it in its list, if that names a secret: of the arguments of a command, of a list of pairs. */
function nameOfItem({ target }: Frame): string | undefined {
  return target instanceof Map ? undefined : nameBefore(target, target.length);
}

function withheld(problem: string): DevsError {
  return new DevsError('OUTPUT_WITHHELD', { cause: new Error(`structured content: ${problem}`) });
}
