import { loadsByStyleElement } from './css-loading.ts';
import type { OpeningTag } from './html-tags.ts';
import { isOfData, loadsByScript } from './script-loading.ts';
import type { UrlReader } from './url-data.ts';

interface Kind {
  /** The next tag of the same name. One that closes itself, as in SVG, ends nothing. */
  readonly edge: RegExp;
  /** True for what does nothing until its end comes. */
  readonly needsEnd: boolean;
  readonly loads: (content: string, urls: UrlReader) => boolean;
}

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['style', { edge: /<style(?=[\s>])(?![^<>]*\/>)|<\/style(?=[\s/>])[^<>]*>?/gi, needsEnd: false, loads: loadsByStyleElement }],
  ['script', { edge: /<script(?=[\s>])(?![^<>]*\/>)|<\/script(?=[\s/>])[^<>]*>?/gi, needsEnd: true, loads: loadsByScript }],
]);

/** Steps of the work budget for a unit of what an element holds. */
const LOOKS = 2;

/** What SVG writes around all of a text. */
const WRAPPING = /^\s*(?:<!\[CDATA\[|<!--)|(?:\]\]>|-->)\s*$/g;
/** Tags, comments and sections within it: in SVG they stand for nothing, and what stands around them is one piece, `u<b/>rl(`. */
const PARTING = /<[a-z!?/]|\]\]>/i;
/** A tag that ends its own element in SVG; the slash of `a=b/` does not. */
const EMPTY = /^<\w+(?:\s+[\w:-]+="[^"<>]*")*\s*\/>$/;

/** Judges what the text of `<style>` and `<script>` elements loads. */
export class ContentReader {
  readonly #text: string;
  readonly #urls: UrlReader;
  /** Where SVG begins, in which a text is read in another way; looked for once. */
  #graphic: number | undefined;
  /** What was looked at last and loads nothing: then neither does a rest of it, and `<style/><style/>` is looked at once. */
  #quiet: { readonly name: string; readonly isGraphic: boolean; readonly end: number } = { name: '', isGraphic: false, end: 0 };

  constructor(text: string, urls: UrlReader) {
    this.#text = text;
    this.#urls = urls;
  }

  /**
   * Behind what has to go when the element loads: its end, or its opening tag when it has none; without that it is a text
   * like any other. Undefined: it loads nothing, or is no such element.
   * @param start of its opening tag
   */
  endOfLoading(start: number, { name, end }: OpeningTag): number | undefined {
    const kind = KINDS.get(name);
    if (kind === undefined) return undefined;
    const tag = this.#text.slice(start, end);
    this.#urls.work.spend(tag.length);
    const isGraphic = this.#isInGraphic(start);
    const { name: seen, isGraphic: wasGraphic, end: seenEnd } = this.#quiet;
    if (isOfData(tag) || (seen === name && wasGraphic === isGraphic && end <= seenEnd)) return undefined;
    const edge = this.#next(kind.edge, end);
    const content = this.#text.slice(end, edge?.index);
    this.#urls.work.spend(LOOKS * content.length);
    const mayLoad = edge !== null || !kind.needsEnd;
    if (mayLoad && ((isGraphic && isParted(tag, content)) || kind.loads(content, this.#urls))) return endOf(edge) ?? end;
    this.#quiet = { name, isGraphic, end: end + content.length };
    return undefined;
  }

  #next(pattern: RegExp, from: number): RegExpExecArray | null {
    const edge = new RegExp(pattern);
    edge.lastIndex = from;
    return edge.exec(this.#text);
  }

  #isInGraphic(start: number): boolean {
    this.#graphic ??= this.#text.search(/<svg[\s/>]/i);
    return this.#graphic !== -1 && this.#graphic < start;
  }
}

/** Undefined: nothing ends there. */
function endOf(edge: RegExpExecArray | null): number | undefined {
  return edge?.[0].startsWith('</') === true ? edge.index + edge[0].length : undefined;
}

function isParted(tag: string, content: string): boolean {
  return content.includes('<') && !EMPTY.test(tag) && PARTING.test(content.replace(WRAPPING, ''));
}
