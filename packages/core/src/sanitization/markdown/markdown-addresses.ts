/** Units that may be looked at for each unit of the text; and for a short text at all. */
const LOOKS_PER_UNIT = 8;
const FREE_LOOKS = 4_096;

/** An address in which nothing has to be told from markup. */
const SIMPLE = /[^\s()<>`"'[\]\\]*\)/y;
/** What an autolink may be. */
const ANGLE = /<[^\s<>]*>/y;
/** Markup that is no tag, and what ends it. */
const SPECIAL: readonly (readonly [start: string, end: string])[] = [['<!--', '-->'], ['<![CDATA[', ']]>'], ['<?', '?>'], ['<!', '>']];

const CLOSING: Readonly<Record<string, string>> = { '"': '"', "'": "'", '(': ')' };

const [LINE_FEED, SPACE, OPENING_ANGLE, QUOTE, BACKSLASH, DELETE] = [0x0a, 0x20, 0x3c, 0x3e, 0x5c, 0x7f];

/** White space, and the `>` of a quote. */
function isSkipped(unit: number): boolean {
  if (unit > DELETE) return /\s/.test(String.fromCharCode(unit));
  return unit === QUOTE || unit === SPACE || (unit >= 0x09 && unit <= 0x0d);
}

/** Where addresses with their titles end, and markup that is no tag: brackets inside are none. For one paragraph. */
export class AddressReader {
  readonly #text: string;
  readonly #end: number;
  readonly #patterns = { simple: new RegExp(SIMPLE), angle: new RegExp(ANGLE) };
  /** From here on there is no such end. */
  readonly #lastEnds = new Map<string, number>();
  readonly #mostLooks: number;
  #looks: number;

  constructor(text: string, start: number, end: number) {
    this.#text = text;
    this.#end = end;
    this.#mostLooks = (end - start) * LOOKS_PER_UNIT + FREE_LOOKS;
    this.#looks = this.#mostLooks;
  }

  /** Units that were looked at. */
  get looked(): number {
    return this.#mostLooks - this.#looks;
  }

  /** False: the paragraph is hostile, and nothing is said of it any more. */
  get hasLooksLeft(): boolean {
    return this.#looks > 0;
  }

  /** From behind the `(` on. */
  isSimple(index: number): boolean {
    return this.#match('simple', index) > 0;
  }

  /** Behind the `)`; undefined when that is no address with a title. From behind the `(` on. */
  endOf(index: number): number | undefined {
    const start = this.#skipSpace(index);
    const addressEnd = this.#text[start] === '<' ? this.#endOfQuoted(start + 1, '>') : this.#endOfBare(start);
    if (addressEnd === undefined) return undefined;
    const title = this.#skipSpace(addressEnd);
    const closing = title > addressEnd ? CLOSING[this.#text.charAt(title)] : undefined;
    const end = closing === undefined ? title : this.#endOfQuoted(title + 1, closing);
    if (end === undefined) return undefined;
    const last = this.#skipSpace(end);
    return this.#text[last] === ')' ? last + 1 : undefined;
  }

  /** Of an autolink, a comment, a declaration. 0: none begins here. */
  endOfMarkup(index: number): number {
    const special = SPECIAL.find(([start]) => this.#text.startsWith(start, index));
    const found = special === undefined ? -1 : this.#indexOf(special[1], index + 2);
    return Math.max(index + this.#match('angle', index), special === undefined || found === -1 ? 0 : found + special[1].length);
  }

  /** Units of what matches here; 0 for nothing. */
  #match(name: 'simple' | 'angle', index: number): number {
    const pattern = this.#patterns[name];
    pattern.lastIndex = index;
    const length = pattern.test(this.#text) ? pattern.lastIndex - index : 0;
    this.#looks -= 1 + length;
    return length;
  }

  /** Also over the `>` that begins the next line of a quote. */
  #skipSpace(start: number): number {
    let index = start;
    while (index < this.#end && isSkipped(this.#text.charCodeAt(index))) index += 1;
    this.#looks -= index - start;
    return index;
  }

  #endOfQuoted(start: number, closing: string): number | undefined {
    const wanted = closing.charCodeAt(0);
    const end = Math.min(this.#end, start + 2 * this.#looks);
    let index = start;
    let found: number | undefined;
    for (; index < end && found === undefined; index += 1) {
      const unit = this.#text.charCodeAt(index);
      if (unit === wanted) found = index + 1;
      // Not over another `<`: each character is looked at for one address alone.
      else if (wanted === QUOTE && (unit === OPENING_ANGLE || unit === LINE_FEED)) break;
      else if (unit === BACKSLASH) index += 1;
    }
    this.#looks -= index - start;
    return this.hasLooksLeft ? found : undefined;
  }

  #endOfBare(start: number): number | undefined {
    let depth = 0;
    for (let index = start; index < this.#end && this.hasLooksLeft; index += 1) {
      this.#looks -= 1;
      const unit = this.#text.charAt(index);
      if (unit <= ' ' || (unit === ')' && depth === 0)) return index;
      if (unit === '\\' && /[!-/:-@[-`{-~]/.test(this.#text.charAt(index + 1))) index += 1;
      else if (unit === '(') depth += 1;
      else if (unit === ')') depth -= 1;
    }
    return undefined;
  }

  #indexOf(closing: string, from: number): number {
    if (from >= (this.#lastEnds.get(closing) ?? Infinity)) return -1;
    // Not beyond the paragraph: a text may have a thousand of them, and no such end.
    const rest = this.#text.slice(from, this.#end);
    const found = rest.indexOf(closing);
    this.#looks -= found === -1 ? rest.length : found;
    if (found !== -1) return from + found;
    this.#lastEnds.set(closing, from);
    return -1;
  }
}
