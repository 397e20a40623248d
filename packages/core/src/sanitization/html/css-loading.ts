import type { UrlReader } from './url-data.ts';

/** Escapes of CSS: `\75rl(` is `url(`. One before a line end stands for nothing, and neither do line ends in a URL. */
const ESCAPES = /\\(?:([0-9a-f]{1,6})[ \t\r\n\f]?|([^]))/gi;

/** Steps of the work budget for a unit of what may hold escapes. */
const ESCAPED = 4;

/** What stands in `url(…)`. */
const ADDRESSES = /(?:url|src|image)\(\s*["']?([^"'()]*)/gi;

/** Without one of these no string is an address: it is loaded, it is one of a set, or a property brings it to where it is. */
const LOADS_STRINGS = /@import|set\(|--[^\s>]/i;

/** The first word of each, and of what stands between two: no address has a space before its colon. */
const STRINGS = /["']\s*([^"' ]*)/g;

/** Without both of these no value is CSS that loads; in entities and escapes too. */
const OPENING = /\(|&(?:lpar|#)/i;
const FUNCTION = /(?:url|src|image|set)\(|[&\\]/i;

/** What stands before a string that is compared or shown: `[href^="https:"]`, `{content: "Note: "}`. */
const SAID = /(?:=|[;{]\s*content\s*:)\s*$/i;
const MOST_SAID = 64;

/** The attribute `style`, or a line of code. With an escape it may say anything; else by what stands between brackets or quotes. */
export function loadsByStyle(style: string, urls: UrlReader): boolean {
  const read = urls.decodeEntities(style);
  if (read.includes('\\')) return true;
  for (const { 1: part = '' } of read.matchAll(/[()"'`]\s*([^()"'`]*)/g)) if (urls.isExternal(part)) return true;
  return false;
}

/** Any attribute: SVG has dozens that may be `url(…)`. */
export function loadsByUrl(value: string, urls: UrlReader): boolean {
  if (!OPENING.test(value) || !FUNCTION.test(value)) return false;
  const read = withoutEscapes(urls.decodeEntities(value), urls);
  return loadsByFunction(read, urls) || loadsByString(read, urls, false);
}

/** The text of `<style>`: as HTML reads it, and as SVG does, where entities count. */
export function loadsByStyleElement(css: string, urls: UrlReader): boolean {
  return loadsByCss(css, urls) || (css.includes('&') && loadsByCss(urls.decodeEntities(css), urls));
}

function loadsByCss(css: string, urls: UrlReader): boolean {
  const read = withoutEscapes(css, urls);
  return loadsByFunction(read, urls) || loadsByString(read, urls, read === css);
}

function loadsByFunction(read: string, urls: UrlReader): boolean {
  for (const [, address = ''] of read.matchAll(ADDRESSES)) if (urls.isExternal(address)) return true;
  return false;
}

/**
 * Any string: `@import` and `image-set(` load what they name, and that may stand in another declaration, `--x: "https://…"`.
 * Behind any quote, since a comment may hold one of a pair.
 * @param mayBeSaid false where an escape may hide what stands before
 */
function loadsByString(read: string, urls: UrlReader, mayBeSaid: boolean): boolean {
  if (!LOADS_STRINGS.test(read)) return false;
  for (const { 1: word = '', index } of read.matchAll(STRINGS)) {
    if (urls.isExternal(word) && !(mayBeSaid && isSaid(read, index, urls))) return true;
  }
  return false;
}

function isSaid(read: string, index: number, urls: UrlReader): boolean {
  urls.work.spend(MOST_SAID);
  return SAID.test(read.slice(Math.max(0, index - MOST_SAID), index));
}

function withoutEscapes(css: string, urls: UrlReader): string {
  if (!css.includes('\\')) return css;
  urls.work.spend(ESCAPED * css.length);
  return css.replace(ESCAPES, (_, hex: string | undefined, unit: string) => (hex === undefined ? unit : fromCode(hex)));
}

function fromCode(hex: string): string {
  const code = Number.parseInt(hex, 16);
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '\ufffd';
}
