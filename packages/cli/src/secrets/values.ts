import { Buffer } from 'node:buffer';
import { ADDRESS, isOrdinary, isPlaceholder, looksRandom } from './looks.ts';
import { cookiesOf, membersOf, readJson } from './members.ts';
import { claimOf, isCookie, isPlural, type Claim } from './names.ts';

/** Of a part of a value: a shorter one stands in ordinary texts. */
const SHORTEST_PART = 12;
/** Values in values: `HEADERS='{"Authorization":"Bearer x"}'`. */
const MOST_LEVELS = 4;

const SCHEME = /^(?:apikey|basic|bearer|bot|token)[ \t]+(?=\S{12})/i;

/**
 * What of a value is secret, by its name and by the names within it: the value as a whole, and each part that may come
 * back by itself. An ordinary word among them would be masked in every output: what only stands beside a secret is none.
 */
export function secretsIn(name: string, value: string, level = 0): readonly string[] {
  if (level > MOST_LEVELS) return [];
  const own = isClaimed(claimOf(name), value) ? partsOf(name, value) : [];
  const members = isCookie(name) && readJson(value) === undefined ? cookiesOf(value) : membersOf(value);
  const inner = members.flatMap(([inside, text]) => secretsIn(inside, text, level + 1));
  return [...new Set([...own, ...inner, ...inAddresses(value)])].filter((text) => text !== '');
}

function isClaimed(claim: Claim, value: string): boolean {
  if (claim === 'password' || SCHEME.test(value)) return !isPlaceholder(value);
  if (claim === 'none' || isPlaceholder(value) || isOrdinary(value)) return false;
  return claim === 'secret' || looksRandom(value);
}

/** A value, and what of it is the secret by itself: `Bearer x`, `user:x`, base64 of it, the lines of a key, the items of a list. */
function partsOf(name: string, value: string): readonly string[] {
  const whole = value.trim();
  if (readJson(whole) !== undefined) return [whole];
  const bare = whole.replace(SCHEME, '').replace(/^(["'])(.*)\1$/s, '$2');
  const lines = bare.split(/[\r\n]+|\\n/);
  const parts = lines.length > 1 ? lines.filter(isLineOfSecret) : itemsOf(name, bare);
  return [whole, bare, ...parts, ...passwordOf(bare), ...passwordOf(decodeBase64(bare))];
}

/** Not what stands around every key: its first line, its last, its headers. */
function isLineOfSecret(line: string): boolean {
  return line.length >= SHORTEST_PART && !/^-----|^[\w-]+: /.test(line);
}

function itemsOf(name: string, value: string): readonly string[] {
  const items = value.split(/[\s,;]+/);
  if (items.length === 1) return [];
  const isList = isPlural(name);
  const isItem = (item: string) => (isList || looksRandom(item)) && !/^[\w.-]+=[^=]/.test(item) && !isOrdinary(item);
  return items.filter((item) => item.length >= SHORTEST_PART && isItem(item));
}

/** Of `user:password`, both together too. */
function passwordOf(value: string): readonly string[] {
  const password = ADDRESS.test(value) ? undefined : /^[\x21-\x39\x3b-\x7e]+:([\x21-\x7e][\x20-\x7e]{11,})$/.exec(value)?.[1];
  return password === undefined || isOrdinary(password) ? [] : [value, password];
}

function decodeBase64(value: string): string {
  return /^[A-Za-z0-9+/_-]{12,}={0,2}$/.test(value) ? Buffer.from(value, 'base64').toString('latin1') : '';
}

/** The password and the query of an address: `postgres://app:x@db`, `https://h/mcp?api_key=x`; a user without a password may be a token. */
function inAddresses(value: string): readonly string[] {
  return [value, ...value.split(/[\s,]+/)].filter((text) => ADDRESS.test(text)).flatMap((text) => {
    const url = URL.parse(text);
    if (url === null) return [];
    const { username, password, searchParams } = url;
    const user = password === '' && looksRandom(username) ? username : '';
    const queried = [...searchParams].filter(([name, inside]) => isClaimed(claimOf(name), inside)).map(([, inside]) => inside);
    return [password, decode(password), user, ...queried];
  });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
