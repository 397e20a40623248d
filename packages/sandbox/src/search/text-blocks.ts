import { growMargin } from '../files/long-run.ts';

const LINE_FEED = 0x0a;

/** Whole lines of a file, in the midst of what stands around them. */
export interface TextBlock {
  /** Only good until the next block is asked for. */
  readonly bytes: Buffer;
  /** Where in `bytes` the block begins, and where it ends. */
  readonly start: number;
  readonly end: number;
  /** The number of its first line, counted from 1. */
  readonly line: number;
  /** Bytes of a line that may be shown; what it has beyond only tells what is masked in those. */
  readonly longestLine: number;
}

export interface BlockLimits {
  /** Bytes of one line that may be shown; of what a line has beyond, as much as a margin has is held. */
  readonly longestLine: number;
  /** Fewest bytes of a block that is not the last. */
  readonly block: number;
  /** Bytes before and after a block; before it more, where a key or a token goes on. */
  readonly margin: number;
}

/** Cuts the chunks of a file into blocks of whole lines, and holds little more than one of them. */
export class TextBlocks {
  readonly #limits: BlockLimits;
  /** The margin, and what is in no block yet. */
  #held: Buffer = Buffer.alloc(0);
  #start = 0;
  #line = 1;
  /** Bytes of the line that has not ended yet. */
  #unended = 0;
  #isCut = false;

  constructor(limits: BlockLimits) {
    this.#limits = limits;
  }

  /** True when a line is too long to be shown whole. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** The block that is complete with this chunk, if one is. */
  push(chunk: Buffer): TextBlock | undefined {
    // Copied: the chunk is only good until the next one.
    this.#held = Buffer.concat([this.#held, ...this.#shorten(chunk)]);
    const last = this.#held.length - this.#limits.margin;
    if (last - this.#start < this.#limits.block) return undefined;
    const end = this.#held.lastIndexOf(LINE_FEED, last - 1) + 1;
    return end > this.#start ? this.#take(end) : undefined;
  }

  /** What is left when the file has ended. */
  last(): TextBlock | undefined {
    return this.#held.length > this.#start ? this.#take(this.#held.length) : undefined;
  }

  #take(end: number): TextBlock {
    const { longestLine } = this.#limits;
    const block = { bytes: this.#held, start: this.#start, end, line: this.#line, longestLine };
    const first = end - this.#marginBefore(end);
    this.#line += countLineFeeds(this.#held.subarray(this.#start, end));
    this.#held = this.#held.subarray(first);
    this.#start = end - first;
    return block;
  }

  #marginBefore(end: number): number {
    let length = Math.min(end, this.#limits.margin);
    for (let longer = length; ; length = longer) {
      longer = growMargin(this.#held.subarray(end - length, end), end);
      if (longer <= length) return length;
    }
  }

  /** The chunk, as it is or in pieces, without what makes a line too long. */
  #shorten(chunk: Buffer): Buffer[] {
    const { longestLine, margin } = this.#limits;
    const last = chunk.lastIndexOf(LINE_FEED);
    const first = last === -1 ? chunk.length : chunk.indexOf(LINE_FEED);
    if (chunk.length <= longestLine && this.#unended + first <= longestLine) {
      this.#unended = last === -1 ? this.#unended + chunk.length : chunk.length - last - 1;
      return [chunk];
    }
    const pieces: Buffer[] = [];
    for (let start = 0; start < chunk.length; ) {
      const feed = chunk.indexOf(LINE_FEED, start);
      const end = feed === -1 ? chunk.length : feed;
      const kept = Math.min(end - start, longestLine + margin - this.#unended);
      if (this.#unended + kept > longestLine) this.#isCut = true;
      pieces.push(chunk.subarray(start, start + kept));
      if (feed !== -1) pieces.push(chunk.subarray(feed, feed + 1));
      this.#unended = feed === -1 ? this.#unended + kept : 0;
      start = end + 1;
    }
    return pieces;
  }
}

/** By hand: a call of `indexOf` for each of a million empty lines costs forty times this loop. */
export function countLineFeeds(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) {
    if (byte === LINE_FEED) count += 1;
  }
  return count;
}
