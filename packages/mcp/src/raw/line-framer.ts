import { MessageBuffer, type Content, type Oversized } from './message-buffer.ts';

export type Frame = { readonly kind: 'line'; readonly bytes: Buffer } | Oversized;

export interface LineFramerOptions {
  /** Largest line in bytes, the line feed not counted. */
  readonly maxBytes: number;
  /** Called once a line, in order. Its bytes are the receiver's. */
  readonly onFrame: (frame: Frame) => void;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Cuts a stream of bytes into lines, in bounded memory and linear time. */
export class LineFramer {
  readonly #onFrame: (frame: Frame) => void;
  readonly #line: MessageBuffer;

  constructor({ maxBytes, onFrame }: LineFramerOptions) {
    this.#line = new MessageBuffer(maxBytes);
    this.#onFrame = onFrame;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end === -1) break;
      this.#finish(this.#line.takeWith(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start < chunk.length) this.#line.push(chunk.subarray(start));
  }

  /** The stream is over: what has come without a line feed is a line too. */
  end(): void {
    if (this.#line.bytes > 0) this.#finish(this.#line.take());
  }

  #finish(content: Content): void {
    if (content.kind === 'oversized') return this.#onFrame(content);
    // Empty lines say nothing, and some senders end their lines with CR LF.
    const bytes = content.bytes.at(-1) === CARRIAGE_RETURN ? content.bytes.subarray(0, -1) : content.bytes;
    if (bytes.length > 0) this.#onFrame({ kind: 'line', bytes });
  }
}
