import type { Part } from './look.ts';
import { distinctUnits, turnsIn } from './secret-rule.ts';

/** What leads to a header, in any spelling: `Cookie: `, `"set-cookie":["`. Its last units are rare, see `PASSWORD_NAME`. In a mark of devs it leads to none. */
export const COOKIE_NAME = /(?<!\[REDACTED:secret:c)ookie["'\\\]]{0,5}:/g;

/** Between the name and the first cookie: quotes and brackets of JSON, lists, programs. */
const BEGINNING = /\s{0,8}[\\"'`[]{0,8}/y;

/** One cookie, or one of its attributes. Without a colon, so that no two headers look at the same units. */
const COOKIE = /([ \t]{0,2}[A-Za-z0-9!#$%&*+.^_|~-]{1,128}=(?:\\{0,4}")?)((?:[A-Za-z0-9._~+=!*|-]|%[0-9A-Fa-f]{2}|\\{0,4}\/){0,4096})(?:\\{0,4}")?/y;
const NEXT = /(?:;|%3[bB])/y;
const MOST_COOKIES = 64;

/** Units. Names, numbers of versions, languages, dates are shorter or go in other ways. */
const SHORTEST_SESSION = 20;

/** Values of the header behind its name here that look like sessions (the cookies of documentation are words), and where it was read to. */
export function sessionsBehind(text: string, nameEnd: number): { readonly found: readonly Part[]; readonly end: number } {
  const found: Part[] = [];
  let end = endOf(BEGINNING, text, nameEnd) ?? nameEnd;
  for (let count = 0; count < MOST_COOKIES; count += 1) {
    COOKIE.lastIndex = end;
    const [whole, name, value] = COOKIE.exec(text) ?? [];
    if (whole === undefined || name === undefined || value === undefined) break;
    const start = end + name.length;
    if (isSession(value)) found.push({ start, end: start + value.length });
    end += whole.length;
    const next = endOf(NEXT, text, end);
    if (next === undefined) break;
    end = next;
  }
  return { found, end };
}

/**
 * Letters and digits that take turns as in no word, date or number. Judged by its beginning alone: when something behind
 * that is masked, a second look must not find more.
 */
function isSession(value: string): boolean {
  if (value.length < SHORTEST_SESSION) return false;
  const beginning = value.slice(0, SHORTEST_SESSION).replace(/%..|[^A-Za-z0-9]/g, '');
  return /\d\D*\d/.test(beginning) && /[A-Za-z]/.test(beginning) && distinctUnits(beginning) >= 8 && turnsIn(beginning) >= 5;
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
