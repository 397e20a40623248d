import { LoadingAttributes, loadsOf } from './html-loading.ts';
import { NumberStack } from '../pipeline/number-stack.ts';
import type { WorkBudget } from '../pipeline/work-budget.ts';
import type { UrlReader } from './url-data.ts';

export interface OpeningTag {
  /** In lower case. */
  readonly name: string;
  /** Behind its `>`. */
  readonly end: number;
  /** True when whoever shows it asks another server for something, unasked. */
  readonly loads: boolean;
}

/** Steps of the work budget for a tag and for an attribute, but for their units and what a value costs. */
const LOOK = 24;

/** What is known of the tag whose attributes go on at a unit: nothing; that it does not end; else `SHIFT` times its end, and what its attributes load. */
const UNKNOWN = 0;
const ENDLESS = 1;
const SHIFT = 8;

/** What a unit may be a part of: what stands between attributes, a space, the name of a tag, that of an attribute, a value without quotes. */
const BETWEEN = 1;
const SPACE = 2;
const NAME = 4;
const ATTRIBUTE = 8;
const BARE = 16;
const OTHER = NAME | ATTRIBUTE | BARE;
const KINDS = Uint8Array.from({ length: 0x80 }, (_, code) => kindOf(String.fromCharCode(code)));

function kindOf(unit: string): number {
  if (unit <= ' ') return BETWEEN | SPACE;
  if (unit === '/') return BETWEEN | BARE;
  if (unit === '>') return 0;
  if (unit === '<') return ATTRIBUTE | BARE;
  return unit === '=' ? NAME | BARE : OTHER;
}

/**
 * Finds where the opening tags of one text end, and what they load, as browsers do: a `>` in quotes ends none. Attributes
 * are read once, for however many tags: of `<a <a <a` all have the same, and none may end.
 */
export class TagReader {
  readonly #text: string;
  readonly #urls: UrlReader;
  readonly #attributes: LoadingAttributes;
  /** From here on there is no such quote. */
  readonly #lastQuotes = new Map<string, number>();
  /** By the unit where attributes go on. Made with the first tag that has any. */
  #fates: Uint32Array | undefined;
  readonly #path = new NumberStack('large');
  readonly #pathLoads = new NumberStack('small');
  /** Of the attribute that was read last. */
  #loads = 0;

  constructor(text: string, urls: UrlReader) {
    this.#text = text;
    this.#urls = urls;
    this.#attributes = new LoadingAttributes(urls);
  }

  /** Who reads more than tags spends of the same. */
  get work(): WorkBudget {
    return this.#urls.work;
  }

  /** Undefined: no tag begins here, or it does not end. */
  read(start: number): OpeningTag | undefined {
    const name = this.nameAt(start);
    if (name === '') return undefined;
    const fate = this.#fateAt(start + 1 + name.length);
    return fate === ENDLESS ? undefined : { name, end: Math.floor(fate / SHIFT), loads: loadsOf(name, fate % SHIFT) };
  }

  /** Of the tag that begins here, in lower case; empty when none does. */
  nameAt(start: number): string {
    const end = this.#skip(start + 1, NAME);
    const isTag = this.#text[start] === '<' && /^[a-z]/i.test(this.#text.charAt(start + 1)) && end < this.#text.length && this.#text[end] !== '<';
    return isTag ? this.#text.slice(start + 1, end).toLowerCase() : '';
  }

  /** Reads on until the tag ends, or comes where another has been read; then all that it went through is known. */
  #fateAt(start: number): number {
    if (this.#text[start] === '>') return SHIFT * (start + 1);
    const fates = (this.#fates ??= new Uint32Array(this.#text.length + 1));
    let index = start;
    while (fates[index] === UNKNOWN) index = this.#readAttribute(index, fates);
    let fate = fates[index] ?? ENDLESS;
    while (this.#path.length > 0) {
      const loads = this.#pathLoads.pop();
      if (fate !== ENDLESS) fate = SHIFT * Math.floor(fate / SHIFT) + ((fate % SHIFT) | loads);
      fates[this.#path.pop()] = fate;
    }
    return fate;
  }

  /** Where the next one may stand; the same unit when there is none. */
  #readAttribute(start: number, fates: Uint32Array): number {
    this.#urls.work.spend(LOOK);
    const nameStart = this.#skip(start, BETWEEN);
    const isOver = nameStart === this.#text.length || this.#text[nameStart] === '>';
    const nameEnd = isOver ? nameStart : this.#skip(nameStart + 1, ATTRIBUTE);
    const end = isOver ? -1 : this.#readValue(nameStart, nameEnd);
    if (end === -1) {
      fates[start] = this.#text[nameStart] === '>' ? SHIFT * (nameStart + 1) : ENDLESS;
      return start;
    }
    this.#path.push(start);
    this.#pathLoads.push(this.#loads);
    return end;
  }

  /** Behind the value of the attribute of this name; -1 when its quote does not end. */
  #readValue(nameStart: number, nameEnd: number): number {
    this.#loads = 0;
    const equals = this.#skip(nameEnd, SPACE);
    if (this.#text[equals] !== '=') return nameEnd;
    const start = this.#skip(equals + 1, SPACE);
    const quote = this.#text.charAt(start);
    const isQuoted = quote === '"' || quote === "'";
    const end = isQuoted ? this.#indexOf(quote, start + 1) : this.#skip(start, BARE);
    if (end === -1) return -1;
    const value = this.#text.slice(isQuoted ? start + 1 : start, end);
    this.#urls.work.spend(value.length);
    if (value !== '') this.#loads = this.#attributes.judge(this.#text.slice(nameStart, nameEnd).toLowerCase(), value);
    return isQuoted ? end + 1 : end;
  }

  /** Over all units of this kind. */
  #skip(start: number, kind: number): number {
    let end = start;
    while (end < this.#text.length && ((KINDS[this.#text.charCodeAt(end)] ?? OTHER) & kind) !== 0) end += 1;
    this.#urls.work.spend(end - start);
    return end;
  }

  #indexOf(quote: string, from: number): number {
    if (from >= (this.#lastQuotes.get(quote) ?? Infinity)) return -1;
    const found = this.#text.indexOf(quote, from);
    if (found === -1) this.#lastQuotes.set(quote, from);
    return found;
  }
}
