import { isOpen, lastRunBeforeEnd, lineBeginning, nextLongRun, RUN, runsBefore, WIDEST_GAP, type KeyLine } from './key-runs.ts';
import { LOOK, type Look, type Part } from './look.ts';
import { turnsIn } from './secret-rule.ts';
import { isIn, tableOf } from '../pipeline/unit-table.ts';
import { WorkBudget } from '../pipeline/work-budget.ts';

/** A text, and the budget for what is looked at in it: keys that are none come in rows, and each is gone after further than it is long. */
type Looked = Pick<Look, 'text' | 'work'>;

/** A space, also as forms write it. */
const SPACE = '(?: |%20|\\+)';

/** The line that a private key begins or ends with; `---- BEGIN SSH2 …` has four dashes. */
const line = (word: string) =>
  new RegExp(`(?<=-{4,5}${SPACE}?${word}${SPACE}(?:[A-Z0-9]{1,16}${SPACE}){0,3})PRIVATE${SPACE}KEY(?:${SPACE}BLOCK)?${SPACE}?-{4,5}`, 'y');
const HEADER = line('BEGIN');
const FOOTER = line('END');

/** The literal that leads to both. */
export const PRIVATE = 'PRIVATE';

/** Between two lines of a key: line ends, also as the text `\n`; quotes, commas and pluses of programs; marks of quotes and diffs. */
const BETWEEN =
  /(?:\\[nrt]|\\u000[adAD]|%0[adAD]|&#(?:1[03]|[xX]0?[adAD]);|<br ?\/?>|[\s"'`\\,;|>*#]|\$(?=\s)|-(?!-)|\+(?=[\s"'`])|\/\/(?=\s)|\d{1,6}[:|\t](?=[\sA-Za-z+/])){0,256}/y;

/** `Proc-Type: 4,ENCRYPTED`, `Version: …`; the text of a line may end in a literal `\n`. */
const HEADER_LINE = /[A-Za-z][A-Za-z-]{2,30}: (?:(?!<br|&#|%0)[^\n\\]){0,200}/y;

/** Units. A shorter line is one of a key only as its last. */
const SHORTEST_LINE = 16;
const MOST_HEADER_LINES = 8;
/** Units that are looked at behind the last line, for a shorter one before the END. */
const LAST_LINES = 512;
const ENDS = new RegExp(`^[^-]*-{4,5}${SPACE}?END${SPACE}`);
/** Of how a line end is written, one unit. */
const LINE_END = /[\n\\<&%]/;

/** Units. What is shorter and goes as the words of a name do is one: `'-----BEGIN …' + privateKeyLines`. */
const SURE_LINE = 40;

/**
 * The body of the private key whose `PRIVATE KEY` stands here: the base64-looking lines after its header, whether an END
 * comes or not (a key that was cut off is a key), and those before an END without a header. Undefined when there are none.
 * @param low where the last key ended: rows of headers and ends are gone over once
 * @throws DevsError `OUTPUT_WITHHELD`
 */
export function privateKeyBody(looked: Look, at: number, low: number): Part | undefined {
  const { text, work } = looked;
  HEADER.lastIndex = at;
  if (HEADER.test(text)) return keyFrom(looked, firstLine(looked, skipHeaderLines(looked, HEADER.lastIndex)));
  FOOTER.lastIndex = at;
  if (!FOOTER.test(text)) return undefined;
  if (isWithoutLongRun(looked, low, at)) return undefined;
  work.spend(at - low);
  return runsBefore(text, text.lastIndexOf('END', at), low);
}

/** The name of the last part of a PuTTY key. */
export const PRIVATE_LINES = 'Private-Lines';
const COUNT = /: \d{1,4}/y;

/** The lines behind a `Private-Lines` that ends here, when a count follows: no header lines stand between. */
export function puttyKeyBody(look: Look, nameEnd: number): Part | undefined {
  const countEnd = matchEnd(COUNT, look, nameEnd);
  if (countEnd === undefined) return undefined;
  const at = skipBetween(look, countEnd);
  return keyFrom(look, lineAt(look, at, '') ?? (longRunFrom(look, nameEnd) <= at + WIDEST_GAP ? nextLongRun(look, at) : undefined));
}

/** What a long run may hold: base64, and how some of its units are escaped. Behind an escape a run begins later. */
const IN_RUN = tableOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=%\\');

/** The next run of 40, from its beginning. What does not fit at the end of a window skips the window. */
function findLongRun(text: string, from: number): number {
  let first = from;
  if (isIn(IN_RUN, text, from - 1)) while (isIn(IN_RUN, text, first)) first += 1;
  for (let last = first + SURE_LINE - 1; last < text.length; last = first + SURE_LINE - 1) {
    let at = last;
    while (at >= first && isIn(IN_RUN, text, at)) at -= 1;
    if (at < first) return first;
    first = at + 1;
  }
  return text.length;
}

/** Where one begins from here on, at the earliest. Asked from left to right, it goes over the text once: names come in rows. */
function longRunFrom(look: Look, from: number): number {
  if (look.longRun >= from) return look.longRun;
  look.longRun = findLongRun(look.text, from);
  look.work.spend(2 * (look.longRun - from));
  return look.longRun;
}

/** True when no run as long as a line of a key stands in a part, or reaches into it. */
function isWithoutLongRun(look: Look, start: number, end: number): boolean {
  return !isIn(IN_RUN, look.text, start - 1) && longRunFrom(look, start) >= end;
}

/** From here on, or behind what no key holds. */
function firstLine(looked: Looked, at: number): KeyLine | undefined {
  return lineAt(looked, at, '') ?? nextLongRun(looked, at);
}

/** Where the lines begin that are not masked, and where the last of all ends. */
interface KeyLines {
  readonly start: number | undefined;
  readonly end: number;
}

/** The key whose first line is this one, and what stands between its lines. Of lines that were masked before, what is behind. */
function keyFrom({ text, work }: Looked, first: KeyLine | undefined): Part | undefined {
  if (first === undefined) return undefined;
  const { start, end } = linesFrom({ text, work }, first);
  work.spend(LAST_LINES);
  const last = lastRunBeforeEnd(text, end) ?? end;
  if (start !== undefined) return { start, end: last };
  return last > end && ENDS.test(text.slice(last, last + LAST_LINES)) ? { start: lineBeginning(text, end, last), end: last } : undefined;
}

/** True when a key whose header stands anywhere before this text would go on where the text ends. */
export function isKeyToItsEnd(text: string): boolean {
  const looked = { text, work: new WorkBudget(Number.POSITIVE_INFINITY) };
  const first = matchEnd(RUN, looked, 0) ?? 0;
  const { end } = linesFrom(looked, { start: 0, end: first });
  return end > first && isOpen(text.slice(end));
}

/** This one, and all that follow. */
function linesFrom(looked: Looked, first: KeyLine): KeyLines {
  let start = first.isMasked ? undefined : first.start;
  let last = first;
  for (let next = nextLine(looked, last); next !== undefined; next = nextLine(looked, last)) {
    if (!next.isMasked) start ??= lineBeginning(looked.text, last.end, next.start);
    last = next;
  }
  return { start, end: last.end };
}

/** Behind what was masked a long one alone: words that another rule ended there were no line in the first look, and are none now. */
function nextLine(looked: Looked, { end, isMasked }: KeyLine): KeyLine | undefined {
  if (isMasked) return nextLongRun(looked, end);
  const next = skipBetween(looked, end);
  return lineAt(looked, next, looked.text.slice(end, next)) ?? nextLongRun(looked, end);
}

/** The line of a key that stands here, after `between`: with nothing there it is the first one. */
function lineAt(looked: Looked, start: number, between: string): Part | undefined {
  const end = matchEnd(RUN, looked, start);
  return end !== undefined && isKeyLine(looked, { start, end }, between) ? { start, end } : undefined;
}

/** Each is a line of its own: in a row of names without a line end, each name would be the first of eight lines of the longest. */
function skipHeaderLines(looked: Looked, from: number): number {
  let at = skipBetween(looked, from);
  for (let count = 0; count < MOST_HEADER_LINES; count += 1) {
    const end = matchEnd(HEADER_LINE, looked, at);
    if (end === undefined) break;
    at = skipBetween(looked, end);
    if (!LINE_END.test(looked.text.slice(end, at))) break;
  }
  return at;
}

function skipBetween(looked: Looked, from: number): number {
  return matchEnd(BETWEEN, looked, from) ?? from;
}

/** Short lines end a key: padded, before its END, or on a line of their own where the text ends: a key that was cut off. */
function isKeyLine(looked: Looked, line: Part, between: string): boolean {
  const { text } = looked;
  if (line.end - line.start >= SHORTEST_LINE && !isName(text, line)) return true;
  const isFirst = between === '';
  if (isFirst || text[line.end - 1] === '=' || text[line.start] === '=') return !isFirst || line.end === text.length;
  const next = skipBetween(looked, line.end);
  return text.startsWith('----', next) || (next === text.length && /\n|\\n/.test(between));
}

function isName(text: string, { start, end }: Part): boolean {
  const name = end - start < SURE_LINE && end < text.length ? text.slice(start, end) : '';
  return /^[A-Za-z0-9]+$/.test(name) && turnsIn(name) <= name.length / 3;
}

function matchEnd(pattern: RegExp, { text, work }: Looked, at: number): number | undefined {
  pattern.lastIndex = at;
  const end = pattern.test(text) ? pattern.lastIndex : undefined;
  work.spend(2 * (LOOK + (end ?? at) - at));
  return end;
}
