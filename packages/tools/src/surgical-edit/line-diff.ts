import { gapsBetween } from './common-units.ts';
import type { DiffBudget } from './diff-budget.ts';

export type Sign = ' ' | '-' | '+';

export interface DiffLine {
  readonly sign: Sign;
  /** The line as it is shown, its line feed with it. */
  readonly text: string;
}

interface Texts {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** What is the same at both ends stays; between them the longest common lines, as long as the budget lasts. */
export function diffLines({ before, after }: Texts, budget: DiffBudget): DiffLine[] {
  const numbers = new LineNumbers();
  const lines: DiffLine[] = [];
  let next = 0;
  for (const gap of gapsBetween(numbers.of(before), numbers.of(after), budget)) {
    push(lines, ' ', before.slice(next, gap.start));
    push(lines, '-', before.slice(gap.start, gap.end));
    push(lines, '+', after.slice(gap.newStart, gap.newEnd));
    next = gap.end;
  }
  push(lines, ' ', before.slice(next));
  return lines;
}

function push(lines: DiffLine[], sign: Sign, texts: readonly string[]): void {
  for (const text of texts) lines.push({ sign, text });
}

/** One number for equal lines: they are compared a million times. */
export class LineNumbers {
  readonly #known = new Map<string, number>();

  of(lines: readonly string[]): Uint32Array {
    return Uint32Array.from(lines, (line) => this.#numberOf(line));
  }

  #numberOf(line: string): number {
    const number = this.#known.get(line) ?? this.#known.size;
    this.#known.set(line, number);
    return number;
  }
}
