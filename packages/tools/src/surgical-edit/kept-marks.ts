import { DevsError, type ByteRange } from '@devs/core';
import { MARK_START, marksIn, type FoundText } from '../marks.ts';
import { editRefused } from './edit-refused.ts';
import { findOccurrences } from './occurrences.ts';
import { pairMarks, type Marked } from './pair-marks.ts';
import type { ViewedFile } from './viewed-file.ts';

/** A match in the view, and the text that comes in its place. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

/** A mark of the old text, in units of it, and the bytes that it stands for. */
export interface OldMark extends FoundText {
  readonly source: ByteRange;
}

/** A mark of the new text that stands for what an old one stood for. */
export interface KeptMark extends FoundText {
  /** Index of the old mark. */
  readonly of: number;
}

export interface Marks {
  /** From left to right, none over another. */
  readonly old: readonly OldMark[];
  readonly kept: readonly KeptMark[];
}

/**
 * The marks of a match, and which of them the new text keeps.
 * @throws DevsError REDACTED_IN_WRITE: a mark that stands for nothing here; EDIT_REFUSED: it is not clear for what it does
 */
export function marksOf(file: ViewedFile, match: Match): Marks {
  const texts = markTexts(file, match);
  refuseForeign(file, match.by, texts);
  const before = file.text.slice(match.start, match.end);
  const old = [...texts].flatMap((text) => placesOf(before, text)).sort(byStart);
  const kept = [...texts].flatMap((text) => {
    const indexes = [...old.keys()].filter((index) => old[index]?.text === text);
    const marks = { olds: placesOf(before, text), news: placesOf(match.by, text) };
    const pairs = pairMarks({ text: before, marks: marks.olds }, { text: match.by, marks: marks.news });
    if (pairs.includes(undefined)) refuseUnclear(file, text, marks);
    return marks.news.map((mark, index) => ({ ...mark, of: indexes[pairs[index] ?? -1] ?? -1 }));
  });
  refuseParaphrase({ text: before, marks: old }, { text: match.by, marks: kept });
  return { old: old.map((mark) => ({ ...mark, source: sourceOf(file, match, mark) })), kept: kept.sort(byStart) };
}

const NEARLY_A_MARK = /redacted/gi;

/**
 * Models write marks from memory: `[REDACTED]`, in other brackets, with a word less. Written as it reads, it would
 * destroy what it was meant to keep, and the answer would look like success.
 */
function refuseParaphrase(before: Marked, after: Readonly<{ text: string; marks: readonly KeptMark[] }>): void {
  const kept = new Set(after.marks.map(({ of }) => of));
  const lost = before.marks.find(({ text }, index) => text.startsWith(MARK_START) && !kept.has(index));
  if (lost === undefined || countNearly(after) <= countNearly(before)) return;
  throw new DevsError('REDACTED_IN_WRITE', {
    sentence: `Nothing was changed: newText holds what reads like a mark, but is not the mark ${lost.text} that oldText holds.`,
    suggestion: 'Copy the mark exactly, or remove it without writing anything like it.',
  });
}

function countNearly({ text, marks }: Marked): number {
  const inMarks = marks.reduce((sum, mark) => sum + countIn(mark.text), 0);
  return countIn(text.normalize('NFKC')) - inMarks;
}

function countIn(text: string): number {
  return text.match(NEARLY_A_MARK)?.length ?? 0;
}

function sourceOf({ view }: ViewedFile, match: Match, { start, text }: FoundText): ByteRange {
  return view.sourceOf(match.start + start, match.start + start + text.length);
}

/** What stands in the match for something else, each text once. Not a line feed that stands for another line end: it is one. */
function markTexts(file: ViewedFile, { start, end }: Match): ReadonlySet<string> {
  const texts = new Set<string>();
  for (const alteration of file.alterationsIn(start, end)) texts.add(file.text.slice(alteration.start, alteration.end));
  texts.delete('');
  texts.delete('\n');
  return texts;
}

function placesOf(text: string, mark: string): FoundText[] {
  const { offsets } = findOccurrences(text, { text: mark, most: Number.POSITIVE_INFINITY });
  return offsets.map((start) => ({ start, text: mark }));
}

/** A mark that was copied from elsewhere would be written as it reads, and nobody would miss what it stood for. */
export function refuseForeign(file: ViewedFile, by: string, own: ReadonlySet<string>): void {
  for (const { text } of marksIn(by)) {
    if (!own.has(text) && !file.marks.has(text)) throw notHeld(text);
  }
  const isBadByte = by.includes('\uFFFD') && !own.has('\uFFFD') && file.shows('\uFFFD');
  if (isBadByte && !file.holds('\uFFFD')) throw notHeld('\uFFFD');
}

function refuseUnclear(file: ViewedFile, text: string, { olds, news }: Readonly<Record<'olds' | 'news', readonly FoundText[]>>): never {
  if (news.length > olds.length && !file.holds(text)) throw notHeld(text);
  throw editRefused(
    `it is not clear which ${text} of oldText is meant by which of newText, and what is behind them may differ. ` +
      'Make smaller edits, each around them or with only one of them in it.',
  );
}

function notHeld(text: string): DevsError {
  return new DevsError('REDACTED_IN_WRITE', {
    sentence: `Nothing was changed: newText holds ${text}, which stands for something that is not shown, and that oldText does not hold.`,
    suggestion: 'Make the edit around the mark, or with the whole mark in both texts.',
  });
}

function byStart(one: FoundText, other: FoundText): number {
  return one.start - other.start;
}
