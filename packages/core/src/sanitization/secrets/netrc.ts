import type { Part } from './look.ts';
import { isPlaceholder } from './passwords.ts';

/** Units before its password in which an entry begins. */
const LONGEST_ENTRY = 400;
/** Units before an entry that say whether it is one. */
const LEFT = 32;
/** Places where the entry may begin that are tried: `login machine-user` holds one that is none. */
const MOST_BEGINNINGS = 4;

const WORD = 'login|user|account|password|port|machine|default|macdef';
/** A line end as strings of programs write it. */
const ESCAPED = String.raw`\\{1,4}[nrt](?=${WORD}|[\s"'${'`'}\\#]|$)`;
/** Without look at a mark: what stands behind one was beyond the reach of the first look, and a second must not find more. */
const UNIT = String.raw`(?!\[REDACTED:|${ESCAPED})\S`;
const VALUE = String.raw`(?!(?:login|password|account|port|machine|macdef|\|)\s)(?:${UNIT}){1,256}`;
const GAP = String.raw`(?:\s|${ESCAPED}){1,64}(?:#[^\n[]{0,128}\n\s{0,64}){0,4}`;
const BEFORE = new RegExp(`(?:machine\\s{1,16}(?<machine>${VALUE})|default)(?<pairs>(?:${GAP}(?:login|user|account|port)\\s{1,16}${VALUE}){0,3})${GAP}password\\s$`, 'y');

/** At the beginning of a line, or of what a program writes into the file. In the midst of a sentence these words say nothing. */
const BEGINNING = /(?:[\n"'`+>|:(-]|\\[nrt]|\n[ \t]{0,8}\d{1,6}\t|\becho|\s-[a-z])[ \t]{0,16}$/;

const QUOTED = String.raw`(?<mark>\\{0,4}["'])(?<quoted>(?:(?!\[REDACTED:|\k<mark>)(?:\\.|[^\n])){1,1024})\k<mark>`;
/** Not the quotes of a string that the entry stands in, nor what closes a page. */
const END = String.raw`(?=\s|$|<\/|\[REDACTED:|${ESCAPED}|\\{0,4}["'${'`'}](?:[\s,;)\]}]|$))`;
const PASSWORD = new RegExp(String.raw`\s{0,16}(?:${QUOTED}|(?<bare>(?:${UNIT}){1,4096}?)${END})`, 'y');

/** A sentence goes on with a word. Words of an entry do not make it one; a mark may stand for a word that the first look saw. */
const BEHIND = /[ \t]{1,64}(?:(?<keyword>login|user|account|port|machine|default|macdef)(?!\S)|[A-Za-z0-9]|\[REDACTED:)|\[REDACTED:|\s{1,64}(?<login>login|user)\s/y;

/**
 * The password behind this `password` and a space, when it is one of a netrc entry: a machine with a login *and* a
 * password, in any order, from the beginning of a line, and nothing but its other words behind it.
 */
export function netrcPassword(text: string, nameEnd: number): Part | undefined {
  const found = passwordAt(text, nameEnd);
  const entry = found && entryBefore(text, nameEnd, found.isBeforeLogin);
  if (found === undefined || entry === undefined) return undefined;
  const password = text.slice(found.start, found.end);
  return isPlaceholder(password) || isSentence(entry, password) ? undefined : { start: found.start, end: found.end };
}

interface Password extends Part {
  readonly isBeforeLogin: boolean;
}

/** Undefined when a sentence goes on behind it. */
function passwordAt(text: string, nameEnd: number): Password | undefined {
  PASSWORD.lastIndex = nameEnd;
  const match = PASSWORD.exec(text);
  if (match === null) return undefined;
  const { quoted, mark = '', bare = '' } = match.groups ?? {};
  const end = PASSWORD.lastIndex - mark.length;
  BEHIND.lastIndex = PASSWORD.lastIndex;
  const behind = BEHIND.exec(text);
  const { keyword, login } = behind?.groups ?? {};
  if (behind !== null && keyword === undefined && login === undefined) return undefined;
  return { start: end - (quoted ?? bare).length, end, isBeforeLogin: LOGIN.test(`\n${keyword ?? login ?? ''} `) };
}

interface Entry {
  readonly machine: string | undefined;
  readonly pairs: string;
}

const LOGIN = /(?:\s|\\[nrt])(?:login|user)\s/;

/** From its beginning to its password, with a login there or behind it. */
function entryBefore(text: string, nameEnd: number, isBeforeLogin: boolean): Entry | undefined {
  const from = Math.max(0, nameEnd - LONGEST_ENTRY);
  const before = text.slice(from, nameEnd);
  let at = before.length;
  for (let count = 0; count < MOST_BEGINNINGS && at > 0; count += 1) {
    at = Math.max(before.lastIndexOf('machine', at - 1), before.lastIndexOf('default', at - 1));
    if (at === -1) return undefined;
    BEFORE.lastIndex = at;
    const { machine, pairs } = BEFORE.exec(before)?.groups ?? {};
    if (pairs !== undefined && (isBeforeLogin || LOGIN.test(pairs)) && isBeginning(text, from + at)) return { machine, pairs };
  }
  return undefined;
}

function isBeginning(text: string, at: number): boolean {
  const left = text.slice(Math.max(0, at - LEFT), at);
  return BEGINNING.test(at < LEFT ? `\n${left}` : left);
}

/** `machine learning user study password managers`: `user` is no word of a netrc but of some readers of it, and no value looks like one. */
function isSentence({ machine = '', pairs }: Entry, password: string): boolean {
  return /^[a-z]*$/.test(machine) && /^[ \t]+user[ \t]+[a-z]+$/.test(pairs) && /^[a-z]+[.,;:!?)]?$/.test(password);
}
