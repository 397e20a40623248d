import type { CountedStep } from './tally.ts';

/** Why a place of a text is not as its source: the name of the step and of its rule. */
export interface Cause {
  readonly step: CountedStep;
  readonly rule: string;
}

/** A change to be remembered: units of the source, and how many of the text stand for them. */
export interface NewChange {
  readonly start: number;
  readonly end: number;
  readonly viewLength: number;
  readonly cause: Cause;
}

/** In bytes. Most changes take four. The first block is small: most texts that are changed at all have few changes. */
const BLOCK_SIZE = 1_024;
const FIRST_BLOCK_SIZE = 64;
/** Most bytes of a change: four numbers of at most five. */
const LONGEST = 20;

/** Changes in a row, as numbers of seven bits a byte: units from the end of the one before, of the source, of the text; the cause. */
interface Block {
  readonly bytes: Uint8Array;
  used: number;
  /** Where the last change before the block ends. */
  readonly sourceEnd: number;
  readonly viewEnd: number;
}

/**
 * Which piece of a source stands for which of the text that was made of it, where the two differ; in between they are
 * the same, unit by unit. A hostile file holds millions: each takes some four bytes, and a row of deletions is one.
 */
export class ChangeMap {
  readonly #blocks: Block[] = [];
  readonly #causes: Cause[] = [];
  #length = 0;
  /** Added, but not yet in a block: a deletion may go on. */
  #last: { start: number; end: number; viewLength: number; causeNumber: number } | undefined;
  /** The one that was asked for last: changes come in rows of one cause. */
  #known: { readonly cause: Cause | undefined; readonly number: number } = { cause: undefined, number: 0 };
  #sourceEnd = 0;
  #viewEnd = 0;

  get length(): number {
    return this.#length;
  }

  /** To the right of all that was added before. */
  add({ start, end, viewLength, cause }: NewChange): void {
    const last = this.#last;
    if (last !== undefined && viewLength === 0 && last.viewLength === 0 && last.end === start) {
      last.end = end;
      return;
    }
    this.#write();
    this.#length += 1;
    this.#last = { start, end, viewLength, causeNumber: this.#numberOf(cause) };
  }

  /** At the first change. What is added later is not seen by it. */
  cursor(): ChangeCursor {
    this.#write();
    return new ChangeCursor(this.#blocks, this.#causes);
  }

  #write(): void {
    if (this.#last === undefined) return;
    const { start, end, viewLength, causeNumber } = this.#last;
    this.#last = undefined;
    const gap = start - this.#sourceEnd;
    const block = this.#blockToFill();
    // Not as a list: it would be made a million times.
    writeNumber(block, gap);
    writeNumber(block, end - start);
    writeNumber(block, viewLength);
    writeNumber(block, causeNumber);
    this.#sourceEnd = end;
    this.#viewEnd += gap + viewLength;
  }

  #blockToFill(): Block {
    const last = this.#blocks.at(-1);
    if (last !== undefined && last.used + LONGEST <= last.bytes.length) return last;
    const block = { bytes: new Uint8Array(last === undefined ? FIRST_BLOCK_SIZE : BLOCK_SIZE), used: 0, sourceEnd: this.#sourceEnd, viewEnd: this.#viewEnd };
    this.#blocks.push(block);
    return block;
  }

  /** There are few causes. */
  #numberOf(cause: Cause): number {
    if (cause === this.#known.cause) return this.#known.number;
    const found = this.#causes.findIndex(({ step, rule }) => step === cause.step && rule === cause.rule);
    this.#known = { cause, number: found >= 0 ? found : this.#causes.push(cause) - 1 };
    return this.#known.number;
  }
}

function writeNumber(block: Block, number: number): void {
  const { bytes } = block;
  let left = number;
  for (; left > 0x7f; left >>>= 7) {
    bytes[block.used] = (left & 0x7f) | 0x80;
    block.used += 1;
  }
  bytes[block.used] = left;
  block.used += 1;
}

const NO_CAUSE: Cause = { step: 'decode', rule: 'unknown' };

/**
 * One change of a map, and what leads from it to the next. An object for each would be most of the work. Behind the
 * last change it lies beyond every place.
 */
export class ChangeCursor {
  sourceStart = 0;
  sourceEnd = 0;
  viewStart = 0;
  viewEnd = 0;
  cause = NO_CAUSE;
  /** From the change before to this one, a place of the text lies so much further on in the source. */
  shift = 0;
  readonly #blocks: readonly Block[];
  readonly #causes: readonly Cause[];
  #block = 0;
  #at = 0;
  /** Where the change before ends; and where it begins, if it is in the same block. */
  #sourceBefore = 0;
  #viewBefore = 0;
  #startBefore = -1;

  constructor(blocks: readonly Block[], causes: readonly Cause[]) {
    this.#blocks = blocks;
    this.#causes = causes;
    this.#read();
  }

  get isDone(): boolean {
    return this.viewStart === Infinity;
  }

  advance(): void {
    if (this.isDone) throw new RangeError('Behind the last change there is none.');
    this.#sourceBefore = this.sourceEnd;
    this.#viewBefore = this.viewEnd;
    this.#startBefore = this.viewStart;
    this.#read();
  }

  /** To the first change that ends behind this place of the text. Quick from left to right. */
  toView(place: number): void {
    this.toViewEdge(place);
    while (this.viewEnd <= place) this.advance();
  }

  /** To the first change that ends behind this place of the text, or is a deletion right there. */
  toViewEdge(place: number): void {
    if (this.#viewBefore > place || this.#startBefore >= place || this.#isBeyondBlock('viewEnd', place)) this.#jump('viewEnd', place);
    while (this.viewEnd <= place && this.viewStart < place) this.advance();
  }

  /** To the first change that ends behind this place of the source. */
  toSource(place: number): void {
    if (this.#sourceBefore > place || this.#isBeyondBlock('sourceEnd', place)) this.#jump('sourceEnd', place);
    while (this.sourceEnd <= place) this.advance();
  }

  #isBeyondBlock(side: 'sourceEnd' | 'viewEnd', place: number): boolean {
    const next = this.#blocks[this.#block + 1];
    return next !== undefined && next[side] < place;
  }

  /** To the first change of the last block that has only changes before it that end before the place. */
  #jump(side: 'sourceEnd' | 'viewEnd', place: number): void {
    let [low, high] = [0, this.#blocks.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#blocks[middle]?.[side] ?? 0) < place) low = middle;
      else high = middle - 1;
    }
    const { sourceEnd = 0, viewEnd = 0 } = this.#blocks[low] ?? {};
    this.#block = low;
    this.#at = 0;
    this.#sourceBefore = sourceEnd;
    this.#viewBefore = viewEnd;
    this.#startBefore = -1;
    this.#read();
  }

  #read(): void {
    this.shift = this.#sourceBefore - this.#viewBefore;
    let block = this.#blocks[this.#block];
    if (block !== undefined && this.#at >= block.used) {
      this.#at = 0;
      this.#block += 1;
      block = this.#blocks[this.#block];
    }
    if (block === undefined) {
      this.sourceStart = this.sourceEnd = this.viewStart = this.viewEnd = Infinity;
      return;
    }
    const { bytes } = block;
    const gap = this.#number(bytes);
    this.sourceStart = this.#sourceBefore + gap;
    this.sourceEnd = this.sourceStart + this.#number(bytes);
    this.viewStart = this.#viewBefore + gap;
    this.viewEnd = this.viewStart + this.#number(bytes);
    this.cause = this.#causes[this.#number(bytes)] ?? NO_CAUSE;
  }

  #number(bytes: Uint8Array): number {
    let byte = bytes[this.#at] ?? 0;
    let number = byte & 0x7f;
    this.#at += 1;
    for (let bits = 7; byte > 0x7f; bits += 7) {
      byte = bytes[this.#at] ?? 0;
      number |= (byte & 0x7f) << bits;
      this.#at += 1;
    }
    return number;
  }
}
