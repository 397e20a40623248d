import type { UrlReader } from './url-data.ts';

/** Escapes of CSS: `\75rl(` is `url(`. */
const ESCAPES = /\\(?:([0-9a-f]{1,6})[ \t\r\n\f]?|([^]))/gi;

/** What stands in `url(…)`, and what may hold addresses in quotes. */
const ADDRESSES = /(?:url|src|image)\(\s*["']?([^"'()]*)|(?:@import|image-set\()([^;{}@]*)/gi;

/** Without both of these no value is CSS that loads; in entities and escapes too. */
const OPENING = /\(|&(?:lpar|#)/i;
const FUNCTION = /(?:url|src|image|set)\(|[&\\]/i;

/** The attribute `style`, or a line of code. With an escape it may say anything; else by what stands between brackets or quotes. */
export function loadsByStyle(style: string, urls: UrlReader): boolean {
  const read = urls.decodeEntities(style);
  return read.includes('\\') || read.split(/[()"'`]/).some((part, index) => index > 0 && urls.isExternal(part.trim()));
}

/** Any attribute: SVG has dozens that may be `url(…)`. */
export function loadsByUrl(value: string, urls: UrlReader): boolean {
  return OPENING.test(value) && FUNCTION.test(value) && loadsByCss(urls.decodeEntities(value), urls);
}

/** The text of `<style>`: as HTML reads it, and as SVG does, where entities count and tags and comments stand for nothing. */
export function loadsByStyleElement(css: string, urls: UrlReader): boolean {
  return loadsByCss(css, urls) || (/[<&]/.test(css) && loadsByCss(urls.decodeEntities(css.replace(/<[^<>]*>/g, '')), urls));
}

function loadsByCss(css: string, urls: UrlReader): boolean {
  const read = css.includes('\\') ? css.replace(ESCAPES, (_, hex: string | undefined, unit: string) => (hex === undefined ? unit : fromCode(hex))) : css;
  for (const [, address, words = ''] of read.matchAll(ADDRESSES)) {
    if (address === undefined ? words.split(/[\s()"']+/).some((word) => urls.isExternal(word)) : urls.isExternal(address)) return true;
  }
  return false;
}

function fromCode(hex: string): string {
  const code = Number.parseInt(hex, 16);
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '\ufffd';
}
