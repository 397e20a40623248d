import type { DiffBudget } from './diff-budget.ts';

/** What of the one stands for what of the other: places at which they differ, from left to right. */
export interface Gap {
  readonly start: number;
  readonly end: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** Numbers that stand for lines, characters or marks; equal ones are the same. */
type Units = ArrayLike<number>;

/** What both have at their ends is the same; between them their longest common row, as long as the budget lasts. */
export function gapsBetween(before: Units, after: Units, budget: DiffBudget): Gap[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const gap = { start: head, end: before.length - tail, newStart: head, newEnd: after.length - tail };
  const pairs = (gap.end - gap.start) * (gap.newEnd - gap.newStart);
  if (pairs === 0) return gap.end > gap.start || gap.newEnd > gap.newStart ? [gap] : [];
  return budget.takePairs(pairs) ? gapsWithin(before, after, gap) : [gap];
}

function gapsWithin(before: Units, after: Units, { start, end, newStart, newEnd }: Gap): Gap[] {
  const width = newEnd - newStart + 1;
  const common = commonLengths(before, after, { start, end, newStart, newEnd });
  const at = (row: number, column: number) => common[(row - start) * width + column - newStart] ?? 0;
  const gaps: Gap[] = [];
  let row = start;
  let column = newStart;
  while (row < end || column < newEnd) {
    const gap = { start: row, newStart: column };
    while ((row < end || column < newEnd) && !(row < end && column < newEnd && before[row] === after[column])) {
      if (row < end && (column === newEnd || at(row + 1, column) >= at(row, column + 1))) row += 1;
      else column += 1;
    }
    if (row > gap.start || column > gap.newStart) gaps.push({ ...gap, end: row, newEnd: column });
    while (row < end && column < newEnd && before[row] === after[column]) {
      row += 1;
      column += 1;
    }
  }
  return gaps;
}

/** How much the ends of both have in common, from each pair of units on. */
function commonLengths(before: Units, after: Units, { start, end, newStart, newEnd }: Gap): Uint32Array {
  const width = newEnd - newStart + 1;
  const common = new Uint32Array((end - start + 1) * width);
  for (let row = end - start - 1; row >= 0; row -= 1) {
    for (let column = width - 2; column >= 0; column -= 1) {
      const here = row * width + column;
      const isEqual = before[start + row] === after[newStart + column];
      common[here] = isEqual ? (common[here + width + 1] ?? 0) + 1 : Math.max(common[here + width] ?? 0, common[here + 1] ?? 0);
    }
  }
  return common;
}
