import { changesOf } from './changes.ts';
import type { FileLines } from './file-lines.ts';
import { hunksOf, type Hunk, type HunkLine } from './hunks.ts';
import type { Sign } from './line-diff.ts';
import type { Replacement } from './replacement.ts';

/** Of a whole diff: what a tool of this kind may put before a model. */
const MAX_BYTES = 51_200;
/** Of one line, in UTF-16 units; a longer one is shown around what changed in it. */
const MAX_LINE_UNITS = 1_000;
/** Shown before the first unit that changed. */
const LEAD_UNITS = 200;
const CUT_MARK = '[...]';

export interface UnifiedDiff {
  readonly text: string;
  /** True when a change, or a part of a line, is not in it. */
  readonly isCut: boolean;
}

/**
 * What a replacement changes, as `diff -u` shows it; bounded, whatever the file and the replacement are. A hunk begins
 * with the numbers of its first line in the file; its lines are counted as they are shown.
 */
export function unifiedDiff(name: string, replacement: Replacement, lines: FileLines): UnifiedDiff {
  const parts: string[] = [];
  let left = MAX_BYTES;
  let isCut = false;
  for (const hunk of hunksOf(replacement.text, changesOf(replacement), MAX_BYTES)) {
    if (hunk === 'cut' || left <= 0) return { text: parts.join(''), isCut: true };
    if (parts.length === 0) parts.push(`--- ${name}\n+++ ${name}\n`);
    for (const part of printHunk(hunk, lines)) {
      left -= Buffer.byteLength(part.text);
      if (left < 0) return { text: parts.join(''), isCut: true };
      isCut ||= part.isCut;
      parts.push(part.text);
    }
  }
  return { text: parts.join(''), isCut };
}

function* printHunk({ offset, lines }: Hunk, numbers: FileLines): Generator<UnifiedDiff> {
  const { before, after } = numbers.at(offset);
  const ranges = `-${printRange(before, countLines(lines, '+'))} +${printRange(after, countLines(lines, '-'))}`;
  yield { text: `@@ ${ranges} @@\n`, isCut: false };
  yield* lines.map(printLine);
}

function countLines(lines: readonly HunkLine[], without: Sign): number {
  return lines.filter(({ sign }) => sign !== without).length;
}

/** No lines are said to be after the line before them. */
function printRange(first: number, count: number): string {
  return `${String(count === 0 ? first - 1 : first)},${String(count)}`;
}

function printLine({ sign, text: line, changedFrom }: HunkLine): UnifiedDiff {
  const isWhole = line.endsWith('\n');
  const text = isWhole ? line.slice(0, -1) : line;
  const end = isWhole ? '\n' : '\n\\ No newline at end of file\n';
  const isCut = text.length > MAX_LINE_UNITS;
  return { text: `${sign}${isCut ? cutAround(text, changedFrom) : text}${end}`, isCut };
}

function cutAround(text: string, changedFrom: number): string {
  const start = characterAt(text, Math.max(0, Math.min(changedFrom - LEAD_UNITS, text.length - MAX_LINE_UNITS)));
  const end = characterAt(text, start + MAX_LINE_UNITS);
  return `${start > 0 ? CUT_MARK : ''}${text.slice(start, end)}${end < text.length ? CUT_MARK : ''}`;
}

/** The beginning of the character in which this unit stands. */
function characterAt(text: string, index: number): number {
  const isInPair = index > 0 && index < text.length && (text.codePointAt(index - 1) ?? 0) > 0xffff;
  return isInPair ? index - 1 : index;
}
