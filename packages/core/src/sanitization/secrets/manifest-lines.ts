/** One line of a manifest. */
export interface ManifestLine {
  readonly start: number;
  readonly end: number;
  /** Where its text begins, and behind the hyphens of an item of a list. */
  readonly first: number;
  readonly content: number;
  /** Units before its content; infinite for a blank line, which belongs to what stands around it; -1 for one that is not of the manifest. */
  readonly depth: number;
  /** True where an item of a list begins. */
  readonly isItem: boolean;
}

const CONTENT = /([ \t]*)((?:- {1,16}){0,4})/y;
const [PLUS, HYPHEN] = [0x2b, 0x2d];

/** Lines of a text that all have something before them: their numbers, the name of their file, a time, the sign of a diff. */
export class ManifestLines {
  readonly #text: string;
  readonly #gutter: string;
  /** True where a hyphen at the beginning of a line, with a space behind it, is one of a diff and begins no item. */
  readonly #isDiff: boolean;

  constructor(text: string, gutter: string, isDiff = false) {
    this.#text = text;
    this.#gutter = gutter;
    this.#isDiff = isDiff;
  }

  get asDiff(): ManifestLines {
    return new ManifestLines(this.#text, this.#gutter, true);
  }

  /** The line that begins here. */
  at(start: number): ManifestLine {
    const text = this.#text;
    const next = text.indexOf('\n', start);
    const end = next === -1 ? text.length : next;
    const margin = this.#behindGutter(start, end);
    const none = { start, end, first: end, content: end, isItem: false };
    if (isBlank(text, margin ?? start, end) || (margin !== undefined && text.startsWith('@@ -', margin))) return { ...none, depth: Infinity };
    const begin = margin === undefined ? end : margin + (this.#isSign(margin) ? 1 : 0);
    if (margin === undefined || endsDocument(text, margin) || endsDocument(text, begin)) return { ...none, depth: -1 };
    CONTENT.lastIndex = begin;
    const [, indent = '', hyphens = ''] = CONTENT.exec(text) ?? [];
    const content = begin + indent.length + hyphens.length;
    return { start, end, first: begin + indent.length, content, depth: content - margin, isItem: hyphens !== '' };
  }

  /** The sign of a diff before a line; a space where there is none. */
  signOf({ start, end }: ManifestLine): string {
    return this.#text.charAt(this.#behindGutter(start, end) ?? end);
  }

  #isSign(at: number): boolean {
    const unit = this.#text.charCodeAt(at);
    return unit === PLUS || (unit === HYPHEN && (this.#isDiff || !/[ \t]/.test(this.#text.charAt(at + 1))));
  }

  /** Behind what looks as the gutter does: as many digits as there are for each number, as many spaces. Undefined where something else stands there. */
  #behindGutter(start: number, end: number): number | undefined {
    const [text, gutter] = [this.#text, this.#gutter];
    let place = start;
    for (let at = 0; at < gutter.length; at += 1) {
      const kind = kindOf(gutter.charAt(at));
      if (kind === undefined) {
        if (text[place] !== gutter[at]) return undefined;
        place += 1;
        continue;
      }
      while (kind.test(gutter.charAt(at + 1))) at += 1;
      const from = place;
      while (place < end && kind.test(text.charAt(place))) place += 1;
      if (place === from && kind !== SPACE) return undefined;
    }
    return place;
  }
}

const [SPACE, DIGIT, SEPARATOR] = [/[ \t]/, /\d/, /[:-]/];

/** In numbers of lines each digit stands for any; `grep` writes `-` or `:` behind them. */
function kindOf(unit: string): RegExp | undefined {
  return [SPACE, DIGIT, SEPARATOR].find((kind) => kind.test(unit));
}

function isBlank(text: string, start: number, end: number): boolean {
  return /^\s*$/.test(text.slice(start, end));
}

function endsDocument(text: string, at: number): boolean {
  return text.startsWith('---', at) || text.startsWith('...', at);
}
