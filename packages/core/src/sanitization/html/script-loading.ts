import type { UrlReader } from './url-data.ts';

/** An address where a string begins, also in HTML or CSS that a script writes. `// ` is a comment. */
const ADDRESS = /(?:["'`=]|url\() *(?:(?:[a-z][a-z0-9+.-]{0,31}:)?\/\/(?! )|(?:http|ws)s?:)/i;

/** An opening tag of data. Of two attributes `type` the first one counts. */
const OF_DATA = /^<script(?:\s+(?!type=)[\w-]+=(?:"[^"<>]*"|[\w-]+))*\s+type=("?)application\/(?:[\w-]+\+)?json\1[\s>]/i;

/** True for the opening tag of a script that does not run: what it holds is JSON. */
export function isOfData(tag: string): boolean {
  return OF_DATA.test(tag);
}

/** Escapes that a URL is read without, and those that stand for a sign itself. */
const ESCAPES = /\\(?:\r\n|[bfnrtv\n\r\u2028\u2029]|([^ux0-7]))/g;

/**
 * The text of `<script>`: by the addresses that it names. With an escape in numbers it may say anything; behind `<!--` its
 * end may be none, `<!--<script></script>`.
 */
export function loadsByScript(code: string, urls: UrlReader): boolean {
  const read = urls.decodeEntities(code).replace(ESCAPES, '$1');
  const hidesEnd = code.lastIndexOf('<!--') > code.lastIndexOf('-->');
  return hidesEnd || read.includes('\\') || ADDRESS.test(read.replace(/[\t\n\r]/g, ''));
}
