export interface Destination {
  readonly url: string;
  readonly urlStart: number;
  readonly urlEnd: number;
  /** Behind the bracket that closes it. */
  readonly end: number;
}

/** Space, title and the closing bracket. A title that is longer stays where it is. */
const TITLE_AND_END = /\s{0,64}(?:"[^"]{0,200}"|'[^']{0,200}'|\([^()]{0,200}\))?\s{0,64}\)/y;

/** Finds the URLs of one text. */
export class Destinations {
  readonly #text: string;
  readonly #closing = new RegExp(TITLE_AND_END);

  constructor(text: string) {
    this.#text = text;
  }

  /** The URL of `](url "title")`, from behind its bracket on. Undefined: there is none. */
  at(index: number): Destination | undefined {
    const start = skipSpace(this.#text, index);
    const isInAngles = this.#text[start] === '<';
    const urlStart = isInAngles ? start + 1 : start;
    const urlEnd = isInAngles ? this.#endOfAngles(urlStart) : this.#endOfBare(urlStart);
    if (urlEnd === urlStart) return undefined;
    const end = this.#endOfLink(this.#text[urlEnd] === '>' ? urlEnd + 1 : urlEnd);
    return { url: this.#text.slice(urlStart, urlEnd), urlStart, urlEnd, end };
  }

  #endOfLink(urlEnd: number): number {
    if (this.#text[urlEnd] === ')') return urlEnd + 1;
    this.#closing.lastIndex = urlEnd;
    return this.#closing.test(this.#text) ? this.#closing.lastIndex : urlEnd;
  }

  /** Not over another `<`: each character is looked at for one link alone. */
  #endOfAngles(start: number): number {
    let end = start;
    while (end < this.#text.length && !'<>\n'.includes(this.#text.charAt(end))) end += 1;
    return end;
  }

  /** Brackets in a URL are in pairs. Not over `<`, where an image may begin, and not over another `](`: each character is looked at for one link alone. */
  #endOfBare(start: number): number {
    let depth = 0;
    let end = start;
    for (; end < this.#text.length; end += 1) {
      const code = this.#text.charCodeAt(end);
      if (isSpace(code) || code === ANGLE || (code === CLOSE && depth === 0)) return end;
      if (code === OPEN && end > start && this.#text[end - 1] === ']') return end - 1;
      if (code === OPEN) depth += 1;
      if (code === CLOSE) depth -= 1;
    }
    return end;
  }
}

const OPEN = 0x28;
const CLOSE = 0x29;
const ANGLE = 0x3c;
const QUOTE = 0x3e;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Spaces and a line end, behind which a quote may go on: `> `. */
function skipSpace(text: string, index: number): number {
  let start = index;
  let hasLineEnd = false;
  for (; start < text.length; start += 1) {
    const code = text.charCodeAt(start);
    hasLineEnd ||= code === LINE_FEED || code === CARRIAGE_RETURN;
    if (!isSpace(code) && !(hasLineEnd && code === QUOTE)) return start;
  }
  return start;
}

/** Also all other controls, which the step before has taken out. */
function isSpace(code: number): boolean {
  return code <= 0x20;
}
