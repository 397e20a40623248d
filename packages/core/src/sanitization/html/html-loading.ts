import { loadsByStyle, loadsByUrl } from './css-loading.ts';
import type { UrlReader } from './url-data.ts';

/** What the value of an attribute loads: in any element; in one that loads what its attributes name; in `<meta>`. */
export const LOADS = 1;
export const IN_LOADING = 2;
export const IN_META = 4;

/** Elements that load what their attributes name. */
const LOADING: ReadonlySet<string> = new Set(
  ('img image source video audio input link object embed iframe frame track use feimage script base bgsound portal fencedframe '
    + 'applet cursor xml set animate pattern lineargradient radialgradient textpath mpath tref xi:include').split(' '),
);

/** Attributes that load in any element, also one that a page has made up: `<amp-img src>`, `<a ping>`, `data-src`, `xlink:src`. */
const LOADING_ATTRIBUTE = /^(?:.*[^a-z])?(?:src|srcset|imagesrcset|lowsrc|dynsrc|poster|background|ping|manifest|archive|codebase)$/;

/** Attributes that name nothing: a sentence in one may have a colon. */
const SPOKEN: ReadonlySet<string> = new Set(['alt', 'title', 'aria-label', 'xmlns', 'xmlns:xlink', 'placeholder', 'value', 'content']);

/** Code that runs without a click. */
const HANDLER = /^on(?!click$|dblclick$|submit$)/;

/** What `<meta http-equiv="refresh">` has: a number of seconds, and where to go then. */
const REFRESH = /^[\s\d.]+[;,\s]/;

/** Judges what attributes load, whatever element they are in. */
export class LoadingAttributes {
  readonly #urls: UrlReader;

  constructor(urls: UrlReader) {
    this.#urls = urls;
  }

  /** @param name in lower case */
  judge(name: string, value: string): number {
    if (name === 'srcdoc') return this.#urls.decodeEntities(value).includes('<') ? LOADS : 0;
    if (name === 'style') return loadsByStyle(value, this.#urls) ? LOADS : 0;
    if (loadsByUrl(value, this.#urls) || (HANDLER.test(name) && loadsByStyle(value, this.#urls))) return LOADS;
    if (name === 'content') return this.#isRefresh(this.#urls.decodeEntities(value)) ? IN_META : 0;
    if (SPOKEN.has(name) || !this.#isExternal(value)) return 0;
    return LOADING_ATTRIBUTE.test(name) ? LOADS : IN_LOADING;
  }

  /** Of `srcset` and of `values` each address. */
  #isExternal(value: string): boolean {
    return this.#urls.isExternal(value) || (/[\s,;]/.test(value) && this.#isAnyExternal(value.matchAll(/[^\s,;]+/g)));
  }

  #isRefresh(value: string): boolean {
    return REFRESH.test(value) && this.#isAnyExternal(value.matchAll(/[^\s,;="']+/g));
  }

  #isAnyExternal(found: Iterable<RegExpExecArray>): boolean {
    for (const [part] of found) if (this.#urls.isExternal(part)) return true;
    return false;
  }
}

/** @param element in lower case */
export function isLoading(element: string): boolean {
  return LOADING.has(element);
}

/** @param loads what its attributes do, together */
export function loadsOf(element: string, loads: number): boolean {
  return (loads & LOADS) !== 0 || ((loads & IN_LOADING) !== 0 && LOADING.has(element)) || ((loads & IN_META) !== 0 && element === 'meta');
}
