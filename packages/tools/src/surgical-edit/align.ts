import { gapsBetween, type Gap } from './common-units.ts';
import type { DiffBudget } from './diff-budget.ts';
import { LineNumbers } from './line-diff.ts';

const LINE_FEED = 0x0a;
/** Beyond the last character: stands for a mark. */
const FIRST_MARK = 0x110000;

/** A text as numbers: a character each, and a number of its own for a span that stays whole. */
export interface Symbols {
  readonly numbers: Uint32Array;
  /** Where a symbol begins in the text, in UTF-16 units; for the one after the last, where the text ends. */
  unitOf(symbol: number): number;
}

/** A span of a text that is one symbol. Spans with the same number are the same. */
export interface WholeSpan {
  readonly start: number;
  readonly end: number;
  readonly number: number;
}

/** @param spans from left to right, none over another */
export function toSymbols(text: string, spans: readonly WholeSpan[]): Symbols {
  const numbers = new Uint32Array(text.length);
  const starts = new Uint32Array(text.length + 1);
  let length = 0;
  let next = 0;
  for (let unit = 0; unit < text.length; length += 1) {
    const span = spans[next];
    starts[length] = unit;
    if (span?.start === unit) {
      numbers[length] = FIRST_MARK + span.number;
      unit = span.end;
      next += 1;
    } else {
      const character = text.codePointAt(unit) ?? 0;
      numbers[length] = character;
      unit += character > 0xffff ? 2 : 1;
    }
  }
  starts[length] = text.length;
  return { numbers: numbers.subarray(0, length), unitOf: (symbol) => starts[symbol] ?? text.length };
}

/** What differs between two texts, in symbols: first by lines, then by what differs within them. */
export function align(before: Symbols, after: Symbols, budget: DiffBudget): Gap[] {
  const lines = new LineNumbers();
  const [old, fresh] = [linesOf(before.numbers), linesOf(after.numbers)];
  const gaps = gapsBetween(lines.of(keysOf(before.numbers, old)), lines.of(keysOf(after.numbers, fresh)), budget);
  return gaps.flatMap((gap) => {
    const place = { start: startOf(old, gap.start), end: startOf(old, gap.end), newStart: startOf(fresh, gap.newStart), newEnd: startOf(fresh, gap.newEnd) };
    const inner = gapsBetween(before.numbers.subarray(place.start, place.end), after.numbers.subarray(place.newStart, place.newEnd), budget);
    return inner.map((part) => ({
      start: place.start + part.start,
      end: place.start + part.end,
      newStart: place.newStart + part.newStart,
      newEnd: place.newStart + part.newEnd,
    }));
  });
}

/** Where each line begins; and at last where all ends. */
function linesOf(numbers: Uint32Array): readonly number[] {
  const starts = [0];
  for (let end = numbers.indexOf(LINE_FEED); end !== -1; end = numbers.indexOf(LINE_FEED, end + 1)) starts.push(end + 1);
  if (starts.at(-1) !== numbers.length) starts.push(numbers.length);
  return starts;
}

function startOf(lines: readonly number[], line: number): number {
  return lines[line] ?? 0;
}

function keysOf(numbers: Uint32Array, lines: readonly number[]): string[] {
  return lines.slice(0, -1).map((start, line) => {
    const { buffer, byteOffset, byteLength } = numbers.subarray(start, lines[line + 1]);
    return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
  });
}
