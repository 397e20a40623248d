import type { Part } from './look.ts';

/** What leads to a password among other words. Its last units are rare: by the first ones the engine would stop in every line. */
export const PASSWORD_NAME = /sword[=\s]|SWORD=|;[Pp][Ww][Dd]=/g;

/** `://`, also as PHP writes it in JSON. */
const SLASHES = String.raw`:\\{0,4}/\\{0,4}/`;
const HOST = String.raw`@(?=[A-Za-z0-9._[%$-])`;

/** A name, which may be empty, and a password in front of a host: tokens as passwords are long. No look across a mark of devs. */
const CREDENTIALS = new RegExp(`${SLASHES}[^\\s:/?#@"'<>\`\\\\[\\]]{0,128}:((?:(?!\\[REDACTED:)[^\\s/?#"'<>\`]){1,4096})${HOST}`, 'y');

/** No password may hold these, and yet in files of settings some do. No look beyond the next `://`: rows of it are read once. */
const UNESCAPED = new RegExp(`${SLASHES}[^\\s:/?#@"'<>\`\\\\[\\]]{1,128}:((?:(?!\\[REDACTED:|${SLASHES})[^\\s@"'<>\`]){1,256})${HOST}`, 'y');

/** What stands for a password in documentation and templates. */
const PLACEHOLDER =
  /^(?:\$[A-Z_][A-Z0-9_]*|\$[a-z_]+|%[A-Z_]*%|%s|[{[(].*[}\])]|[*\u2022\u2026.]+|x+|-+|(?:your|my|the|some)?[_-]?(?:db[_-]?)?(?:pass|passwd|password|pwd|pw|secret|token|key)(?:[_-]?here)?)$/i;

/** The password in the `scheme://user:password@host` whose `://` stands here. */
export function passwordInUrl(text: string, at: number): Part | undefined {
  if (!/[A-Za-z0-9]/.test(text[at - 1] ?? '')) return undefined;
  return match(CREDENTIALS, text, at) ?? unescapedPassword(text, at);
}

/** Schemes of stores and queues, as far as `://`. */
const STORE = /^(?:postgres|pgsql|mysql|mariadb|mongodb|redis|amqp|mssql|sqlserver|oracle|cockroach|clickhouse|nats|kafka|ldap|s?ftp|smtp)/i;
const LONGEST_SCHEME = 24;

/** Of stores and queues alone: `https://host:8080/users/@me` holds no password. */
function unescapedPassword(text: string, at: number): Part | undefined {
  let start = at;
  while (start > 0 && at - start < LONGEST_SCHEME && isOfScheme(text.charCodeAt(start - 1))) start -= 1;
  if (!STORE.test(text.slice(start, at))) return undefined;
  const found = match(UNESCAPED, text, at);
  return found !== undefined && !/^\d{0,5}(?:[/?#]|$)/.test(text.slice(found.start, found.start + 8)) ? found : undefined;
}

/** Letters, digits, `+`, `-` and `.`. */
function isOfScheme(unit: number): boolean {
  const letter = unit | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || unit === 0x2b || unit === 0x2d || unit === 0x2e;
}

function match(pattern: RegExp, text: string, at: number): Part | undefined {
  pattern.lastIndex = at;
  const password = pattern.exec(text)?.[1];
  if (password === undefined || isPlaceholder(password)) return undefined;
  return { start: pattern.lastIndex - 1 - password.length, end: pattern.lastIndex - 1 };
}

export function isPlaceholder(password: string): boolean {
  return PLACEHOLDER.test(password) || /\$\{|\{\{/.test(password);
}

const SIGNATURE = /(?:[&?](?:amp;)?|\\u0026)sig=([A-Za-z0-9%+/]{40,200}={0,2})/y;

/** What leads to it; Go writes `&` as `\u0026` in JSON. */
export const SIGNATURES = ['&sig=', '?sig=', '&amp;sig=', '\\u0026sig='];

/** `sig` of an Azure shared access signature: whoever holds the URL may use it. */
export function signatureInUrl(text: string, at: number): Part | undefined {
  SIGNATURE.lastIndex = at;
  const signature = SIGNATURE.exec(text)?.[1];
  return signature === undefined ? undefined : { start: SIGNATURE.lastIndex - signature.length, end: SIGNATURE.lastIndex };
}
