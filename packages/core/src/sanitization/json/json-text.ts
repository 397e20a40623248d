import { DevsError } from '../../errors.ts';
import { isRecord, type Json } from '../../json.ts';
import { MAX_OUTPUT_LEVELS, type CleanString } from './clean-json.ts';
import { DirtyNames } from './dirty-names.ts';
import { DistinctNames } from './distinct-names.ts';
import { mayBeJson, scanJson, type JsonVisitor } from './json-scanner.ts';
import { NumberStack } from '../pipeline/number-stack.ts';
import { isNaming } from '../secrets/pair-names.ts';
import { namesSecret } from '../secrets/named-values.ts';
import type { Tally } from '../pipeline/tally.ts';

/** Beyond this the text is withheld: each is kept until its object is read. */
const MAX_CHANGED_NAMES = 100_000;
const MAX_PIECES = 4_096;

/**
 * JSON, or JSON lines, with the texts and names in it cleaned as they are read: `gh\u200bp_…` is a token, `\u001b[2J`
 * clears a screen. Only what changes is written anew; numbers, order, names that stand twice and white space stay to
 * the byte. Names that become the same are kept apart as in `cleanJson`. Undefined: it is not JSON, though names of it
 * may have been given to `clean` before that was seen. Linear. Throws `OUTPUT_WITHHELD` for more than 100,000 names
 * that had to be changed, or 5,000 that differ.
 */
export function cleanJsonText(text: string, clean: CleanString, tally?: Tally): string | undefined {
  if (!mayBeJson(text)) return undefined;
  const names = new NameVisitor(text, clean);
  if (!scanJson(text, names)) return undefined;
  if (names.collisions > 0) tally?.add('objects', 'key-collision', names.collisions);
  const values = new ValueVisitor(text, names.changed, clean);
  scanJson(text, values);
  return values.finish();
}

/** What a text in quotes says; not yet well formed. */
function read(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1);
  if (!inner.includes('\\')) return inner;
  // Raw controls, which `JSON.parse` refuses and other readers take.
  const token = inner.replace(/[\u0000-\u001f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return String(JSON.parse(`"${token}"`));
}

/** Finds the names that change, and what they are called then, by where they start. */
class NameVisitor implements JsonVisitor {
  readonly changed = new Map<number, string>();
  collisions = 0;
  readonly #text: string;
  readonly #clean: CleanString;
  /** Starts and ends of the names of all objects that are open, and where each object's begin. */
  readonly #names = new NumberStack('large');
  readonly #bases = new NumberStack('large');
  /** What was made of a name of an object that is open, by where it starts. */
  readonly #cleaned = new Map<number, string>();
  readonly #different = new DirtyNames();

  constructor(text: string, clean: CleanString) {
    this.#text = text;
    this.#clean = clean;
  }

  open(kind: 'object' | 'list'): void {
    if (kind === 'object') this.#bases.push(this.#names.length);
  }

  key(start: number, end: number): void {
    this.#names.push(start);
    this.#names.push(end);
    const name = read(this.#text, start, end);
    const cleaned = name === '' ? name : this.#clean(name.toWellFormed());
    if (cleaned !== name) {
      this.#cleaned.set(start, cleaned);
      this.#different.add(name);
    }
    if (this.#cleaned.size > MAX_CHANGED_NAMES) throw tooMany();
  }

  close(kind: 'object' | 'list'): void {
    if (kind === 'list') return;
    const base = this.#bases.pop();
    if (this.#hasChanged(base)) this.#settle(base);
    this.#names.cut(base);
  }

  #hasChanged(base: number): boolean {
    if (this.#cleaned.size === 0) return false;
    for (let index = base; index < this.#names.length; index += 2) {
      if (this.#cleaned.has(this.#names.at(index))) return true;
    }
    return false;
  }

  #settle(base: number): void {
    const distinct = new DistinctNames();
    for (let index = base; index < this.#names.length; index += 2) {
      const name = this.#nameAt(index);
      distinct.add(name, this.#cleaned.get(this.#names.at(index)) ?? name);
    }
    for (let index = base; index < this.#names.length; index += 2) {
      const start = this.#names.at(index);
      if (this.#cleaned.delete(start)) this.changed.set(start, distinct.finalOf(this.#nameAt(index)));
    }
    if (this.changed.size > MAX_CHANGED_NAMES) throw tooMany();
    this.collisions += distinct.collisions;
  }

  #nameAt(index: number): string {
    return read(this.#text, this.#names.at(index), this.#names.at(index + 1));
  }
}

/** What a list or an object stands in: the name that texts in it stand under. */
const IN_OBJECT = 0;
const IN_LIST = 1;
const IN_NAMED_LIST = 2;
const BY_ITEM = -2;

/** Writes the text anew where a text or a name changes. */
class ValueVisitor implements JsonVisitor {
  readonly #text: string;
  readonly #names: ReadonlyMap<number, string>;
  readonly #clean: CleanString;
  readonly #levels = new NumberStack('small');
  /** Texts before a list in a list that name what is in it. */
  readonly #itemNames: string[] = [];
  /** Starts and ends of the names of the lists that are open; of a list that a text before it names, `BY_ITEM` and which text. */
  readonly #lists = new NumberStack('large');
  #keyStart = -1;
  #keyEnd = -1;
  /** The last text that named a secret, and how deep it stands: the value beside it, or behind it in a list, is one. */
  #naming: { readonly level: number; readonly name: string } | undefined;
  #pieces: string[] = [];
  #written = '';
  #copiedTo = 0;

  constructor(text: string, names: ReadonlyMap<number, string>, clean: CleanString) {
    this.#text = text;
    this.#names = names;
    this.#clean = clean;
  }

  open(kind: 'object' | 'list'): void {
    if (kind === 'object') return this.#levels.push(IN_OBJECT);
    const naming = this.#isListed && this.#naming?.level === this.#levels.length ? this.#naming.name : undefined;
    if (this.#levels.top !== IN_OBJECT && naming === undefined) return this.#levels.push(IN_LIST);
    this.#levels.push(IN_NAMED_LIST);
    this.#lists.push(naming === undefined ? this.#keyStart : BY_ITEM);
    this.#lists.push(naming === undefined ? this.#keyEnd : this.#itemNames.push(naming) - 1);
  }

  close(): void {
    if ((this.#naming?.level ?? 0) >= this.#levels.length) this.#naming = undefined;
    if (this.#levels.pop() === IN_NAMED_LIST) this.#lists.cut(this.#lists.length - 2);
    this.#forgetInList();
  }

  bare(): void {
    this.#forgetInList();
  }

  /** In a list a name stands right before its value. */
  #forgetInList(): void {
    if (this.#isListed && this.#naming?.level === this.#levels.length) this.#naming = undefined;
  }

  /** Not of a text that is a document by itself: documents in lines are no list. */
  get #isListed(): boolean {
    return this.#levels.length > 0 && this.#levels.top !== IN_OBJECT;
  }

  key(start: number, end: number): void {
    this.#keyStart = start;
    this.#keyEnd = end;
    const name = this.#names.get(start);
    if (name !== undefined) this.#write(start, end, name);
  }

  text(start: number, end: number): void {
    const text = read(this.#text, start, end);
    if (text === '') return this.#forgetInList();
    const key = this.#keyHere();
    const isListed = this.#isListed;
    const cleaned = this.#clean(text.toWellFormed(), this.#nameBeside(key, isListed));
    if (cleaned !== text) this.#write(start, end, cleaned);
    const level = this.#levels.length;
    if ((isListed || isNaming(key ?? '')) && namesSecret(cleaned)) this.#naming = { level, name: cleaned };
    else this.#forgetInList();
  }

  finish(): string {
    if (this.#copiedTo === 0) return this.#text;
    return this.#written + this.#pieces.join('') + this.#text.slice(this.#copiedTo);
  }

  #keyHere(): string | undefined {
    const level = this.#levels.top;
    if (level === IN_OBJECT) return this.#nameAt(this.#keyStart, this.#keyEnd);
    const { length } = this.#lists;
    return level < 0 || length === 0 ? undefined : this.#nameAt(this.#lists.at(length - 2), this.#lists.at(length - 1));
  }

  #nameBeside(key: string | undefined, isListed: boolean): string | undefined {
    const naming = this.#naming;
    if (naming?.level !== this.#levels.length) return key;
    return isListed || key?.toLowerCase() === 'value' ? naming.name : key;
  }

  #nameAt(start: number, end: number): string {
    return start === BY_ITEM ? this.#itemNames[end] ?? '' : this.#names.get(start) ?? read(this.#text, start, end);
  }

  #write(start: number, end: number, text: string): void {
    this.#pieces.push(this.#text.slice(this.#copiedTo, start), writeLike(this.#text.slice(start, end), text));
    this.#copiedTo = end;
    if (this.#pieces.length < MAX_PIECES) return;
    this.#written += this.#pieces.join('');
    this.#pieces = [];
  }
}

/**
 * Backslashes and quotes by their numbers where the source writes them so. With a backslash before each, every level of JSON in strings of
 * JSON would hold twice as many: forty levels that come in two kilobytes would go out in a terabyte.
 */
function writeLike(source: string, text: string): string {
  const json = JSON.stringify(text);
  return BY_NUMBER.test(source) ? `"${json.slice(1, -1).replace(/\\[^]/g, (escape) => NUMBERS.get(escape) ?? escape)}"` : json;
}

const BY_NUMBER = /\\u00(?:5c|22)/i;
const NUMBERS: ReadonlyMap<string, string> = new Map([['\\\\', '\\u005c'], ['\\"', '\\u0022']]);

/** What came in, and what became of it. */
export interface Cleaned<Raw, Clean> {
  readonly raw: Raw;
  readonly cleaned: Clean;
}

/**
 * The text of a block that said the same as the structured content, written anew from what became of that where the two
 * would disagree now. Undefined: it said something else, or what became of it still says the same. Its own numbers,
 * order and white space are worth keeping: a number of 64 bits has more digits than one that was parsed.
 */
export function twinOf(text: Cleaned<string, string>, structured: Cleaned<unknown, Json>): string | undefined {
  const { raw, cleaned } = structured;
  try {
    if (!isRecord(raw) && !Array.isArray(raw)) return undefined;
    if (isSame(raw, cleaned) || !isShallow(text.raw)) return undefined;
    if (!isSame(raw, JSON.parse(text.raw)) || says(text.cleaned, cleaned)) return undefined;
    return JSON.stringify(cleaned, undefined, indentOf(text.raw));
  } catch {
    // No JSON, or a member of a tool's object that throws when it is read the second time.
    return undefined;
  }
}

/** A mark may have made of the text what is no JSON any more. */
function says(text: string, value: Json): boolean {
  try {
    return isSame(value, JSON.parse(text));
  } catch {
    return false;
  }
}

/** The structured content was: what is nested deeper cannot say the same, and need not be read. */
function isShallow(text: string): boolean {
  let level = 0;
  let deepest = 0;
  const open = () => {
    level += 1;
    deepest = Math.max(deepest, level);
  };
  const close = () => {
    level -= 1;
  };
  return scanJson(text, { open, close }) && deepest <= MAX_OUTPUT_LEVELS;
}

/** As JSON says them: members in any order, those that are undefined left out. As deep as the first of them. */
function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  }
  if (!isRecord(one)) return one === other;
  if (!isRecord(other)) return false;
  const keys = Object.keys(one).filter((key) => one[key] !== undefined);
  return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]));
}

/** What stands before the first member, when it stands on a line of its own. */
function indentOf(text: string): string {
  return /^\s{0,16}[{[]\r?\n([ \t]{1,10})\S/.exec(text)?.[1] ?? '';
}

function tooMany(): DevsError {
  return new DevsError('OUTPUT_WITHHELD', { cause: new Error(`JSON in a text: more than ${MAX_CHANGED_NAMES} names had to be cleaned`) });
}
