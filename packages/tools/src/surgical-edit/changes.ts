import { DiffBudget } from './diff-budget.ts';
import { diffLines, type DiffLine } from './line-diff.ts';
import { countLineFeeds, lineEnd, lineStart, splitLines } from './lines.ts';
import { applyTo, lengthOf, type Replacement } from './replacement.ts';

/** Of lines in a row that replacements touch, before and after together, in UTF-16 units: of more no diff is made. */
const MAX_REGION_UNITS = 262_144;

/** Lines in a row that go, and what comes in their place. */
export interface Change {
  /** Where they begin, in UTF-16 units. */
  readonly offset: number;
  /** The number of the line that begins there, counted from 1 in what is shown. */
  readonly line: number;
  readonly removed: string[];
  readonly added: string[];
}

/** Whole lines that replacements touch. */
interface Region {
  readonly start: number;
  end: number;
  readonly offsets: number[];
}

/**
 * The changed lines, from the first to the last, and `cut` in the place of one that is too large to compare,
 * or for which nothing is left of the budget. What was replaced is known, so nothing else is compared: no text
 * makes its diff take long.
 */
export function* changesOf(replacement: Replacement): Generator<Change | 'cut'> {
  const budget = new DiffBudget();
  let counted = 0;
  let line = 1;
  for (const region of regionsOf(replacement)) {
    const lines = diffRegion(replacement, region, budget);
    if (lines === undefined) {
      yield 'cut';
      return;
    }
    line += countLineFeeds(replacement.text, counted, region.start);
    counted = region.start;
    yield* changesIn(lines, { offset: region.start, line });
  }
}

function* regionsOf({ text, offsets, wanted }: Replacement): Generator<Region> {
  let region: Region | undefined;
  for (const offset of offsets) {
    const end = offset + wanted.length;
    if (region === undefined || offset >= region.end) {
      if (region !== undefined) yield region;
      region = { start: lineStart(text, offset), end: lineEnd(text, end), offsets: [offset] };
    } else {
      region.offsets.push(offset);
      // The line is only looked for when it is another one: a line may hold a million replacements.
      if (end >= region.end) region.end = lineEnd(text, end);
    }
  }
  if (region !== undefined) yield region;
}

function diffRegion(replacement: Replacement, { start, end, offsets }: Region, budget: DiffBudget): DiffLine[] | undefined {
  const { text, wanted, by } = replacement;
  const before = text.slice(start, end);
  const inRegion = { text: before, offsets: offsets.map((offset) => offset - start), wanted, by };
  const size = before.length + lengthOf(inRegion);
  if (size > MAX_REGION_UNITS || !budget.takeUnits(size)) return undefined;
  return diffLines({ before: splitLines(before), after: splitLines(applyTo(inRegion)) }, budget);
}

function* changesIn(lines: readonly DiffLine[], start: Pick<Change, 'offset' | 'line'>): Generator<Change> {
  let { offset, line } = start;
  let change: Change | undefined;
  for (const { sign, text } of lines) {
    if (sign === ' ') {
      if (change !== undefined) yield change;
      change = undefined;
    } else {
      change ??= { offset, line, removed: [], added: [] };
      (sign === '-' ? change.removed : change.added).push(text);
    }
    if (sign === '+') continue;
    offset += text.length;
    line += 1;
  }
  if (change !== undefined) yield change;
}
