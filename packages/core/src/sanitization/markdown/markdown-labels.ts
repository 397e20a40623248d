import type { UrlReader } from '../html/url-data.ts';

/** Of a label. CommonMark allows 999 characters. */
const MOST_LABEL = 999;

/** Steps of the work budget for a unit of a label. */
const READ = 2;

/** A label as it stands behind an image, to some readers behind a space or a line end too. An escaped bracket is a part of it. */
const OTHER_LABEL = /([ \t]{0,4}(?:\r?\n[ \t>]{0,8})?)\[((?:[^[\]\\]|\\[^]){0,1000})\]/y;

/**
 * The labels whose definition leads away, as images may name them. A definition is looked for wherever `[label]:` stands,
 * not only where a line may begin: inside lists, quotes and notes the ways to begin one have no end.
 */
export class ExternalLabels {
  readonly #labels = new Set<string>();
  readonly #urls: UrlReader;

  constructor(text: string, urls: UrlReader) {
    this.#urls = urls;
    if (!text.includes(']:') || !text.includes('![')) return;
    // slow pattern: at most 999 steps for each bracket
    for (const [, label = '', url = ''] of text.matchAll(/\[(?<=(?<!\\)(?:\\\\)*\[)((?:[^[\]\\]|\\[^]){1,999})\]:(?=[\s<>]*([^\s<>[\]]+))/g)) {
      urls.work.spend(READ * label.length);
      if (!isLikeMark(label) && urls.isExternal(url)) this.#labels.add(normalize(label));
    }
  }

  get isEmpty(): boolean {
    return this.#labels.size === 0;
  }

  has(label: string): boolean {
    if (label.length > MOST_LABEL) return false;
    this.#urls.work.spend(READ * label.length);
    return this.#labels.has(normalize(label));
  }
}

/** Finds the bracket that a label begins with, from where it ends. To be asked for each `]`, from left to right. */
export class LabelStarts {
  readonly #text: string;
  #start = -1;
  #asked = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** -1: no label ends there. An escaped bracket is a part of the label. */
  startFor(end: number): number {
    // Back to the last end alone: each unit is looked at once.
    for (let at = end - 1; at >= this.#asked; at -= 1) {
      if (this.#text[at] !== '[' || isEscaped(this.#text, at)) continue;
      this.#start = at;
      break;
    }
    this.#asked = end + 1;
    const start = this.#start;
    if (!isEscaped(this.#text, end)) this.#start = -1;
    return start;
  }
}

function isEscaped(text: string, index: number): boolean {
  let start = index;
  while (text[start - 1] === '\\') start -= 1;
  return (index - start) % 2 === 1;
}

export interface OtherLabel {
  readonly label: string;
  readonly end: number;
  /** False: something stands before it. */
  readonly isBeside: boolean;
}

/** The label that stands at `index`, or a little behind it, in its brackets. Undefined: none. */
export function labelAt(text: string, index: number): OtherLabel | undefined {
  const pattern = new RegExp(OTHER_LABEL);
  pattern.lastIndex = index;
  const [all = '', gap = '', label = ''] = pattern.exec(text) ?? [];
  const end = index + all.length;
  // `[label]:` on the next line is a definition.
  return all === '' || (gap !== '' && text[end] === ':') ? undefined : { label, end, isBeside: gap === '' };
}

/** A mark must not become a link by a definition of its own. */
export function isLikeMark(label: string): boolean {
  return /^\s{0,999}redacted:/i.test(label);
}

/** As readers compare them. In a quote a line begins with what is no part of the label. */
function normalize(label: string): string {
  return label.replace(/[\n\r][\s>]*/g, ' ').trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase();
}
