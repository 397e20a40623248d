import type { TextView } from '@devs/core';
import { tryView } from '../try-view.ts';
import { editRefused } from './edit-refused.ts';
import { FileLines } from './file-lines.ts';
import { findOccurrences, type Occurrences } from './occurrences.ts';
import { MAX_REPLACEMENTS, timesOf } from './times.ts';
import type { ViewedFile } from './viewed-file.ts';

const CARRIAGE_RETURN = /\r/g;
const WHITE_SPACE = /[ \t\r\n]/g;
/** In UTF-16 units. A shorter line stands in many places, and says nothing about this one. */
const SHORTEST_LINE = 4;
/** In UTF-16 units, of the file: a hint is not worth more. */
const LOOKED_AT = 2_097_152;

/** Why a text may not have been found, and where to look. Nothing of the file is quoted. Linear. */
function describeMiss(file: ViewedFile, wanted: string): string {
  const text = file.text.slice(0, LOOKED_AT);
  const lineAt = (offset: number) => String(new FileLines(file).at(offset).before);
  const endings = findWithout(text, wanted, CARRIAGE_RETURN);
  if (endings !== undefined) return `It is there with other line endings (CRLF or LF), at line ${lineAt(endings)}.`;
  const spaces = findWithout(text, wanted, WHITE_SPACE);
  if (spaces !== undefined) return `It is there with other white space, at line ${lineAt(spaces)}.`;
  const [beginning] = findOccurrences(text, { text: firstLine(wanted), most: 1 }).offsets;
  if (beginning === undefined) return 'Read the file again.';
  return `Only its first line is there, at line ${lineAt(beginning)}.`;
}

/** Where the text begins once some characters are left out of both. */
function findWithout(text: string, wanted: string, without: RegExp): number | undefined {
  const [found] = findOccurrences(text.replace(without, ''), { text: wanted.replace(without, ''), most: 1 }).offsets;
  if (found === undefined) return undefined;
  // The character that stands at `found` once the others are gone.
  let left = found;
  for (const { index, 0: gone } of text.matchAll(without)) {
    if (index > left) break;
    left += gone.length;
  }
  return left;
}

/** Without the white space around it; nothing when that leaves too little. */
function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line.trimEnd().length < SHORTEST_LINE ? '' : line.trimEnd();
}

/** Lines that a refusal names. */
const NAMED_LINES = 5;

export interface Wish {
  readonly wanted: string;
  readonly by: string;
  /** How many times the text must be there. */
  readonly expected: number;
}

/** The text that was found in the view, and where, in UTF-16 units. */
export interface Matches {
  readonly text: string;
  readonly offsets: readonly number[];
}

/**
 * Looks in the view alone. Were the file's own bytes matched, a masked secret could be guessed letter by letter.
 * @throws DevsError EDIT_REFUSED: not there, not as often, or only in halves of a mark
 */
export function findMatches(file: ViewedFile, { wanted, expected }: Wish, view: (bytes: Uint8Array) => TextView): Matches {
  const found = find(file, wanted, expected);
  if (found.count > 0) return { text: wanted, offsets: asOften(file, found, expected) };
  const shown = asShown(wanted, view);
  if ('mark' in shown) throw editRefused(describeMasked(shown.mark));
  const foundAsShown = shown.text === wanted ? found : find(file, shown.text, expected);
  if (foundAsShown.count > 0) return { text: shown.text, offsets: asOften(file, foundAsShown, expected) };
  const isInMark = found.passedOver + foundAsShown.passedOver > 0;
  throw editRefused(isInMark ? IN_MARK : `oldText is not in the file. ${describeMiss(file, shown.text)}`);
}

const IN_MARK = 'oldText begins or ends inside a mark, which stands for something that is not shown. Take in the whole mark, or none of it.';

function asOften(file: ViewedFile, found: Occurrences, expected: number): readonly number[] {
  if (found.count !== expected) throw editRefused(describeCount(file, found, expected));
  return found.offsets;
}

/** A place that begins or ends inside a mark is none: that part of it is no text of the file. */
function find(file: ViewedFile, wanted: string, expected: number): Occurrences {
  const isTaken = (start: number) => !file.isInside(start) && !file.isInside(start + wanted.length);
  return findOccurrences(file.text, { text: wanted, most: Math.max(expected, NAMED_LINES), isTaken });
}

/** The text as it would be shown, had it been in a file: without characters that are taken out; or a mark that would be in it. */
function asShown(wanted: string, view: (bytes: Uint8Array) => TextView): { readonly text: string } | { readonly mark: string } {
  const shown = tryView(view, new TextEncoder().encode(wanted));
  if (shown === undefined) return { text: wanted };
  for (const { kind, start, end } of shown.alterationsIn(-1, Infinity)) {
    if (kind === 'masked') return { mark: shown.text.slice(start, end) };
  }
  return { text: shown.text === '' ? wanted : shown.text };
}

/** Said of oldText alone: whether the file holds the same is what nobody may find out so. */
function describeMasked(mark: string): string {
  return `oldText holds what is shown as ${mark}. Give it as read_file shows it.`;
}

function describeCount(file: ViewedFile, { offsets, count }: Occurrences, expected: number): string {
  const numbers = new FileLines(file);
  const lines = offsets.slice(0, NAMED_LINES).map((offset) => String(numbers.at(offset).before));
  const where = `${lines.join(', ')}${count > lines.length ? ', ...' : ''}`;
  const times = `oldText is in the file ${timesOf(count)}, not ${timesOf(expected)} (at line ${where})`;
  const all = count > MAX_REPLACEMENTS ? '' : `, or expectedReplacements: ${String(count)}`;
  return `${times}. Give more of the text around the right one${all}.`;
}
