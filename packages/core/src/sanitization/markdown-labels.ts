import { isExternal } from './url-data.ts';

/** Of a label. CommonMark allows 999 characters. */
const MOST_LABEL = 999;

/** A label as it stands behind an image. An escaped bracket is a part of it. */
const OTHER_LABEL = /\[((?:[^[\]\\]|\\[^]){0,1000})\]/y;

/**
 * The labels whose definition leads away, as images may name them. A definition is looked for wherever `[label]:` stands,
 * not only where a line may begin: inside lists, quotes and notes the ways to begin one have no end.
 */
export class ExternalLabels {
  readonly #labels = new Set<string>();

  constructor(text: string) {
    if (!text.includes(']:') || !text.includes('![')) return;
    for (const [, label = '', url = ''] of text.matchAll(/\[(?<=(?<!\\)(?:\\\\)*\[)((?:[^[\]\\]|\\[^]){1,999})\]:(?=[\s<>]*([^\s<>[\]]+))/g)) {
      if (!isLikeMark(label) && isExternal(url)) this.#labels.add(normalize(label));
    }
  }

  get isEmpty(): boolean {
    return this.#labels.size === 0;
  }

  has(label: string): boolean {
    return label.length <= MOST_LABEL && this.#labels.has(normalize(label));
  }
}

/** The label that stands at `index`, in its brackets. Undefined: none. */
export function labelAt(text: string, index: number): { readonly label: string; readonly end: number } | undefined {
  const pattern = new RegExp(OTHER_LABEL);
  pattern.lastIndex = index;
  const found = pattern.exec(text);
  return found === null ? undefined : { label: found[1] ?? '', end: index + found[0].length };
}

/** A mark must not become a link by a definition of its own. */
export function isLikeMark(label: string): boolean {
  return /^\s{0,999}redacted:/i.test(label);
}

/** As readers compare them. In a quote a line begins with what is no part of the label. */
function normalize(label: string): string {
  return label.replace(/[\n\r][\s>]*/g, ' ').trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase();
}
