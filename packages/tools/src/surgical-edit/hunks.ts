import type { Change } from './changes.ts';
import type { Sign } from './line-diff.ts';
import { linesBefore, splitLines } from './lines.ts';

/** Lines shown around a change. */
const CONTEXT = 3;

export interface HunkLine {
  readonly sign: Sign;
  readonly text: string;
  /** The first unit in which it is another than the line it stands for, or that stands for it. */
  readonly changedFrom: number;
}

export interface Hunk {
  /** Where its first line begins in the old text, in UTF-16 units. */
  readonly offset: number;
  readonly lines: HunkLine[];
}

/** A hunk that may go on. */
interface OpenHunk extends Hunk {
  /** Where the last change ends, in UTF-16 units and as the number of the line that follows. */
  end: number;
  next: number;
}

/**
 * Changes with the lines around them; what lies close together in one hunk. `cut` when there are more: the
 * changes were, or a hunk comes to more than so many lines.
 */
export function* hunksOf(
  text: string,
  changes: Iterable<Change | 'cut'>,
  mostLines: number,
): Generator<Hunk | 'cut'> {
  let hunk: OpenHunk | undefined;
  for (const change of changes) {
    const isCut = change === 'cut' || (hunk !== undefined && hunk.lines.length > mostLines);
    if (hunk !== undefined && (isCut || change.line - hunk.next > 2 * CONTEXT)) {
      yield closeHunk(text, hunk);
      hunk = undefined;
    }
    if (isCut) {
      yield 'cut';
      return;
    }
    hunk ??= openHunk(text, change);
    extendHunk(text, hunk, change);
  }
  if (hunk !== undefined) yield closeHunk(text, hunk);
}

function openHunk(text: string, { offset, line }: Change): OpenHunk {
  const context = linesBefore(text, offset, CONTEXT);
  const start = offset - context.reduce((sum, before) => sum + before.length, 0);
  return { offset: start, lines: context.map(toContext), end: offset, next: line };
}

function extendHunk(text: string, hunk: OpenHunk, { offset, line, removed, added }: Change): void {
  for (const between of splitLines(text.slice(hunk.end, offset))) hunk.lines.push(toContext(between));
  removed.forEach((gone, index) => {
    hunk.lines.push({ sign: '-', text: gone, changedFrom: sameUnits(gone, added[index]) });
  });
  added.forEach((come, index) => {
    hunk.lines.push({ sign: '+', text: come, changedFrom: sameUnits(come, removed[index]) });
  });
  hunk.end = offset + removed.reduce((sum, gone) => sum + gone.length, 0);
  hunk.next = line + removed.length;
}

function closeHunk(text: string, { offset, lines, end }: OpenHunk): Hunk {
  return { offset, lines: [...lines, ...splitLines(text.slice(end), CONTEXT).map(toContext)] };
}

function toContext(text: string): HunkLine {
  return { sign: ' ', text, changedFrom: 0 };
}

/** How many units both begin with. */
function sameUnits(one: string, other: string | undefined): number {
  if (other === undefined) return 0;
  let index = 0;
  while (index < one.length && one[index] === other[index]) index += 1;
  return index;
}
