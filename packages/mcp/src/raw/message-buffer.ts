import { EnvelopePeeker, type EnvelopePeek } from './envelope-peek.ts';

/** A message that was not kept: too large, or of too many values to be parsed in bounded memory. */
export interface Oversized {
  readonly kind: 'oversized';
  readonly problem: string;
  /** As far as it has come. */
  readonly bytes: number;
  readonly peek: EnvelopePeek;
}

export type Content = { readonly kind: 'whole'; readonly bytes: Buffer } | Oversized;

const FIRST_ROOM = 64 * 1024;
/** Up to here a message's values cannot fill the memory, however many they are; they need not be counted. */
const COUNT_FROM_BYTES = 1024 * 1024;
/** `[[],[],…]` is 3 bytes a value on the wire and some 60 in memory: 32 MiB of it would end the process. */
export const MOST_VALUES = 1_000_000;
/** A key costs whoever looks through a message ten times what a number does: a million of them stop everything for seconds. A message that is not counted cannot hold more. */
const MOST_MEMBERS = 200_000;

/**
 * Keeps one message while its pieces come. Every byte is looked at a bounded number of times, whatever
 * the size of the pieces, and no more than `maxBytes` and the room to grow are ever held.
 */
export class MessageBuffer {
  readonly #maxBytes: number;
  readonly #firstRoom: number;
  /** What has come so far; undefined when it is not kept any more. */
  #kept: Buffer | undefined = Buffer.alloc(0);
  #bytes = 0;
  #peeker: EnvelopePeeker | undefined;

  /** @param firstRoom bytes to make room for with the first piece; a bet, at most 65,536 */
  constructor(maxBytes: number, firstRoom = FIRST_ROOM) {
    this.#maxBytes = maxBytes;
    this.#firstRoom = Math.min(firstRoom, FIRST_ROOM);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isTooLarge(): boolean {
    return this.#bytes > this.#maxBytes;
  }

  /** Bytes of memory that it will hold once so many more have come. */
  roomFor(more: number): number {
    const needed = this.#bytes + more;
    if (this.#kept === undefined || needed > this.#maxBytes) return 0;
    if (needed <= this.#kept.length) return this.#kept.length;
    // Doubled: a list of pieces would cost a hundred bytes for each byte that a slow sender sends.
    return Math.min(Math.max(this.#firstRoom, this.#kept.length * 2, needed), this.#maxBytes);
  }

  push(piece: Buffer): void {
    const before = this.#bytes;
    if (before + piece.length > this.#maxBytes) this.#drop();
    else if (this.#kept !== undefined) this.#keep(this.#kept, piece);
    this.#bytes += piece.length;
    if (this.#bytes > COUNT_FROM_BYTES && this.#peeker === undefined) this.#peekAt(before);
    this.#peeker?.push(piece);
  }

  /** The message that ends here. The buffer is then empty, for the next one. */
  take(): Content {
    const content = this.#toContent();
    this.#kept = Buffer.alloc(0);
    this.#bytes = 0;
    this.#peeker = undefined;
    return content;
  }

  /** The message that ends with this piece: not copied when it is all there is. */
  takeWith(last: Buffer): Content {
    const isWhole = this.#bytes === 0 && last.length <= Math.min(this.#maxBytes, COUNT_FROM_BYTES);
    if (isWhole) return { kind: 'whole', bytes: last };
    this.push(last);
    return this.take();
  }

  #toContent(): Content {
    const crowd = this.#describeCrowd();
    if (this.#kept !== undefined && crowd === undefined) return { kind: 'whole', bytes: this.#kept.subarray(0, this.#bytes) };
    const problem = this.isTooLarge || crowd === undefined ? `is ${this.#bytes} bytes long; at most ${this.#maxBytes} are accepted` : crowd;
    return { kind: 'oversized', problem, bytes: this.#bytes, peek: this.#peeker?.peek ?? {} };
  }

  #describeCrowd(): string | undefined {
    const { values, members } = this.#peeker ?? { values: 0, members: 0 };
    if (values > MOST_VALUES) return `holds more than ${MOST_VALUES} values`;
    return members > MOST_MEMBERS ? `holds more than ${MOST_MEMBERS} members of objects` : undefined;
  }

  /** Looks at what was kept before it is let go: the id may have been in it. */
  #drop(): void {
    if (this.#kept === undefined) return;
    if (this.#peeker === undefined) this.#peekAt(this.#bytes);
    this.#kept = undefined;
  }

  #peekAt(bytes: number): void {
    this.#peeker = new EnvelopePeeker();
    if (this.#kept !== undefined) this.#peeker.push(this.#kept.subarray(0, bytes));
  }

  #keep(kept: Buffer, piece: Buffer): void {
    const size = this.roomFor(piece.length);
    if (size > kept.length) {
      this.#kept = Buffer.allocUnsafe(size);
      kept.copy(this.#kept, 0, 0, this.#bytes);
    }
    piece.copy(this.#kept ?? kept, this.#bytes);
  }
}
