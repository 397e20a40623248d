import { Buffer } from 'node:buffer';
import { ownValue } from '../../json.ts';

/** Units. A header says a few words about the signature; longer ones are not used. */
const LONGEST_HEADER = 1_024;

/** Base64 of a brace and a quotation mark, a space, a tab or a line end: no JSON of an object begins in another way. */
const LETTER_E = 0x65;
const BEGINNING = /e(?:y[JA]|w[o0k])/y;

/** Payload and signature; the signature may be missing or cut off, an encrypted token has five parts. */
const REST = /\.[A-Za-z0-9_-]{2,1000000}(?:\.[A-Za-z0-9_-]{0,1000000}){0,3}/y;

export interface WordPart {
  readonly start: number;
  readonly wordEnd: number;
}

export function beginsAsHeader(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== LETTER_E) return false;
  BEGINNING.lastIndex = at;
  return BEGINNING.test(text);
}

/**
 * The end of the JSON Web Token (RFC 7519) that begins here, or undefined. Its header must reach to the end of the word
 * and decode to an object with `alg` or `typ`. What is no header is told by its first twelve units: text
 * made of `eyJ-` alone would else be decoded again from each of them.
 */
export function endOfJsonWebToken(text: string, { start, wordEnd }: WordPart): number | undefined {
  if (wordEnd - start > LONGEST_HEADER || text[wordEnd] !== '.') return undefined;
  if (!/^\{\s*"[A-Za-z0-9_]/.test(decode(text.slice(start, start + 12)))) return undefined;
  if (!isHeader(decode(text.slice(start, wordEnd)))) return undefined;
  REST.lastIndex = wordEnd;
  return REST.test(text) ? REST.lastIndex : undefined;
}

function decode(part: string): string {
  return Buffer.from(part, 'base64url').toString('latin1');
}

function isHeader(json: string): boolean {
  // What is refused by an exception costs twenty times as much: rows of it are told by what they lack.
  if (!json.trimEnd().endsWith('}') || !/"alg"|"typ"|\\u/.test(json)) return false;
  try {
    const header: unknown = JSON.parse(json);
    return ownValue(header, 'alg') !== undefined || ownValue(header, 'typ') !== undefined;
  } catch {
    return false;
  }
}
