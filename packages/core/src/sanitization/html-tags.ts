import { isExternal } from './url-data.ts';

export interface OpeningTag {
  /** In lower case. */
  readonly name: string;
  /** Behind its `>`. */
  readonly end: number;
  /** True when whoever shows it asks another server for something, unasked. */
  readonly loads: boolean;
}

/** Units that may be looked at for each unit of the text; and for a short text at all. */
const LOOKS_PER_UNIT = 8;
const FREE_LOOKS = 65_536;

/** Elements that load what their attributes name. */
const LOADING: ReadonlySet<string> = new Set(
  'img image source video audio input link object embed iframe frame track use feimage script base bgsound portal'.split(' '),
);

/** Attributes that name nothing: a sentence in one may have a colon. */
const SPOKEN: ReadonlySet<string> = new Set(['alt', 'title', 'aria-label', 'xmlns', 'xmlns:xlink', 'placeholder', 'value', 'content']);

/** Finds where the opening tags of one text end, and what they load, as browsers do: a `>` in quotes ends none. */
export class TagReader {
  readonly #text: string;
  readonly #name = /<([a-z][^\s/<>]*)(?=[\s/>])/iy;
  readonly #attribute = /[\s/]*([^\s/>][^\s/>=]*)?/y;
  readonly #equals = /\s*=\s*/y;
  readonly #bare = /[^\s>]*/y;
  /** From here on there is no such quote. */
  readonly #lastQuotes = new Map<string, number>();
  #looks: number;

  constructor(text: string) {
    this.#text = text;
    this.#looks = text.length * LOOKS_PER_UNIT + FREE_LOOKS;
  }

  /** False: a text that has to be looked at so often is hostile, and nothing is said of its tags any more. */
  get hasLooksLeft(): boolean {
    return this.#looks > 0;
  }

  /** Undefined: no tag begins here, or it does not end. */
  read(start: number): OpeningTag | undefined {
    const name = this.#match(this.#name, start)?.[1]?.toLowerCase();
    if (name === undefined) return undefined;
    let loads = false;
    let index = start + 1 + name.length;
    while (this.hasLooksLeft && index < this.#text.length) {
      const [before = '', attribute = ''] = this.#match(this.#attribute, index) ?? [];
      index += before.length;
      if (attribute === '') return this.#text[index] === '>' ? { name, end: index + 1, loads } : undefined;
      const value = this.#valueAt(index);
      if (value === undefined) return undefined;
      index = value.end;
      loads ||= loadsBy(name, attribute.toLowerCase(), value.text);
    }
    return undefined;
  }

  /** Undefined: its quote does not end. */
  #valueAt(index: number): { readonly text: string; readonly end: number } | undefined {
    const equals = this.#match(this.#equals, index);
    if (equals === undefined) return { text: '', end: index };
    const start = index + equals[0].length;
    const quote = this.#text.charAt(start);
    if (quote !== '"' && quote !== "'") {
      const text = this.#match(this.#bare, start)?.[0] ?? '';
      return { text, end: start + text.length };
    }
    const end = this.#indexOf(quote, start + 1);
    if (end === -1) return undefined;
    this.#looks -= end - start;
    return { text: this.#text.slice(start + 1, end), end: end + 1 };
  }

  #indexOf(quote: string, from: number): number {
    if (from >= (this.#lastQuotes.get(quote) ?? Infinity)) return -1;
    const found = this.#text.indexOf(quote, from);
    if (found === -1) this.#lastQuotes.set(quote, from);
    return found;
  }

  #match(pattern: RegExp, index: number): RegExpExecArray | undefined {
    pattern.lastIndex = index;
    const found = pattern.exec(this.#text) ?? undefined;
    this.#looks -= 1 + (found?.[0].length ?? 0);
    return found;
  }
}

function loadsBy(element: string, attribute: string, value: string): boolean {
  if (attribute === 'style') return styleLoads(value);
  if (!LOADING.has(element) && attribute !== 'background') return false;
  // Of `srcset` each address.
  return !SPOKEN.has(attribute) && [value, ...value.split(/[\s,]+/)].some(isExternal);
}

/** With an escape it may say anything; else by what stands between brackets or quotes. */
function styleLoads(style: string): boolean {
  if (style.includes('\\')) return true;
  return style.split(/[()"']/).some((part, index) => index > 0 && isExternal(part.trim()));
}
