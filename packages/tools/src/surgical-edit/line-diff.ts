import type { DiffBudget } from './diff-budget.ts';

export type Sign = ' ' | '-' | '+';

export interface DiffLine {
  readonly sign: Sign;
  /** The line as it is in the file, its line feed with it. */
  readonly bytes: Uint8Array;
}

interface Texts {
  readonly before: readonly Uint8Array[];
  readonly after: readonly Uint8Array[];
}

/** What is the same at both ends stays; between them the longest common lines, as long as the budget lasts. */
export function diffLines({ before, after }: Texts, budget: DiffBudget): DiffLine[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && isSame(before[head], after[head])) head += 1;
  let tail = 0;
  while (tail < shorter - head && isSame(before.at(-1 - tail), after.at(-1 - tail))) tail += 1;
  return [
    ...sign(' ', before.slice(0, head)),
    ...diffMiddle({ before: before.slice(head, before.length - tail), after: after.slice(head, after.length - tail) }, budget),
    ...sign(' ', before.slice(before.length - tail)),
  ];
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;
}

function sign(mark: Sign, lines: readonly Uint8Array[]): DiffLine[] {
  return lines.map((bytes) => ({ sign: mark, bytes }));
}

function diffMiddle({ before, after }: Texts, budget: DiffBudget): DiffLine[] {
  if (!budget.takePairs(before.length * after.length)) return [...sign('-', before), ...sign('+', after)];
  const common = commonLengths(before, after);
  const width = after.length + 1;
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  while (row < before.length || column < after.length) {
    const old = before[row];
    const added = after[column];
    if (old !== undefined && isSame(old, added)) {
      lines.push({ sign: ' ', bytes: old });
      row += 1;
      column += 1;
    } else if (old !== undefined && (added === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ sign: '-', bytes: old });
      row += 1;
    } else if (added !== undefined) {
      lines.push({ sign: '+', bytes: added });
      column += 1;
    }
  }
  return lines;
}

/** How many lines the ends of both have in common, from each pair of lines on. */
function commonLengths(before: readonly Uint8Array[], after: readonly Uint8Array[]): Uint32Array {
  const numbers = new Map<string, number>();
  const [rows, columns] = [before, after].map((lines) => lines.map((line) => numberOf(line, numbers)));
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      const here = row * width + column;
      const isEqual = rows?.[row] === columns?.[column];
      common[here] = isEqual ? (common[here + width + 1] ?? 0) + 1 : Math.max(common[here + width] ?? 0, common[here + 1] ?? 0);
    }
  }
  return common;
}

/** One number for equal lines: they are compared a million times. */
function numberOf(line: Uint8Array, numbers: Map<string, number>): number {
  const key = Buffer.from(line).toString('latin1');
  const known = numbers.get(key) ?? numbers.size;
  numbers.set(key, known);
  return known;
}
