import type { WorkBudget } from '../pipeline/work-budget.ts';

/** One line of a manifest. */
export interface ManifestLine {
  readonly start: number;
  readonly end: number;
  /** Behind its gutter; its end where it has none. */
  readonly margin: number;
  /** Where its text begins, and behind the hyphens of an item of a list. */
  readonly first: number;
  readonly content: number;
  /** Units before its content; infinite for a blank line, which belongs to what stands around it; -1 for one that is not of the manifest. */
  readonly depth: number;
  /** True where an item of a list begins. */
  readonly isItem: boolean;
  /** True for a remark and for a line of a template, `{{- if … }}`: people write them in any column, and they end nothing. */
  readonly isAside: boolean;
}

/** Steps of reading a line, however short it is; and one for each unit before it, at most 128. */
const LINE = 80;
/** Hyphens before an entry that is in lists in lists, and spaces behind each. */
const [MOST_HYPHENS, MOST_SPACES] = [4, 16];
const [TAB, SPACE, PLUS, HYPHEN, ZERO, NINE, COLON] = [0x09, 0x20, 0x2b, 0x2d, 0x30, 0x39, 0x3a];

interface LineSettings {
  /** What stands before each line. */
  readonly gutter: string;
  readonly work: WorkBudget;
  /** True where a hyphen at the beginning of a line, with a space behind it, is one of a diff and begins no item. */
  readonly isDiff?: boolean;
}

/** Lines of a text that all have something before them: their numbers, the name of their file, a time, the sign of a diff. */
export class ManifestLines {
  readonly #text: string;
  readonly #settings: LineSettings;

  constructor(text: string, settings: LineSettings) {
    this.#text = text;
    this.#settings = settings;
  }

  get asDiff(): ManifestLines {
    return new ManifestLines(this.#text, { ...this.#settings, isDiff: true });
  }

  /** The line that begins here. */
  at(start: number): ManifestLine {
    const text = this.#text;
    this.#settings.work.spend(LINE + this.#settings.gutter.length);
    const next = text.indexOf('\n', start);
    const end = next === -1 ? text.length : next;
    const margin = this.#behindGutter(start, end);
    const none = { start, end, margin: margin ?? end, first: end, content: end, isItem: false, isAside: false };
    if (isBlank(text, margin ?? start, end) || (margin !== undefined && text.startsWith('@@ -', margin))) return { ...none, depth: Infinity };
    const begin = margin === undefined ? end : margin + (this.#isSign(margin) ? 1 : 0);
    if (margin === undefined || endsDocument(text, margin) || endsDocument(text, begin)) return { ...none, depth: -1 };
    const first = behindBlanks(text, begin, end);
    const content = behindHyphens(text, first);
    const isItem = content > first;
    return { start, end, margin, first, content, depth: content - margin, isItem, isAside: !isItem && isAside(text, content, end) };
  }

  /** The sign of a diff before a line; a space where there is none. */
  signOf({ margin }: ManifestLine): string {
    return this.#text.charAt(margin);
  }

  #isSign(at: number): boolean {
    const unit = this.#text.charCodeAt(at);
    return unit === PLUS || (unit === HYPHEN && (this.#settings.isDiff === true || !/[ \t]/.test(this.#text.charAt(at + 1))));
  }

  /** Behind what looks as the gutter does: as many digits as there are for each number, as many spaces. Undefined where something else stands there. */
  #behindGutter(start: number, end: number): number | undefined {
    const [text, { gutter }] = [this.#text, this.#settings];
    let place = start;
    for (let at = 0; at < gutter.length; at += 1) {
      const kind = kindOf(gutter.charCodeAt(at));
      const from = place;
      if (kind >= 0) place += text.charCodeAt(place) === kind ? 1 : 0;
      else {
        while (kindOf(gutter.charCodeAt(at + 1)) === kind) at += 1;
        while (place < end && kindOf(text.charCodeAt(place)) === kind) place += 1;
      }
      if (place === from && kind !== BLANK) return undefined;
    }
    return place;
  }
}

const [BLANK, DIGIT, SEPARATOR] = [-1, -2, -3];

/**
 * In numbers of lines each digit stands for any; `grep` writes `-` or `:` behind them. Any other unit is a kind of its own.
 * Numbers, no patterns: a hostile text has 128 units before each line, and each is asked many times.
 */
function kindOf(unit: number): number {
  if (unit === SPACE || unit === TAB) return BLANK;
  if (unit >= ZERO && unit <= NINE) return DIGIT;
  return unit === COLON || unit === HYPHEN ? SEPARATOR : unit;
}

function behindBlanks(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && kindOf(text.charCodeAt(at)) === BLANK) at += 1;
  return at;
}

function behindHyphens(text: string, start: number): number {
  let at = start;
  for (let count = 0; count < MOST_HYPHENS && text.startsWith('- ', at); count += 1) {
    const last = at + MOST_SPACES;
    at += 2;
    while (at <= last && text.charCodeAt(at) === SPACE) at += 1;
  }
  return at;
}

const BLANKS = /[^\S\n]*/y;

function isBlank(text: string, start: number, end: number): boolean {
  BLANKS.lastIndex = start;
  BLANKS.test(text);
  return BLANKS.lastIndex === end;
}

function isAside(text: string, at: number, end: number): boolean {
  return text[at] === '#' || (text.startsWith('{{', at) && text.slice(at, end).trimEnd().endsWith('}}'));
}

function endsDocument(text: string, at: number): boolean {
  return text.startsWith('---', at) || text.startsWith('...', at);
}
