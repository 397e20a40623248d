import { isIn, tableOf } from '../pipeline/unit-table.ts';
import { LOOK, type Look, type Part } from './look.ts';
import { escapeInto } from './rule-index.ts';

/** One unit of base64; in forms and in JSON of PHP some are escaped. */
const UNIT = String.raw`(?:[A-Za-z0-9+/=]|%2[BbFf]|%3[Dd]|\\{1,2}/)`;

/** All that may stand in one. */
const IN_RUN = tableOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=%\\');

/** A run of base64. */
export const RUN = new RegExp(`${UNIT}{1,100000}`, 'y');
const RUNS = new RegExp(`${UNIT}{1,100000}`, 'g');

/** Units. Whatever stands around it, a run as long as this behind the header of a key is a line of it. */
const LONG_RUN = 40;
/** Units between two lines: names of files, numbers, times, what programs of logs put in front. */
export const WIDEST_GAP = 256;
/** One line without a run may stand between two with one. */
const MOST_LINE_ENDS = 2;
/** Lines of a key that were masked before: a document is looked at string by string, and then as a whole. */
const MASKED = String.raw`\[REDACTED:secret:private-key\]`;
const RUNS_AND_MASKED = new RegExp(`${RUNS.source}|${MASKED}`, 'g');
/** Where a key ends: at its END, at another key, at what else was masked already. */
const STOP = new RegExp(`----|(?!${MASKED})\\[REDACTED:`);
/** What of a line, and of short ones, stands before a run in the string that it begins in. */
const LINE_BEGINNING = new RegExp(String.raw`(?<!\\)${UNIT}(?:${UNIT}|\\{1,4}[nr]|[\r\n]){0,256}$`);
/** Units before an END in which a key is looked for whose header was cut off: 400 lines. */
const LONGEST_KEY = 40_000;

/** Where a line ends, in texts, strings, pages and forms. */
const LINE_ENDS = /\n|\\{1,4}[nr]|\\{1,4}u000[adAD]|<[^<>\n]{0,40}>|&#(?:1[03]|[xX]0?[adAD]);|%0[adAD]/g;

/** A line of a key, or several that were masked before. */
export interface KeyLine extends Part {
  readonly isMasked?: true;
}

/** The next line of a key behind what no key holds: `./key.pem-2-`, `web-1  | `, `</div><div>`. */
export function nextLongRun({ text, work }: Pick<Look, 'text' | 'work'>, from: number): KeyLine | undefined {
  const near = text.slice(from, from + WIDEST_GAP + LONG_RUN);
  // The first look goes over a few units of each line.
  work.spend(6 * LOOK + (near.length >> 3));
  if (!mayHoldLine(near)) return undefined;
  const stop = near.search(STOP);
  const gap = stop === -1 ? near : near.slice(0, stop);
  // The search for the stop, and the one for runs.
  work.spend(2 * gap.length);
  for (const { 0: run, index } of gap.matchAll(RUNS_AND_MASKED)) {
    const isMasked = run.startsWith('[');
    if (!isMasked && run.length < LONG_RUN) continue;
    if (countLines(gap.slice(0, index)) > MOST_LINE_ENDS) return undefined;
    if (isMasked) return { start: from + index, end: from + index + run.length, isMasked };
    const start = beginOf(text, from + index);
    RUN.lastIndex = start;
    RUN.test(text);
    work.spend(RUN.lastIndex - start);
    return looksEncoded(text.slice(start, Math.min(start + 64, RUN.lastIndex))) ? { start, end: RUN.lastIndex } : undefined;
  }
  return undefined;
}

/** False for nearly all that stands behind a header in a row of headers, at a fraction of what a search for runs costs. */
function mayHoldLine(text: string): boolean {
  if (text.includes('[REDACTED:')) return true;
  let low = 0;
  for (let last = LONG_RUN - 1; last < text.length; ) {
    let at = last;
    while (at >= low && isIn(IN_RUN, text, at)) at -= 1;
    if (at < low) return true;
    low = at + 1;
    last = at + LONG_RUN;
  }
  return false;
}

/** The lines before the END of a key whose header is not there: what `tail` shows of its file. Not before `low`. */
export function runsBefore(text: string, end: number, low: number): Part | undefined {
  const from = Math.max(low, end - LONGEST_KEY);
  const before = text.slice(from, end);
  let found: Part | undefined;
  for (const { 0: run, index } of before.matchAll(RUNS)) {
    if (run.length < LONG_RUN || !looksEncoded(run)) continue;
    const start = beginOf(text, from + index);
    const goesOn = found !== undefined && isGap(text.slice(found.end, start));
    found = { start: goesOn && found !== undefined ? found.start : start, end: from + index + run.length };
  }
  if (found === undefined || !isGap(text.slice(found.end, end).replace(/-{4,5} ?$/, ''))) return undefined;
  const last = lastRunBeforeEnd(text, found.end);
  return last === undefined ? undefined : { start: found.start, end: last };
}

/**
 * Where the last, shorter line of a key ends, when its END comes: behind `from` or there. Undefined when no END comes.
 */
export function lastRunBeforeEnd(text: string, from: number): number | undefined {
  const behind = text.slice(from, from + 2 * WIDEST_GAP);
  const stop = behind.search(STOP);
  if (stop === -1 || behind[stop] === '[') return undefined;
  let lineEnd = stop;
  for (const { index } of behind.slice(0, stop).matchAll(LINE_ENDS)) lineEnd = index;
  const lines = behind.slice(0, lineEnd);
  if (countLines(lines) > MOST_LINE_ENDS) return undefined;
  let end = 0;
  for (const { 0: run, index } of lines.matchAll(RUNS)) end = index + run.length;
  return from + end;
}

/** Where a line begins that holds a run, behind one that was masked: half of it may stand in a string of its own. */
export function lineBeginning(text: string, from: number, run: number): number {
  return run - (LINE_BEGINNING.exec(text.slice(from, run))?.[0].length ?? 0);
}

/** Behind an escape, which is a line end: of `\\nMII…`, at the `M`. */
function beginOf(text: string, start: number): number {
  return /[\\%]/.test(text[start - 1] ?? '') ? start + escapeInto(text, start) : start;
}

/** True when the next line of a key may begin behind this, which follows one of its lines. */
export function isOpen(rest: string): boolean {
  return rest.length < WIDEST_GAP + LONG_RUN && !STOP.test(rest) && countLines(rest) <= MOST_LINE_ENDS;
}

function isGap(gap: string): boolean {
  return gap.length <= WIDEST_GAP && !STOP.test(gap) && countLines(gap) <= MOST_LINE_ENDS;
}

/** Not those between the values of a document that is laid out in lines. */
function countLines(gap: string): number {
  let count = 0;
  for (let at = gap.indexOf('\n'); at !== -1; at = gap.indexOf('\n', at + 1)) {
    if (at === 0 || !'",[]{}'.includes(gap.charAt(at - 1))) count += 1;
  }
  return count;
}

/** Of so many units in a row, so many begin another kind of letters, or digits: of random ones, twice as many and more. */
const FEWEST_TURNS = LONG_RUN / 4;
const [OTHER, DIGIT, UPPER, LOWER] = [0, 1, 2, 3];

/**
 * Not a path, not a chain of names, not a digest. One part of it as long as a line is enough: when what is glued to the front
 * of a line is masked, the rest is a run of its own, and a second look must not find more.
 */
export function looksEncoded(run: string): boolean {
  const counts = new Int32Array(4);
  const count = (at: number, by: 1 | -1) => (counts[kindAt(run, at)] = (counts[kindAt(run, at)] ?? 0) + by);
  const length = Math.min(LONG_RUN, run.length);
  let turns = 0;
  for (let at = 0; at < run.length; at += 1) {
    count(at, 1);
    turns += turnAt(run, at);
    if (at >= length) {
      count(at - length, -1);
      turns -= turnAt(run, at - length + 1);
    }
    if (at >= length - 1 && turns >= FEWEST_TURNS && counts[DIGIT] !== 0 && counts[UPPER] !== 0 && counts[LOWER] !== 0) return true;
  }
  return false;
}

/** Between two folders of a path is none. */
function turnAt(run: string, at: number): 0 | 1 {
  const [before, here] = [kindAt(run, at - 1), kindAt(run, at)];
  return before !== here && before !== OTHER && here !== OTHER ? 1 : 0;
}

function kindAt(run: string, at: number): number {
  const unit = run.charCodeAt(at);
  if (unit >= 0x30 && unit <= 0x39) return DIGIT;
  if (unit >= 0x41 && unit <= 0x5a) return UPPER;
  return unit >= 0x61 && unit <= 0x7a ? LOWER : OTHER;
}
