import { DevsError, type TextView } from '@devs/core';
import { marksIn } from '../marks.ts';
import { tryView } from '../try-view.ts';
import { DiffBudget } from './diff-budget.ts';
import { editRefused } from './edit-refused.ts';
import { FileLines } from './file-lines.ts';
import { findMatches, type Matches, type Wish } from './find-matches.ts';
import { refuseForeign } from './kept-marks.ts';
import type { Replacement } from './replacement.ts';
import { applySplices, lengthWith, splicesOf, type Splice } from './splices.ts';
import { refuseUnmasking } from './still-masked.ts';
import { ViewedFile } from './viewed-file.ts';

/** In bytes. No file that devs edits is larger, so nothing larger is put together. */
const MAX_RESULT_BYTES = 268_435_456;
/** Of all matches with something altered in them, old and new text together, in UTF-16 units. */
const MAX_ALIGNED_UNITS = 12_582_912;

export interface PlannedEdit {
  readonly content: Uint8Array;
  /** How many masked places go with the text around them. */
  readonly removed: number;
  /** The same edit, in what the agent is shown. */
  readonly replacement: Replacement;
  readonly lines: FileLines;
}

/**
 * What becomes of a file when a text of its view is replaced: only the bytes behind what differs change.
 * @throws DevsError EDIT_REFUSED, REDACTED_IN_WRITE, FILE_TOO_LARGE
 */
export function planEdit(bytes: Uint8Array, wish: Wish, view: (bytes: Uint8Array) => TextView): PlannedEdit {
  const file = new ViewedFile(bytes, viewOf(bytes, view, 'the file takes too long to look through for secrets, so nothing of it can be edited here.'));
  const { text, offsets } = findMatches(file, wish, view);
  const splices = splicesFor(file, wish, { text, offsets });
  if (splices.length === 0) throw editRefused('in what you are shown of the file, newText is oldText.');
  if (lengthWith(file, splices) > MAX_RESULT_BYTES) throw new DevsError('FILE_TOO_LARGE');
  const content = applySplices(file, splices);
  const edit = { splices, content };
  const removed = refuseUnmasking(file, edit, (piece) => viewOf(piece, view, 'with newText the file would take too long to look through for secrets.'));
  const replacement = { text: file.text, offsets, wanted: text, by: wish.by };
  return { content, removed, replacement, lines: new FileLines(file, splices) };
}

function viewOf(bytes: Uint8Array, view: (bytes: Uint8Array) => TextView, otherwise: string): TextView {
  const shown = tryView(view, bytes);
  if (shown === undefined) throw editRefused(otherwise);
  return shown;
}

function splicesFor(file: ViewedFile, wish: Wish, { text, offsets }: Matches): readonly Splice[] {
  const budget = new DiffBudget();
  const bytes = file.view.encode(wish.by);
  // The agent wrote the characters too that are not shown: it knows all of what it replaces.
  const known = text === wish.wanted ? undefined : file.view.encode(wish.wanted);
  let units = 0;
  refuseForeign(file, wish.by, marksOrBadBytesIn(text));
  return offsets.flatMap((start) => {
    const match = { start, end: start + text.length, by: wish.by };
    const source = file.view.sourceOf(match.start, match.end);
    const isKnown = known !== undefined && Buffer.compare(file.bytes.subarray(source.start, source.end), known) === 0;
    if (isKnown || !file.isAlteredIn(match.start, match.end)) return [{ source, bytes, moved: [] }];
    units += text.length + wish.by.length;
    if (units > MAX_ALIGNED_UNITS) throw editRefused('too many places with something masked or altered in them. Make smaller edits.');
    return splicesOf(file, match, budget);
  });
}

/** What of a text may stand for something else. */
function marksOrBadBytesIn(text: string): ReadonlySet<string> {
  const found = new Set(marksIn(text).map((mark) => mark.text));
  if (text.includes('\uFFFD')) found.add('\uFFFD');
  return found;
}
