import type { WorkBudget } from '../pipeline/work-budget.ts';
import type { Part } from './look.ts';
import { isPlaceholder } from './passwords.ts';

/** Units before its password in which an entry begins. */
const LONGEST_ENTRY = 400;
/** Steps of reading an entry: its values and remarks may be read in several ways. */
const ENTRY = 1_200;
/** Units before an entry that say whether it is one. */
const LEFT = 32;
/** Places where the entry may begin that are tried: `login machine-user` holds one that is none. */
const MOST_BEGINNINGS = 4;

const KEYWORD = 'login|user|account|password|port|machine|default|macdef';
/** A line end as strings of programs write it. */
const ESCAPED = String.raw`\\{1,4}[nrt](?=${KEYWORD}|[\s"'${'`'}\\#]|$)`;
/** As a page writes it. */
const BREAK = String.raw`<br ?\/?>`;
/** From one string of a list of lines to the next. */
const NEXT_STRING = String.raw`\\{0,4}"\s{0,8},\s{0,8}\\{0,4}"`;
/** Without look at a mark: what stands behind one was beyond the reach of the first look, and a second must not find more. */
const UNIT = String.raw`(?!\[REDACTED:|${ESCAPED}|${BREAK}|${NEXT_STRING})\S`;
const VALUE = String.raw`(?:\\{0,4}"(?:(?!\[REDACTED:)[^"\n]){1,128}"|(?!(?:login|password|account|port|machine|macdef|\|)\s)(?:${UNIT}){1,256})`;
const GAP = String.raw`(?:\s|${ESCAPED}|${BREAK}|${NEXT_STRING}){1,64}(?:#(?:(?!\[REDACTED:)[^\n]){0,128}\n\s{0,64}){0,4}`;
const BEFORE = new RegExp(`(?:machine\\s{1,16}(?<machine>${VALUE})|default)(?<pairs>(?:${GAP}(?:login|user|account|port)\\s{1,16}${VALUE}){0,3})${GAP}password\\s$`, 'y');

/** At the beginning of a line, or of what a program writes into the file. */
const BEGINNING = /(?:[\n"'`+>|:(=-]|\\[nrt]|\n[ \t]{0,8}\d{1,6}\t|\becho|\s-[a-z])[ \t]{0,16}$/;

const QUOTED = String.raw`(?<mark>\\{0,4}["'])(?<quoted>(?!\k<mark>)(?:(?!\k<mark>)(?:\\.|[^\\\n])){0,1024}(?:\\(?=\k<mark>))?)\k<mark>`;
/** Not the quotes of a string that the entry stands in, nor what closes a page. */
const END = String.raw`(?=\s|$|<\/|${BREAK}|${ESCAPED}|\\{0,4}["'${'`'}](?:[\s,;)\]}]|$))`;
const PASSWORD = new RegExp(String.raw`\s{0,16}(?:${QUOTED}|(?<bare>(?:${UNIT}){1,4096}?)${END})`, 'y');

/** A sentence goes on with a word. Words of an entry do not make it one; a mark may stand for a word that the first look saw. */
const BEHIND = /[ \t]{1,64}(?:(?<keyword>login|user|account|port|machine|default|macdef)(?!\S)|[A-Za-z0-9]|\[REDACTED:)|\s{1,64}(?<login>login|user)\s/y;

/** As sentences hold them: `field`, `SHA`, `field's`, `set-up.`, `12`. */
const WORD = /^[("']?(?:[A-Z]?[a-z]+|[A-Z]+|\d{1,3})(?:[-'’./][A-Za-z]?[a-z]+)?[.,;:!?)"']{0,3}$/;

/** What a program or a reader puts a password in the place of: `<password>`, `$(pass h)`, `' + token + '`. */
const TO_BE_FILLED = /^(?:<[^<>]*>|\$\(.*|[!-/:-@[-`{-~]{0,3}|\s*[+.,&]\s.*)$/s;

/**
 * The password behind this `password` and a space, when it is one of a netrc entry: a machine with a login *and* a
 * password, in any order. A password that is no word tells by itself that this is no sentence, whatever a log or a
 * variable puts before it and whatever follows. A word is one from the beginning of a line, with nothing but the
 * other words of an entry behind it.
 */
export function netrcPassword(text: string, nameEnd: number, work: WorkBudget): Part | undefined {
  const found = passwordAt(text, nameEnd);
  if (found === undefined) return undefined;
  const password = text.slice(found.start, found.end);
  if (isPlaceholder(password) || TO_BE_FILLED.test(password)) return undefined;
  const isWord = WORD.test(password);
  if ((isWord && found.goesOn) || !isEntryBefore(text, nameEnd, { isWord, isBeforeLogin: found.isBeforeLogin, work })) return undefined;
  return { start: found.start, end: found.end };
}

interface Password extends Part {
  readonly isBeforeLogin: boolean;
  /** A word is behind it, or may have been: what stands there goes on. */
  readonly goesOn: boolean;
}

function passwordAt(text: string, nameEnd: number): Password | undefined {
  PASSWORD.lastIndex = nameEnd;
  const match = PASSWORD.exec(text);
  const { quoted, mark = '', bare = '' } = match?.groups ?? {};
  // In quotes until they end, marks or not: it must not be taken for a bare one by a second look.
  if (match === null || quoted?.includes('[REDACTED:') === true) return undefined;
  const end = PASSWORD.lastIndex - mark.length;
  BEHIND.lastIndex = PASSWORD.lastIndex;
  const behind = BEHIND.exec(text);
  const word = behind?.groups?.['keyword'] ?? behind?.groups?.['login'];
  return {
    start: end - (quoted ?? bare).length,
    end,
    isBeforeLogin: /^(?:login|user)$/.test(word ?? ''),
    goesOn: behind !== null && word === undefined,
  };
}

interface Sought {
  readonly isWord: boolean;
  readonly isBeforeLogin: boolean;
  readonly work: WorkBudget;
}

const LOGIN = /(?:\s|\\[nrt]|[>"])(?:login|user)\s/;

/** True from the beginning of an entry to its password, with a login there or behind it. */
function isEntryBefore(text: string, nameEnd: number, { isWord, isBeforeLogin, work }: Sought): boolean {
  const from = Math.max(0, nameEnd - LONGEST_ENTRY);
  const before = text.slice(from, nameEnd);
  let at = before.length;
  for (let count = 0; count < MOST_BEGINNINGS && at > 0; count += 1) {
    at = Math.max(before.lastIndexOf('machine', at - 1), before.lastIndexOf('default', at - 1));
    if (at === -1) return false;
    work.spend(ENTRY);
    BEFORE.lastIndex = at;
    const { machine, pairs } = BEFORE.exec(before)?.groups ?? {};
    if (pairs === undefined || !(isBeforeLogin || LOGIN.test(pairs))) continue;
    if (!isWord || (isBeginning(text, from + at) && !isSentence(before.slice(at), machine))) return true;
  }
  return false;
}

function isBeginning(text: string, at: number): boolean {
  const left = text.slice(Math.max(0, at - LEFT), at);
  return BEGINNING.test(at < LEFT ? `\n${left}` : left);
}

/**
 * In one line, with words alone: `default login shell password`, `machine id, login name, password`, and `machine learning
 * user study password`: `user` is no word of a netrc but of some readers of it.
 */
function isSentence(entry: string, machine: string | undefined): boolean {
  if (/\n|\\[nr]|<br/.test(entry)) return false;
  return machine === undefined || /[,;:]$/.test(machine) || (/^[a-z]+$/.test(machine) && /[ \t]user[ \t]+[a-z]+[ \t]+password/.test(entry));
}
