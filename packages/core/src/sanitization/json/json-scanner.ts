import { NumberStack } from '../pipeline/number-stack.ts';

/** Told what stands in a JSON text, from left to right. Places are UTF-16 units; those of texts include the quotes. */
export interface JsonVisitor {
  open?(kind: 'object' | 'list'): void;
  close?(kind: 'object' | 'list'): void;
  key?(start: number, end: number): void;
  text?(start: number, end: number): void;
  /** A number, `true`, `false` or `null`. */
  bare?(start: number, end: number): void;
}

/** What may come next. */
type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'separator';

const OBJECT = 0;
const LIST = 1;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERALS: ReadonlyMap<string, string> = new Map([
  ['t', 'true'],
  ['f', 'false'],
  ['n', 'null'],
]);
const SHORT_ESCAPES: ReadonlySet<number> = new Set(Array.from('"\\/bfnrt', (unit) => unit.charCodeAt(0)));
const LETTER_U = 0x75;

/**
 * True for a text that is JSON, or JSON documents a line each; tells the visitor of what it finds on the way. A raw
 * control character in a text is let pass, as many readers do: what can be read is what must be cleaned. Linear,
 * without recursion, however deep.
 */
export function scanJson(text: string, visitor: JsonVisitor = {}): boolean {
  return mayBeJson(text) && new JsonScanner(text, visitor).scan();
}

const FIRST = /^[{["\-\dtfn]$/;
const LAST = /^[}\]"\del]$/;

/** Two characters tell it of nearly every other text. */
export function mayBeJson(text: string): boolean {
  let start = 0;
  while (isSpace(text.charCodeAt(start))) start += 1;
  let end = text.length - 1;
  while (end > start && isSpace(text.charCodeAt(end))) end -= 1;
  return FIRST.test(text.charAt(start)) && LAST.test(text.charAt(end));
}

class JsonScanner {
  readonly #text: string;
  readonly #visitor: JsonVisitor;
  readonly #levels = new NumberStack('small');
  #at = 0;
  #expected: Expected = 'value';
  /** The next backslash from here, looked for once: else each text would look to the end for one. */
  #backslash = -2;

  constructor(text: string, visitor: JsonVisitor) {
    this.#text = text;
    this.#visitor = visitor;
  }

  scan(): boolean {
    for (;;) {
      const isNewLine = this.#skipSpace();
      if (this.#at >= this.#text.length) return this.#levels.length === 0 && this.#expected === 'separator';
      if (this.#isBetweenDocuments()) {
        if (!isNewLine) return false;
        this.#expected = 'value';
      }
      if (!this.#take(this.#text.charCodeAt(this.#at))) return false;
    }
  }

  #isBetweenDocuments(): boolean {
    return this.#expected === 'separator' && this.#levels.length === 0;
  }

  /** Says whether a line ended. */
  #skipSpace(): boolean {
    let isNewLine = false;
    for (let unit = this.#text.charCodeAt(this.#at); isSpace(unit); unit = this.#text.charCodeAt(this.#at)) {
      isNewLine ||= unit === LINE_FEED || unit === CARRIAGE_RETURN;
      this.#at += 1;
    }
    return isNewLine;
  }

  #take(unit: number): boolean {
    switch (unit) {
      case OPEN_OBJECT:
        return this.#open(OBJECT);
      case OPEN_LIST:
        return this.#open(LIST);
      case CLOSE_OBJECT:
        return this.#close(OBJECT);
      case CLOSE_LIST:
        return this.#close(LIST);
      case COMMA:
        return this.#separate();
      case QUOTE:
        return this.#takeText();
      default:
        return this.#takeBare();
    }
  }

  #open(kind: number): boolean {
    if (!this.#wantsValue()) return false;
    this.#levels.push(kind);
    this.#visitor.open?.(kind === OBJECT ? 'object' : 'list');
    this.#expected = kind === OBJECT ? 'key-or-end' : 'value-or-end';
    this.#at += 1;
    return true;
  }

  #close(kind: number): boolean {
    const isEmpty = this.#expected === (kind === OBJECT ? 'key-or-end' : 'value-or-end');
    if (this.#levels.top !== kind || (!isEmpty && this.#expected !== 'separator')) return false;
    this.#levels.pop();
    this.#visitor.close?.(kind === OBJECT ? 'object' : 'list');
    return this.#endValue(this.#at + 1);
  }

  #separate(): boolean {
    if (this.#expected !== 'separator') return false;
    this.#expected = this.#levels.top === OBJECT ? 'key' : 'value';
    this.#at += 1;
    return true;
  }

  #takeText(): boolean {
    const start = this.#at;
    const end = this.#endOfText(start);
    if (end < 0) return false;
    if (this.#expected === 'key' || this.#expected === 'key-or-end') return this.#takeKey(start, end);
    if (!this.#wantsValue()) return false;
    this.#visitor.text?.(start, end);
    return this.#endValue(end);
  }

  #takeKey(start: number, end: number): boolean {
    this.#visitor.key?.(start, end);
    this.#at = end;
    this.#skipSpace();
    if (this.#text.charCodeAt(this.#at) !== COLON) return false;
    this.#expected = 'value';
    this.#at += 1;
    return true;
  }

  #takeBare(): boolean {
    if (!this.#wantsValue()) return false;
    const literal = LITERALS.get(this.#text.charAt(this.#at));
    if (literal !== undefined) return this.#text.startsWith(literal, this.#at) && this.#endBare(this.#at + literal.length);
    NUMBER.lastIndex = this.#at;
    return NUMBER.test(this.#text) && this.#endBare(NUMBER.lastIndex);
  }

  #endBare(end: number): boolean {
    this.#visitor.bare?.(this.#at, end);
    return this.#endValue(end);
  }

  #wantsValue(): boolean {
    return this.#expected === 'value' || this.#expected === 'value-or-end';
  }

  #endValue(end: number): boolean {
    this.#at = end;
    this.#expected = 'separator';
    return true;
  }

  /** Behind the closing quote; -1 where there is none, or an escape that is none. */
  #endOfText(start: number): number {
    let at = start + 1;
    let quote = this.#text.indexOf('"', at);
    for (let slash = this.#backslashFrom(at); slash >= 0 && slash < quote; slash = this.#backslashFrom(at)) {
      at = this.#endOfEscape(slash);
      if (at < 0) return -1;
      if (quote < at) quote = this.#text.indexOf('"', at);
    }
    return quote < 0 ? -1 : quote + 1;
  }

  #endOfEscape(slash: number): number {
    const unit = this.#text.charCodeAt(slash + 1);
    if (unit !== LETTER_U) return SHORT_ESCAPES.has(unit) ? slash + 2 : -1;
    // By units: for a list of escapes, a pattern costs as much as all the rest.
    for (let at = slash + 2; at < slash + 6; at += 1) if (!isHexDigit(this.#text.charCodeAt(at))) return -1;
    return slash + 6;
  }

  #backslashFrom(at: number): number {
    if (this.#backslash !== -1 && this.#backslash < at) this.#backslash = this.#text.indexOf('\\', at);
    return this.#backslash;
  }
}

function isHexDigit(unit: number): boolean {
  const letter = unit | 0x20;
  return (unit >= 0x30 && unit <= 0x39) || (letter >= 0x61 && letter <= 0x66);
}

function isSpace(unit: number): boolean {
  return unit === SPACE || unit === LINE_FEED || unit === CARRIAGE_RETURN || unit === TAB;
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
