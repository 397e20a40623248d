import type { Change } from './changes.ts';
import type { Sign } from './line-diff.ts';
import { linesBefore, splitLines } from './lines.ts';

/** Lines shown around a change. */
const CONTEXT = 3;

export interface HunkLine {
  readonly sign: Sign;
  readonly bytes: Uint8Array;
  /** The first byte in which it is another than the line it stands for, or that stands for it. */
  readonly changedFrom: number;
}

export interface Hunk {
  /** Number of its first line before and after, counted from 1. */
  readonly before: number;
  readonly after: number;
  readonly lines: HunkLine[];
}

/** A hunk that may go on. */
interface OpenHunk extends Hunk {
  /** Where the last change ends, in bytes and as the number of the line that follows. */
  end: number;
  next: number;
}

/**
 * Changes with the lines around them; what lies close together in one hunk. `cut` when there are more: the
 * changes were, or a hunk comes to more than so many lines.
 */
export function* hunksOf(
  bytes: Uint8Array,
  changes: Iterable<Change | 'cut'>,
  mostLines: number,
): Generator<Hunk | 'cut'> {
  let hunk: OpenHunk | undefined;
  let shift = 0;
  for (const change of changes) {
    const isCut = change === 'cut' || (hunk !== undefined && hunk.lines.length > mostLines);
    if (hunk !== undefined && (isCut || change.line - hunk.next > 2 * CONTEXT)) {
      yield closeHunk(bytes, hunk);
      hunk = undefined;
    }
    if (isCut) {
      yield 'cut';
      return;
    }
    hunk ??= openHunk(bytes, change, shift);
    extendHunk(bytes, hunk, change);
    shift += change.added.length - change.removed.length;
  }
  if (hunk !== undefined) yield closeHunk(bytes, hunk);
}

function openHunk(bytes: Uint8Array, { offset, line }: Change, shift: number): OpenHunk {
  const context = linesBefore(bytes, offset, CONTEXT);
  const before = line - context.length;
  return { before, after: before + shift, lines: context.map(toContext), end: offset, next: line };
}

function extendHunk(bytes: Uint8Array, hunk: OpenHunk, { offset, line, removed, added }: Change): void {
  for (const between of splitLines(bytes.subarray(hunk.end, offset))) hunk.lines.push(toContext(between));
  removed.forEach((gone, index) => {
    hunk.lines.push({ sign: '-', bytes: gone, changedFrom: sameBytes(gone, added[index]) });
  });
  added.forEach((come, index) => {
    hunk.lines.push({ sign: '+', bytes: come, changedFrom: sameBytes(come, removed[index]) });
  });
  hunk.end = offset + removed.reduce((sum, gone) => sum + gone.length, 0);
  hunk.next = line + removed.length;
}

function closeHunk(bytes: Uint8Array, { before, after, lines, end }: OpenHunk): Hunk {
  return { before, after, lines: [...lines, ...splitLines(bytes.subarray(end), CONTEXT).map(toContext)] };
}

function toContext(bytes: Uint8Array): HunkLine {
  return { sign: ' ', bytes, changedFrom: 0 };
}

/** How many bytes both begin with. */
function sameBytes(one: Uint8Array, other: Uint8Array | undefined): number {
  if (other === undefined) return 0;
  let index = 0;
  while (index < one.length && one[index] === other[index]) index += 1;
  return index;
}
