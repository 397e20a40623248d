import type { ByteRange } from '@devs/core';
import type { FoundText } from '../marks.ts';
import { align, toSymbols, type WholeSpan } from './align.ts';
import type { DiffBudget } from './diff-budget.ts';
import { marksOf, type Marks, type Match } from './kept-marks.ts';
import type { ViewedFile } from './viewed-file.ts';

/** Bytes of a mark that are put back elsewhere. */
export interface MovedBytes {
  readonly from: ByteRange;
  /** Where they begin in what takes the place. */
  readonly at: number;
}

/** Bytes of the file that go, and what comes in their place. */
export interface Splice {
  readonly source: ByteRange;
  readonly bytes: Uint8Array;
  readonly moved: readonly MovedBytes[];
}

/**
 * What to change in the file so that it shows the new text where it showed the old: of what stays, the bytes stay
 * too, and a mark that is in both keeps what it stands for. From left to right.
 */
export function splicesOf(file: ViewedFile, match: Match, budget: DiffBudget): Splice[] {
  const { start, end, by } = match;
  const marks = marksOf(file, match);
  const old = toSymbols(file.text.slice(start, end), marks.old.map(toSpan));
  const fresh = toSymbols(by, marks.kept.map((mark) => toSpan(mark, mark.of)));
  const writer = new MarkedWriter(file, marks, by);
  const whole = file.view.sourceOf(start, end);
  return align(old, fresh, budget).map((gap) => ({
    source: within(whole, file.view.sourceOf(start + old.unitOf(gap.start), start + old.unitOf(gap.end))),
    ...writer.encode(fresh.unitOf(gap.newStart), fresh.unitOf(gap.newEnd)),
  }));
}

/** What is added at an edge of the match stays on its side of what is not shown there. */
function within(whole: ByteRange, { start, end }: ByteRange): ByteRange {
  return { start: Math.min(Math.max(start, whole.start), whole.end), end: Math.max(Math.min(end, whole.end), whole.start) };
}

function toSpan({ start, text }: FoundText, number: number): WholeSpan {
  return { start, end: start + text.length, number };
}

/** Encodes parts of the new text, from left to right. A mark in them that was moved there brings its bytes with it. */
class MarkedWriter {
  readonly #file: ViewedFile;
  readonly #marks: Marks;
  readonly #text: string;
  #next = 0;

  constructor(file: ViewedFile, marks: Marks, text: string) {
    this.#file = file;
    this.#marks = marks;
    this.#text = text;
  }

  encode(start: number, end: number): Pick<Splice, 'bytes' | 'moved'> {
    const parts: Uint8Array[] = [];
    const moved: MovedBytes[] = [];
    let length = 0;
    let done = start;
    const push = (part: Uint8Array) => {
      parts.push(part);
      length += part.length;
    };
    for (let mark = this.#marks.kept[this.#next]; mark !== undefined && mark.start < end; mark = this.#marks.kept[this.#next]) {
      this.#next += 1;
      const source = this.#marks.old[mark.of]?.source;
      if (mark.start < start || source === undefined) continue;
      push(this.#plain(done, mark.start));
      moved.push({ from: source, at: length });
      push(this.#file.bytes.subarray(source.start, source.end));
      done = mark.start + mark.text.length;
    }
    push(this.#plain(done, end));
    return { bytes: Buffer.concat(parts), moved };
  }

  #plain(start: number, end: number): Uint8Array {
    return this.#file.view.encode(this.#text.slice(start, end));
  }
}

/** How long the file is once all is done. */
export function lengthWith(file: ViewedFile, splices: readonly Splice[]): number {
  return splices.reduce((sum, { source, bytes }) => sum + bytes.length - (source.end - source.start), file.bytes.length);
}

/** What is not in a splice stays as it is, whether it is text or not. */
export function applySplices({ bytes }: ViewedFile, splices: readonly Splice[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let done = 0;
  for (const splice of splices) {
    parts.push(bytes.subarray(done, splice.source.start), splice.bytes);
    done = splice.source.end;
  }
  parts.push(bytes.subarray(done));
  return Buffer.concat(parts);
}
