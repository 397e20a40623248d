import { loadsByStyleElement } from './css-loading.ts';
import type { UrlReader } from './url-data.ts';

/** The next one of either kind. One that closes itself, as in SVG, ends nothing. */
const EDGE = /<style(?=[\s>])(?![^<>]*\/>)|<\/style(?=[\s/>])[^<>]*>?/gi;

/** Judges what the `<style>` elements of one text load. */
export class StyleReader {
  readonly #text: string;
  readonly #urls: UrlReader;
  readonly #edge = new RegExp(EDGE);

  constructor(text: string, urls: UrlReader) {
    this.#text = text;
    this.#urls = urls;
  }

  /**
   * Behind what has to go when the element loads: its end, or its opening tag when it has none; without that it is a text
   * like any other. Undefined: it loads nothing.
   * @param tagEnd behind its opening tag
   */
  endOfLoading(tagEnd: number): number | undefined {
    this.#edge.lastIndex = tagEnd;
    const edge = this.#edge.exec(this.#text);
    const css = this.#text.slice(tagEnd, edge?.index);
    this.#urls.work.spend(4 * css.length);
    if (!loadsByStyleElement(css, this.#urls)) return undefined;
    return edge?.[0].startsWith('</') === true ? edge.index + edge[0].length : tagEnd;
  }
}
