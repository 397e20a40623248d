import { FOREIGN, LOW_LINE } from '../../protocol/unit-kinds.ts';
import { toFoldedPattern } from '../pipeline/folded-view.ts';
import type { Glance } from '../pipeline/glance.ts';
import type { TextStep } from '../pipeline/text-step.ts';
import type { FoldedView, TextRange } from '../pipeline/view-builders.ts';

const TRIGGER = { by: '[REDACTED:trigger]', rule: 'trigger' } as const;

/** Steps of finding one. */
const FOUND = 40;

/** Prefixes that make another program act when a model repeats them (seed 001). */
export const DEFAULT_TRIGGERS: readonly string[] = Object.freeze(['__ot', 'mcp__onetool']);

/** Marks of earlier steps, of which no word may be taken for a trigger: a second run would nest them. */
const MARKS = String.raw`\[REDACTED:(?:tag|trigger|link|secret:[a-z0-9-]{1,64})\]`;

/**
 * Each of these words becomes `[REDACTED:trigger]`, in any case and spelling, where no letter follows: `__other` is
 * another word; `__ot_run`, `__ot(` and `__OT1` are calls that a model may still make (ADR 0026). What stands before
 * does not matter. A word is literal ASCII text, 3 to 100 characters; the configuration says so.
 */
export function triggers(list: readonly string[]): TextStep {
  const words = [...new Set(list.filter((word) => word !== ''))];
  if (words.length === 0) return { name: 'triggers', rewrite: () => undefined };
  const find = createFinder(words);
  const mayHold = createPrefilter(words);
  return {
    name: 'triggers',
    rewrite(_text, rewriter, glance) {
      if (!mayHold(glance)) return;
      let end = 0;
      for (const found of findAll(glance, find)) {
        glance.work?.spend(FOUND);
        if (found.start < end) continue;
        rewriter.replace(found.start, found.end, TRIGGER);
        end = found.end;
      }
    },
  };
}

/** Ranges in a text or a view, from left to right, none over another. `isLetterAt`: whether what a view shows as a letter is one. */
type Find = (read: string, isLetterAt?: (at: number) => boolean) => IterableIterator<TextRange>;

function createFinder(words: readonly string[]): Find {
  const pattern = patternOf(words);
  const ends = words.map((word) => LINES_IN_WORD.exec(word)?.[0].length);
  const offsets = [...new Set(ends.filter((end) => end !== undefined))].sort((one, other) => other - one);
  const atLines: AtLines = {
    whole: new RegExp(`${pattern}${NO_LETTER_BEHIND}`, 'uy'),
    begun: new RegExp(pattern, 'uy'),
    offsets,
    behind: new Set(words.flatMap(unitsBehindLines)),
    shortest: '_'.repeat(Math.min(...words.map((word) => (/_+/.exec(word)?.[0] ?? '').length))),
  };
  return ends.includes(undefined) ? (read) => findAnywhere(read, `(${MARKS})|${pattern}${NO_LETTER_BEHIND}`) : (read, isLetterAt) => findAtLines(read, { ...atLines, isLetterAt });
}

/** The longest first: of `mcp__devs` and `mcp__devs_admin`, a text that holds both holds the second. */
function patternOf(words: readonly string[]): string {
  const sorted = words.toSorted((one, other) => other.length - one.length).map(toFoldedPattern);
  return `(?:${sorted.join('|')})`;
}

const [UNDERSCORE, FIRST_FOREIGN] = [0x5f, 0x80];
const NO_LETTER_BEHIND = String.raw`(?!\p{L})`;

interface AtLines {
  /** A word that no letter follows, and one that any may follow. */
  readonly whole: RegExp;
  readonly begun: RegExp;
  /** The ends of the first low lines of the words, the longest first. */
  readonly offsets: readonly number[];
  /** What stands behind those low lines in one of the words. Rows of low lines with anything else behind them cost one look. */
  readonly behind: ReadonlySet<number>;
  /** Low lines: no word has fewer in its first row. */
  readonly shortest: string;
  readonly isLetterAt?: ((at: number) => boolean) | undefined;
}

/** Up to the end of the first low lines of a word, where only letters and digits stand before and something else behind them. */
const LINES_IN_WORD = /^[A-Za-z0-9]{0,100}_{1,100}(?=[^_])/;

interface Read {
  readonly text: string;
  readonly view: FoldedView;
}

/**
 * What the text says as it stands, and what it says as it is read: `\x2facade` is read as `/acade`, but a program that
 * looks for `facade` finds it. By their starts; two may overlap.
 */
function findAll({ text, view }: Glance, find: Find): Iterable<TextRange> {
  const literal = find(text);
  if (view === undefined) return literal;
  return mergeByStart(literal, findInSource({ text, view }, find));
}

function* findInSource({ text, view }: Read, find: Find): Generator<TextRange> {
  const isLetterAt = (at: number) => at < view.text.length && isLetter(text, view.sourceOf(at, at + 1).start);
  for (const { start, end } of find(view.text, isLetterAt)) yield view.sourceOf(start, end);
}

/** A sign that only looks like a letter ends a word: `__ot€` is a call, though a view shows `__ote`. ASCII is a letter here, or stands for one. */
function isLetter(text: string, at: number): boolean {
  const code = text.codePointAt(at) ?? 0;
  return code < FIRST_FOREIGN || /^[\p{L}\p{M}\p{N}]$/u.test(String.fromCodePoint(code));
}

function* findAnywhere(read: string, pattern: string): Generator<TextRange> {
  for (const { index: start, 0: found, 1: mark } of read.matchAll(new RegExp(pattern, 'gu'))) {
    if (mark === undefined) yield { start, end: start + found.length };
  }
}

const ASCII_AND_DOTLESS_I = [...Array.from({ length: 0x80 }, (_, code) => code), 'ı'.charCodeAt(0)];

/** Units that a view may show where the word goes on behind its first low lines: in either case, or a backslash before punctuation. */
function unitsBehindLines(word: string): readonly number[] {
  const next = word.charAt(LINES_IN_WORD.exec(word)?.[0].length ?? 0);
  const pattern = new RegExp(`^(?:${toFoldedPattern(next)}${/[A-Za-z0-9]/.test(next) ? '' : String.raw`|\\`})$`, 'u');
  return ASCII_AND_DOTLESS_I.filter((code) => pattern.test(String.fromCharCode(code)));
}

/**
 * Looks at each row of low lines alone: a search for the words costs thirty times as much. A word stands so that the row
 * ends where its own first low lines do (`offsets` are their ends). No mark of devs has a low line in it. Words that follow
 * one another are one: a mark in the place of the last would make a trigger of the one before it.
 */
function* findAtLines(read: string, { whole, begun, offsets, behind, shortest, isLetterAt }: AtLines): Generator<TextRange> {
  let end = 0;
  let rowStart = 0;
  let rowEnd = -1;
  const placeOf = (word: RegExp, line: number): number => {
    for (const offset of offsets) {
      word.lastIndex = line - offset;
      if (line - offset >= end && word.test(read)) return line - offset;
    }
    return -1;
  };
  for (let line = read.indexOf(shortest); line !== -1; line = read.indexOf(shortest, line)) {
    while (read.charCodeAt(line) === UNDERSCORE) line += 1;
    if (!behind.has(read.charCodeAt(line))) continue;
    const found = placeOf(whole, line);
    const start = found >= 0 ? found : placeOf(begun, line);
    if (start < 0) continue;
    if (start !== rowEnd) rowStart = start;
    rowEnd = found >= 0 ? whole.lastIndex : begun.lastIndex;
    if (found < 0 && isLetterAt?.(rowEnd) !== false) continue;
    end = rowEnd;
    rowEnd = -1;
    yield { start: rowStart, end };
  }
}

function* mergeByStart(one: Iterator<TextRange>, other: Iterator<TextRange>): Generator<TextRange> {
  let left = one.next();
  let right = other.next();
  while (!left.done || !right.done) {
    const isLeft = right.done || (!left.done && left.value.start <= right.value.start);
    if (isLeft && !left.done) {
      yield left.value;
      left = one.next();
    } else if (!right.done) {
      yield right.value;
      right = other.next();
    }
  }
}

/** What a text must hold: the low lines of a word, in any form. A word without them asks for the whole look. */
function createPrefilter(words: readonly string[]): (glance: Glance) => boolean {
  const lines = [...new Set(words.map((word) => /_+/.exec(word)?.[0] ?? ''))];
  if (lines.includes('')) return () => true;
  return (glance) => {
    if (glance.hasForms) return true;
    if ((glance.kinds & LOW_LINE) === 0) return false;
    return (glance.kinds & FOREIGN) !== 0 || lines.some((line) => glance.text.includes(line));
  };
}
