import type { SeamCursor } from '../pipeline/seams.ts';
import type { SecretSpans } from './secret-spans.ts';
import type { WorkBudget } from '../pipeline/work-budget.ts';

/** One look through one text. */
export interface Look {
  readonly text: string;
  readonly spans: SecretSpans;
  readonly work: WorkBudget;
  readonly seams: SeamCursor | undefined;
  /** Where the last private key ended: rows of its headers are gone over once. */
  keysTo: number;
  /** Where a token begins right behind another; -1 when none does. */
  nextToken: number;
  /** Where a run as long as a line of a key began that was looked for last; -1 before the first. */
  longRun: number;
}

/** Units of a text, from the first to before the last. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/** Steps of a look that ends at once. */
export const LOOK = 8;

/** Steps of stopping at one place of what is sought, and of going on from there. */
const STOP = 24;

/** Units that one step reads: a pattern goes over a window of them in one run. */
const UNITS_PER_STEP = 4;

/** Units that a look of this kind sees at most, before it is known whether something is there. */
export const REACH = { header: 1_024, token: 128, joined: 192, before: 80, name: 32, value: 80, pair: 320, settings: 160, connection: 520, command: 800 };

/** Units. Node looks for a longer one by other means, at twenty times the price where its first unit is rare. */
const SHORT = 6;

/**
 * Each place of a literal, or of a global pattern, from left to right. A literal is looked for by its first unit: where
 * that is a letter of ordinary words, a pattern whose last units are rare is six times as fast.
 */
export function atEach(look: Look, sought: string | RegExp, visit: (start: number, end: number) => void): void {
  if (typeof sought === 'string') atEachLiteral(look, sought, visit);
  else atEachMatch(look, sought, visit);
}

function atEachLiteral(look: Look, literal: string, visit: (start: number, end: number) => void): void {
  const { text, work } = look;
  if (isFullOf(text, literal.charCodeAt(0))) return atEachMatch(look, new RegExp(toPattern(literal), 'g'), visit);
  const beginning = literal.slice(0, SHORT);
  for (let at = text.indexOf(beginning); at !== -1; at = text.indexOf(beginning, at + beginning.length)) {
    work.spend(STOP);
    if (text.startsWith(literal, at)) visit(at, at + literal.length);
  }
}

/** Units. In a shorter text it does not matter how something is looked for. */
const LONG_TEXT = 4_096;
/** Units of a text that are asked, and how many of them are many. */
const [ASKED, MANY] = [64, 4];

/** A search for a literal stops at each of its first units: where a text is full of them, a pattern is ten times as fast. */
function isFullOf(text: string, unit: number): boolean {
  if (text.length < LONG_TEXT) return false;
  const step = Math.floor(text.length / ASKED);
  let count = 0;
  for (let at = step >> 1; at < text.length; at += step) if (text.charCodeAt(at) === unit) count += 1;
  return count >= MANY;
}

/** A literal as a regular expression. */
export function toPattern(literal: string): string {
  return literal.replace(/[\\^$.*+?()[\]{}]/g, String.raw`\$&`);
}

function atEachMatch({ text, work }: Look, sought: RegExp, visit: (start: number, end: number) => void): void {
  sought.lastIndex = 0;
  for (let found = sought.exec(text); found !== null; found = sought.exec(text)) {
    const end = sought.lastIndex;
    work.spend(STOP);
    visit(found.index, end);
    sought.lastIndex = end;
  }
}

/** Notes what a look of so many units found. */
export function add({ spans, work }: Look, rule: string, { found, reach }: { found: Part | undefined; reach: number }): void {
  work.spend(LOOK + reach / UNITS_PER_STEP);
  if (found === undefined) return;
  work.spend(found.end - found.start);
  spans.add(found.start, found.end, rule);
}
