import { Buffer } from 'node:buffer';

/** Units that are gathered before a string is made of them, and of the source that are copied at once. */
const CHUNK = 4_096;
/** A longer piece is kept as it is: a copy, unit by unit, costs more. */
const LONGEST_COPY = 256;
/** Pieces that are kept as they are before any is gathered: most texts have no more. */
const FEW_PIECES = 64;
/** The last unit that an engine keeps in a byte. */
const LAST_NARROW = 0xff;

/** Numbers, and the bytes that they consist of. */
class Units {
  readonly bytes: Buffer;
  readonly numbers: Uint16Array;

  constructor(length: number) {
    // Of a short text from the pool, whose pieces begin at multiples of eight: a result may hold a million.
    this.bytes = Buffer.allocUnsafe(2 * length);
    this.numbers = new Uint16Array(this.bytes.buffer, this.bytes.byteOffset, length);
  }
}

/**
 * Puts a text together of many short pieces of another, from left to right. A string for each piece costs five times as much as its
 * units, and `charCodeAt` twice: a hostile text has a million.
 */
export class UnitWriter {
  readonly #source: string;
  /** Undefined until a piece is gathered. */
  #units: Units | undefined;
  #window: Units | undefined;
  /** The units at hand, a byte each. */
  #bytes: Buffer | undefined;
  /** Of the source, what the window holds. */
  #windowStart = 0;
  #windowEnd = 0;
  readonly #room: number;
  #used = 0;
  /** All bits of the units at hand. */
  #bits = 0;
  /** Joined at the end: a string that was added to bit by bit is slower to read. */
  readonly #pieces: string[] = [];
  #length = 0;

  /** @param source what pieces are taken from */
  constructor(source: string) {
    this.#source = source;
    // A replacement may be longer than a short source: what lies beyond the room would be lost.
    this.#room = Math.max(LONGEST_COPY, Math.min(CHUNK, source.length));
  }

  get length(): number {
    return this.#length;
  }

  get #hasFew(): boolean {
    return this.#units === undefined && this.#pieces.length < FEW_PIECES;
  }

  /** A piece of the source. */
  copy(start: number, end: number): void {
    if (start === end) return;
    this.#length += end - start;
    if (end - start > LONGEST_COPY || this.#hasFew) return this.#append(this.#source.slice(start, end));
    const { numbers } = this.#unitsFor(end - start);
    const source = this.#windowAt(start, end).numbers;
    let [used, bits] = [this.#used, this.#bits];
    const last = end - this.#windowStart;
    for (let at = start - this.#windowStart; at < last; at += 1) {
      const unit = source[at] ?? 0;
      numbers[used] = unit;
      bits |= unit;
      used += 1;
    }
    this.#used = used;
    this.#bits = bits;
  }

  write(text: string): void {
    this.#length += text.length;
    if (text.length > LONGEST_COPY || this.#hasFew) return this.#append(text);
    const { numbers } = this.#unitsFor(text.length);
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      numbers[this.#used] = unit;
      this.#bits |= unit;
      this.#used += 1;
    }
  }

  finish(): string {
    this.#flush();
    return this.#pieces.join('');
  }

  /** With room for so many. */
  #unitsFor(count: number): Units {
    if (this.#used + count > this.#room) this.#flush();
    return (this.#units ??= new Units(this.#room));
  }

  #windowAt(start: number, end: number): Units {
    const window = (this.#window ??= new Units(this.#room));
    if (start >= this.#windowStart && end <= this.#windowEnd) return window;
    this.#windowStart = start;
    this.#windowEnd = Math.min(start + this.#room, this.#source.length);
    window.bytes.write(this.#source.slice(start, this.#windowEnd), 'utf16le');
    return window;
  }

  #narrow(numbers: Uint16Array): string {
    const bytes = (this.#bytes ??= Buffer.allocUnsafe(this.#room));
    bytes.set(numbers.subarray(0, this.#used));
    return bytes.toString('latin1', 0, this.#used);
  }

  #append(piece: string): void {
    this.#flush();
    this.#pieces.push(piece);
  }

  #flush(): void {
    if (this.#units === undefined || this.#used === 0) return;
    const { bytes, numbers } = this.#units;
    this.#pieces.push(this.#bits <= LAST_NARROW ? this.#narrow(numbers) : bytes.toString('utf16le', 0, 2 * this.#used));
    this.#used = 0;
    this.#bits = 0;
  }
}
