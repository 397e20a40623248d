import type { WorkBudget } from '../pipeline/work-budget.ts';
import type { Part } from './look.ts';
import { isPlaceholder } from './passwords.ts';

/** Of Go: `user:password@tcp(host)/database`. */
export const GO_ADDRESSES = ['@tcp(', '@unix('];

/** Units around it in which the other settings are looked for. */
const AROUND = 200;

const SETTING = String.raw`(?:server|data source|host|hostname|address|addr|user id|userid|uid|user|username|database|initial catalog|driver|provider|dsn|dbname)`;

/** `Server=…;` before it or behind it: ADO.NET, ODBC, OLE DB. */
const BEFORE = new RegExp(`(?:^|[;"'\`\\s=>{])${SETTING}\\s?=[^;=\\n]{1,128};(?:[^;=\\n]{1,40}=[^;=\\n]{0,128};){0,12}$`, 'i');
const BEHIND = new RegExp(`^;\\s?${SETTING}\\s?=`, 'i');

/** `host=… user=… password=…` of libpq. What ends in a comma is an argument in a program: `user=None, password=None`. */
const WORDS_BEFORE = /(?:^|["'`\s=])(?:host|hostaddr|dbname|user|sslmode|port)=[^\s"'`=]{0,127}[^\s"'`=,(]\s$/;
const WORDS_BEHIND = /^\s(?:host|hostaddr|dbname|user|sslmode|port)=/;

/** The query of a URL of a store. */
const QUERY = /(?:jdbc:|(?:postgres(?:ql)?|mysql|mariadb|sqlserver|mongodb(?:\+srv)?|rediss?|amqps?|oracle):\/\/)[^\s"'`<>]{0,180}[?&;]$/i;

const NAME = /(?<![A-Za-z0-9_.-])(?:password|pwd)=$/i;
const VALUE = /(?:"((?:(?!\[REDACTED:)[^"\n]){1,256})"|'((?:(?!\[REDACTED:)[^'\n]){1,256})'|((?:(?!\[REDACTED:)[^;"'`\s<>&\\]){1,256}))/y;

/** A value without quotes, and what ends it. */
const END = /[^;"'`\s<>&\\]{1,256}[;"'`\s<>&\\]/y;

/**
 * The password that is set behind this `password=`, when what stands around it is a connection string. A `password=` alone is
 * no sign of one: in sources nearly every one is a name in a program.
 */
export function passwordInSettings(text: string, nameEnd: number, work: WorkBudget): Part | undefined {
  const name = NAME.exec(text.slice(Math.max(0, nameEnd - 10), nameEnd))?.[0];
  if (name === undefined) return undefined;
  const start = nameEnd - name.length;
  if (!mayBeSetting(text, { start, nameEnd })) return undefined;
  VALUE.lastIndex = nameEnd;
  const value = VALUE.exec(text)?.slice(1).find((group) => group !== undefined);
  // What a shell puts in is no password yet.
  if (value === undefined || isPlaceholder(value) || value.startsWith('$(')) return undefined;
  const isQuoted = /["']/.test(text[VALUE.lastIndex - 1] ?? '');
  const end = VALUE.lastIndex - (isQuoted ? 1 : 0);
  const around = { before: text.slice(Math.max(0, start - AROUND), start), behind: text.slice(VALUE.lastIndex, VALUE.lastIndex + 40) };
  return isConnection(around, work) ? { start: end - value.length, end } : undefined;
}

/** Whether a setting may stand before or behind it, by one unit at each end: most have neither, and the patterns look at hundreds. */
function mayBeSetting(text: string, { start, nameEnd }: { readonly start: number; readonly nameEnd: number }): boolean {
  if (start > 0 && /[;?&\s]/.test(text[start - 1] ?? '')) return true;
  if (/["']/.test(text[nameEnd] ?? '')) return true;
  END.lastIndex = nameEnd;
  const end = END.exec(text)?.[0].at(-1);
  return end !== undefined && /[;\s]/.test(end);
}

function isConnection({ before, behind }: { readonly before: string; readonly behind: string }, work: WorkBudget): boolean {
  if (BEHIND.test(behind) || WORDS_BEHIND.test(behind)) return true;
  // What stands before a mark was out of reach of the first look: a second must not find more.
  const line = behindLast(MARK, behindLast('\n', before));
  // By the last unit, which tells the three apart: a hostile text holds a hundred thousand such names.
  if (/\s$/.test(line)) return WORDS_BEFORE.test(line);
  // From each setting the pattern reads those behind it, and from each scheme the rest of the line.
  const [settings, schemes] = [line.split('=').length - 1, line.split(':').length - 1];
  work.spend(SETTINGS * settings * settings + SCHEME * schemes);
  return (line.endsWith(';') && BEFORE.test(line)) || (schemes > 0 && QUERY.test(line));
}

/** Steps of reading one setting from another, and one line from a scheme. */
const [SETTINGS, SCHEME] = [4, 200];

const MARK = '[REDACTED:';

/** From the last place of a word on; all of the text where it does not stand. `includes` costs a tenth of a look from the end. */
function behindLast(word: string, text: string): string {
  return text.includes(word) ? text.slice(text.lastIndexOf(word) + 1) : text;
}

const GO = /(?<=(?:^|[\s"'`=])[A-Za-z0-9_.%-]{1,64}:([^\s"'`]{1,128}))@(?:tcp|unix)\(/y;

/** The password before the `@tcp(` that stands here. */
export function passwordInGoAddress(text: string, at: number): Part | undefined {
  GO.lastIndex = at;
  const password = GO.exec(text)?.[1];
  return password === undefined || isPlaceholder(password) || password.includes('[REDACTED:') ? undefined : { start: at - password.length, end: at };
}
