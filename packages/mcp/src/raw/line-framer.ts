import { Glimpser, type Glimpse } from './glimpse.ts';

export type Frame =
  | { readonly kind: 'line'; readonly bytes: Buffer }
  | {
      /** A line that was not kept: too large, or of too many values to be parsed in bounded memory. */
      readonly kind: 'oversized';
      readonly problem: string;
      /** Its length, the line feed not counted. */
      readonly bytes: number;
      readonly glimpse: Glimpse;
    };

export interface LineFramerOptions {
  /** Largest line in bytes, the line feed not counted. */
  readonly maxBytes: number;
  /** Called once a line, in order. Its bytes are the receiver's. */
  readonly onFrame: (frame: Frame) => void;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const FIRST_ROOM = 64 * 1024;
/** Up to here a line's values cannot fill the memory, however many they are; they need not be counted. */
const COUNT_FROM_BYTES = 1024 * 1024;
/** `[[],[],…]` is 3 bytes a value on the wire and some 60 in memory: 32 MiB of it would end the process. */
const MOST_VALUES = 1_000_000;

/**
 * Cuts a stream of bytes into lines. Every byte is looked at a bounded number of times, whatever the
 * size of the pieces, and no more than `maxBytes` and the room to grow are ever held.
 */
export class LineFramer {
  readonly #maxBytes: number;
  readonly #onFrame: (frame: Frame) => void;
  /** What has come of the line so far; undefined when it is not kept any more. */
  #kept: Buffer | undefined = Buffer.alloc(0);
  #bytes = 0;
  #glimpser: Glimpser | undefined;

  constructor({ maxBytes, onFrame }: LineFramerOptions) {
    this.#maxBytes = maxBytes;
    this.#onFrame = onFrame;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end === -1) break;
      this.#finish(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  /** The stream is over: what has come without a line feed is a line too. */
  end(): void {
    if (this.#bytes > 0) this.#finish(Buffer.alloc(0));
  }

  #finish(last: Buffer): void {
    const isWhole = this.#bytes === 0 && last.length <= Math.min(this.#maxBytes, COUNT_FROM_BYTES);
    if (!isWhole) this.#add(last);
    const frame = isWhole ? this.#toLine(last) : this.#toFrame();
    this.#kept = Buffer.alloc(0);
    this.#bytes = 0;
    this.#glimpser = undefined;
    if (frame !== undefined) this.#onFrame(frame);
  }

  #toFrame(): Frame | undefined {
    const values = this.#glimpser?.values ?? 0;
    if (this.#kept !== undefined && values <= MOST_VALUES) return this.#toLine(this.#kept.subarray(0, this.#bytes));
    const problem =
      this.#bytes > this.#maxBytes
        ? `is ${this.#bytes} bytes long; at most ${this.#maxBytes} are accepted`
        : `holds more than ${MOST_VALUES} values`;
    return { kind: 'oversized', problem, bytes: this.#bytes, glimpse: this.#glimpser?.glimpse ?? {} };
  }

  /** Empty lines say nothing, and some senders end their lines with CR LF. */
  #toLine(line: Buffer): Frame | undefined {
    const bytes = line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
    return bytes.length === 0 ? undefined : { kind: 'line', bytes };
  }

  #add(piece: Buffer): void {
    const before = this.#bytes;
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) this.#drop(before);
    else if (this.#kept !== undefined) this.#keep(this.#kept, { piece, at: before });
    if (this.#bytes > COUNT_FROM_BYTES && this.#glimpser === undefined) {
      this.#glimpser = new Glimpser();
      this.#glimpser.push(this.#kept?.subarray(0, before) ?? piece.subarray(0, 0));
    }
    this.#glimpser?.push(piece);
  }

  /** Looks at what was kept before it is let go: the id may have been in it. */
  #drop(before: number): void {
    if (this.#kept === undefined) return;
    if (this.#glimpser === undefined) {
      this.#glimpser = new Glimpser();
      this.#glimpser.push(this.#kept.subarray(0, before));
    }
    this.#kept = undefined;
  }

  /** Doubles the room: a list of pieces would cost a hundred bytes for each byte that a slow sender sends. */
  #keep(kept: Buffer, { piece, at }: { readonly piece: Buffer; readonly at: number }): void {
    let room = kept;
    if (at + piece.length > kept.length) {
      const size = Math.min(Math.max(FIRST_ROOM, kept.length * 2, at + piece.length), Math.max(this.#maxBytes, piece.length));
      room = Buffer.allocUnsafe(size);
      kept.copy(room, 0, 0, at);
      this.#kept = room;
    }
    piece.copy(room, at);
  }
}
