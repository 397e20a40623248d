import { changesOf } from './changes.ts';
import { hunksOf, type Hunk, type HunkLine } from './hunks.ts';
import type { Sign } from './line-diff.ts';
import { LINE_FEED } from './lines.ts';
import type { Replacement } from './replacement.ts';

/** Of a whole diff: what a tool of this kind may put before a model. */
const MAX_BYTES = 51_200;
/** Of one line; a longer one is shown around what changed in it. */
const MAX_LINE_BYTES = 1_000;
/** Shown before the first byte that changed. */
const LEAD_BYTES = 200;
const CUT_MARK = '[...]';

export interface UnifiedDiff {
  /** In bytes of the file, which need not be text. */
  readonly bytes: Uint8Array;
  /** True when a change, or a part of a line, is not in it. */
  readonly isCut: boolean;
}

/** What a replacement changes, as `diff -u` shows it; bounded, whatever the file and the replacement are. */
export function unifiedDiff(name: string, replacement: Replacement): UnifiedDiff {
  const parts: Uint8Array[] = [];
  let left = MAX_BYTES;
  let isCut = false;
  for (const hunk of hunksOf(replacement.bytes, changesOf(replacement), MAX_BYTES)) {
    if (hunk === 'cut' || left <= 0) return { bytes: Buffer.concat(parts), isCut: true };
    if (parts.length === 0) parts.push(Buffer.from(`--- ${name}\n+++ ${name}\n`));
    for (const part of printHunk(hunk)) {
      left -= part.bytes.length;
      if (left < 0) return { bytes: Buffer.concat(parts), isCut: true };
      isCut ||= part.isCut;
      parts.push(part.bytes);
    }
  }
  return { bytes: Buffer.concat(parts), isCut };
}

function* printHunk({ before, after, lines }: Hunk): Generator<UnifiedDiff> {
  const ranges = `-${printRange(before, countLines(lines, '+'))} +${printRange(after, countLines(lines, '-'))}`;
  yield { bytes: Buffer.from(`@@ ${ranges} @@\n`), isCut: false };
  yield* lines.map(printLine);
}

function countLines(lines: readonly HunkLine[], without: Sign): number {
  return lines.filter(({ sign }) => sign !== without).length;
}

/** No lines are said to be after the line before them. */
function printRange(first: number, count: number): string {
  return `${String(count === 0 ? first - 1 : first)},${String(count)}`;
}

function printLine({ sign, bytes, changedFrom }: HunkLine): UnifiedDiff {
  const isWhole = bytes.at(-1) === LINE_FEED;
  const text = isWhole ? bytes.subarray(0, -1) : bytes;
  const end = isWhole ? '\n' : '\n\\ No newline at end of file\n';
  const isCut = text.length > MAX_LINE_BYTES;
  const shown = isCut ? cutAround(text, changedFrom) : text;
  return { bytes: Buffer.concat([Buffer.from(sign), shown, Buffer.from(end)]), isCut };
}

function cutAround(text: Uint8Array, changedFrom: number): Uint8Array {
  const start = characterAt(text, Math.max(0, Math.min(changedFrom - LEAD_BYTES, text.length - MAX_LINE_BYTES)));
  const end = characterAt(text, start + MAX_LINE_BYTES);
  return Buffer.concat([
    Buffer.from(start > 0 ? CUT_MARK : ''),
    text.subarray(start, end),
    Buffer.from(end < text.length ? CUT_MARK : ''),
  ]);
}

/** The beginning of the character of UTF-8 in which this byte stands. */
function characterAt(text: Uint8Array, index: number): number {
  let start = index;
  while (start > 0 && start > index - 3 && ((text[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}
