import { foldedView } from './folded-view.ts';

/** Characters of query and fragment together; of one part of a path; of all three. In words even: a sentence of the conversation fits in. */
const MOST_QUERY = 256;
const MOST_BEHIND_HOST = 512;
const MOST_PATH_PART = 100;

/** Characters without meaning to a reader that one part may have. */
const MOST_OPAQUE = 40;

/** Says nothing that has to be judged, and nothing that has to be decoded. Most links are so. */
const SHORT = /^(?:https?:\/\/)?(?!\/\/)[^\0-\x20%&\\:@\x7f-\uffff]{0,39}$/;

const EXTERNAL = /^(?:[a-z][a-z0-9+.-]{0,31}:|[\\/]{2})/i;

/** A URL that leads away from the place where the text is shown: with a scheme, or `//host`. */
export function isExternal(url: string): boolean {
  if (EXTERNAL.test(url)) return true;
  return !SHORT.test(url) && [asBrowsersRead(url), asBrowsersRead(withoutEscapes(url))].some((read) => EXTERNAL.test(read));
}

/**
 * Whether a URL could carry out what a model was told: one of these holds.
 * - Its scheme is `javascript`, `vbscript` or `data`, or it has a user before its host.
 * - Query and fragment have more than 256 characters together, or one part of the path more than 100, or all that is behind the host more than 512.
 * - A part between `/ ? & = # . , ; :` has 40 characters or more and is not made of words: letters alone or digits alone,
 *   20 at most, joined by `-`, `_`, `+`, `~` or `%xx`. Up to 64 hexadecimal digits in the path are a digest, as in a link to a commit.
 */
export function carriesData(url: string): boolean {
  if (SHORT.test(url)) return false;
  return [url, withoutEscapes(url)].some((way) => holdsData(asBrowsersRead(way)));
}

function holdsData(read: string): boolean {
  if (/^(?:javascript|vbscript|data):/i.test(read)) return true;
  const [, authority = '', path = '', query = ''] = /^(?:[a-z][a-z0-9+.-]{0,31}:)?(?:[\\/]{2}([^\\/?#]*))?([^?#]*)(.*)$/is.exec(read) ?? [];
  if (authority.includes('@') || query.length > MOST_QUERY || path.length + query.length > MOST_BEHIND_HOST) return true;
  return partsOf(path).some((part) => part.length > MOST_PATH_PART || (isOpaque(part) && !/^(?:[0-9a-f]{40,64}|[0-9A-F]{40,64})$/.test(part)))
    || [...partsOf(query), ...partsOf(authority)].some(isOpaque);
}

/** As Markdown reads it: `https\://` is `https://`. */
function withoutEscapes(url: string): string {
  return url.includes('\\') ? url.replace(/\\([!-/:-@[-`{-~])/g, '$1') : url;
}

function partsOf(text: string): readonly string[] {
  return text.split(/[\\/?&=#.,;:]/);
}

function isOpaque(part: string): boolean {
  return part.length >= MOST_OPAQUE && !part.split(/[-_+~]|%[0-9a-f]{2}/i).every((word) => /^(?:\p{L}{0,20}|[0-9]{0,20})$/u.test(word));
}

/** Entities decoded, what cannot be seen left out: `java&#10;script:` is a scheme. Percent signs stay: they are the URL's own. */
function asBrowsersRead(url: string): string {
  const escaped = url.replaceAll('%', '%25');
  return (foldedView(escaped)?.text ?? escaped).replaceAll('%25', '%').replace(/[\s\p{Cc}]/gu, '');
}
