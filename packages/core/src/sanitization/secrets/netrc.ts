import type { Part } from './look.ts';
import { isPlaceholder } from './passwords.ts';

/** Units before its password in which an entry begins. */
const LONGEST_ENTRY = 400;

/** Without look at a mark: what stands behind one was beyond the reach of the first look, and a second must not find more. */
const VALUE = '(?:(?!\\[REDACTED:)\\S){1,256}';
const PAIRS = `(?:\\s{1,64}(?:login|user|account|port)\\s{1,16}${VALUE}){0,3}`;
const BEFORE = new RegExp(`(?<![^\\s"'\`])(?:machine\\s{1,16}${VALUE}|default)(${PAIRS})\\s{1,64}password\\s$`);
const PASSWORD = /\s{0,16}((?:(?!\[REDACTED:)\S){1,4096})(\s{1,64}(?:login|user)\s)?/y;

/**
 * The password behind this `password` and a space, when it is one of a netrc entry, wherever in a text: a machine with a
 * login *and* a password, in any order, is said in no other way. In the midst of a sentence the word says nothing.
 */
export function netrcPassword(text: string, nameEnd: number): Part | undefined {
  const before = text.slice(Math.max(0, nameEnd - LONGEST_ENTRY), nameEnd);
  const machine = Math.max(before.lastIndexOf('machine'), before.lastIndexOf('default'));
  if (machine === -1) return undefined;
  const pairs = BEFORE.exec(before.slice(Math.max(0, machine - 1)))?.[1];
  if (pairs === undefined) return undefined;
  PASSWORD.lastIndex = nameEnd;
  const [whole = '', password = '', login] = PASSWORD.exec(text) ?? [];
  if (password === '' || isPlaceholder(password) || (login === undefined && !/\s(?:login|user)\s/.test(pairs))) return undefined;
  const start = nameEnd + whole.indexOf(password);
  return { start, end: start + password.length };
}
