import type { Readable } from 'node:stream';
import type { CapturedOutput } from '@devs/core';

/** Of what is kept, the part that is the beginning. */
const HEAD_SHARE = 0.7;

/** Keeps the beginning and the end of what comes. As bytes, not as the chunks: of a million small ones each would cost memory. */
export class Capture {
  readonly #head: Buffer;
  /** A ring: the byte after the newest is the oldest, once it is full. */
  readonly #tail: Buffer;
  #inHead = 0;
  #pastHead = 0;

  /** @param keepBytes most bytes that are kept */
  constructor(keepBytes: number) {
    const headBytes = Math.ceil(keepBytes * HEAD_SHARE);
    this.#head = Buffer.allocUnsafe(headBytes);
    this.#tail = Buffer.allocUnsafe(keepBytes - headBytes);
  }

  add(chunk: Buffer): void {
    const fits = Math.min(this.#head.length - this.#inHead, chunk.length);
    chunk.copy(this.#head, this.#inHead, 0, fits);
    this.#inHead += fits;
    if (fits < chunk.length) this.#addToTail(chunk.subarray(fits));
  }

  get output(): CapturedOutput {
    const { length } = this.#tail;
    const oldest = this.#pastHead > length && length > 0 ? this.#pastHead % length : 0;
    const tail = Buffer.concat([this.#tail.subarray(oldest, Math.min(this.#pastHead, length)), this.#tail.subarray(0, oldest)]);
    return { head: Buffer.from(this.#head.subarray(0, this.#inHead)), tail, omitted: this.#pastHead - tail.length };
  }

  #addToTail(chunk: Buffer): void {
    const { length } = this.#tail;
    const last = chunk.subarray(Math.max(chunk.length - length, 0));
    this.#pastHead += chunk.length;
    if (length === 0) return;
    const begin = (this.#pastHead - last.length) % length;
    const untilEnd = last.copy(this.#tail, begin);
    last.copy(this.#tail, 0, untilEnd);
  }
}

/** All of a stream, to its end. */
export async function captureStream(stream: Readable, keepBytes: number): Promise<CapturedOutput> {
  const capture = new Capture(keepBytes);
  try {
    for await (const chunk of stream) capture.add(chunk as Buffer);
  } catch {
    // The process was ended from outside: what came until then counts.
  }
  return capture.output;
}
