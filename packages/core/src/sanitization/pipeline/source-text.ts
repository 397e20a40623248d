import { Buffer, isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { encodingOf, type Encoding } from '../../protocol/decode.ts';

/** Units between two places whose byte is remembered: a place is found by walking from the one before it. */
const STRIDE = 4_096;

/** Bytes as text, and which bytes are behind each unit of it. */
export interface SourceText {
  readonly text: string;
  /** Where the bytes of the unit at `index` begin; behind the last unit: where the bytes end. Quick for places from left to right. */
  byteAt(index: number): number;
  /** Where the first character begins of those that begin at this byte or behind it. */
  unitAt(byte: number): number;
  /** False: all of the bytes are text. */
  readonly mayBeBad: boolean;
  /** True when the unit at `index` is a U+FFFD that stands for bytes that are no text. Quick for places from left to right. */
  isBad(index: number): boolean;
  encode(text: string): Uint8Array;
}

/** `encoding`: of a piece whose start does not tell it. What a mark of byte order at the start says otherwise. */
export function readSource(bytes: Uint8Array, encoding: Encoding = encodingOf(bytes)): SourceText {
  const text = new TextDecoder(encoding).decode(bytes);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (encoding !== 'utf-8') return new Utf16Source(buffer, text, encoding);
  return isAscii(buffer) ? new AsciiSource(text) : new Utf8Source(buffer, text);
}

/** True between the two units of one character of a well-formed text. */
export function isInsidePair(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

const REPLACEMENT = 0xfffd;

/** Most files: a unit is a byte. */
class AsciiSource implements SourceText {
  readonly mayBeBad = false;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  byteAt(index: number): number {
    return index;
  }

  unitAt(byte: number): number {
    return Math.min(Math.max(0, byte), this.text.length);
  }

  isBad(): boolean {
    return false;
  }

  encode(text: string): Uint8Array {
    return Buffer.from(text, 'utf8');
  }
}

class Utf8Source implements SourceText {
  readonly text: string;
  readonly mayBeBad: boolean;
  readonly #bytes: Buffer;
  readonly #strides: number[];
  #unit = 0;
  #byte: number;

  constructor(bytes: Buffer, text: string) {
    this.text = text;
    this.mayBeBad = !isUtf8(bytes);
    this.#bytes = bytes;
    this.#byte = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    this.#strides = [this.#byte];
  }

  byteAt(index: number): number {
    const stride = Math.floor(index / STRIDE);
    if (index < this.#unit || stride > Math.floor(this.#unit / STRIDE)) this.#jump(stride);
    while (this.#unit < index) this.#step();
    return this.#byte;
  }

  unitAt(byte: number): number {
    // A file that is shown whole needs no walk to its end.
    if (byte >= this.#bytes.length) return this.text.length;
    let [low, high] = [0, this.#strideCount()];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.byteAt(Math.min(middle * STRIDE, this.text.length)) < byte) low = middle + 1;
      else high = middle;
    }
    let unit = Math.max(0, low - 1) * STRIDE;
    while (unit < this.text.length && this.byteAt(unit) < byte) unit += 1;
    return isInsidePair(this.text, unit) ? unit + 1 : unit;
  }

  isBad(index: number): boolean {
    return this.text.charCodeAt(index) === REPLACEMENT && !isLiteralReplacement(this.#bytes, this.byteAt(index));
  }

  encode(text: string): Uint8Array {
    return Buffer.from(text, 'utf8');
  }

  #strideCount(): number {
    return Math.ceil(this.text.length / STRIDE);
  }

  #jump(stride: number): void {
    const known = Math.min(stride, this.#strides.length - 1);
    this.#unit = known * STRIDE;
    this.#byte = this.#strides[known] ?? 0;
    while (this.#unit < stride * STRIDE) this.#step();
  }

  /** Over one unit. The second unit of a pair stands for nothing of its own: it begins where the pair ends. */
  #step(): void {
    this.#byte += utf8Length(this.text.charCodeAt(this.#unit), this.#bytes, this.#byte);
    this.#unit += 1;
    if (this.#unit % STRIDE === 0 && this.#strides.length === this.#unit / STRIDE) this.#strides.push(this.#byte);
  }
}

class Utf16Source implements SourceText {
  readonly text: string;
  readonly mayBeBad: boolean;
  readonly #bytes: Buffer;
  readonly #isBigEndian: boolean;
  /** Bytes of the mark of byte order, which is no unit of the text. */
  readonly #start: number;

  constructor(bytes: Buffer, text: string, encoding: Encoding) {
    this.text = text;
    this.mayBeBad = text.includes('\ufffd');
    this.#bytes = bytes;
    this.#isBigEndian = encoding === 'utf-16be';
    this.#start = this.#unitOfByte(0) === 0xfeff ? 2 : 0;
  }

  byteAt(index: number): number {
    return index >= this.text.length ? this.#bytes.length : this.#start + 2 * index;
  }

  unitAt(byte: number): number {
    const unit = Math.min(Math.max(0, Math.ceil((byte - this.#start) / 2)), this.text.length);
    return isInsidePair(this.text, unit) ? unit + 1 : unit;
  }

  isBad(index: number): boolean {
    return this.text.charCodeAt(index) === REPLACEMENT && this.#unitOfByte(this.byteAt(index)) !== REPLACEMENT;
  }

  encode(text: string): Uint8Array {
    const bytes = Buffer.from(text.toWellFormed(), 'utf16le');
    return this.#isBigEndian ? bytes.swap16() : bytes;
  }

  #unitOfByte(at: number): number {
    const [first = 0, second = 0] = [this.#bytes[at], this.#bytes[at + 1]];
    return this.#isBigEndian ? (first << 8) | second : (second << 8) | first;
  }
}

function utf8Length(unit: number, bytes: Buffer, at: number): number {
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  if (unit >= 0xd800 && unit <= 0xdbff) return 4;
  if (unit >= 0xdc00 && unit <= 0xdfff) return 0;
  return unit !== REPLACEMENT || isLiteralReplacement(bytes, at) ? 3 : badLength(bytes, at);
}

function isLiteralReplacement(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd;
}

/** Bytes that one U+FFFD stands for (WHATWG Encoding, UTF-8 decoder): the start of a character as far as it could be one. */
function badLength(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0;
  const needed = lead >= 0xf0 && lead <= 0xf4 ? 3 : lead >= 0xe0 && lead <= 0xef ? 2 : 1;
  // A second byte of these would make a character too long, a surrogate or one beyond the last.
  const lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  let length = 1;
  while (length < needed && isWithin(bytes[at + length], length === 1 ? [lowest, highest] : [0x80, 0xbf])) length += 1;
  return length;
}

function isWithin(byte: number | undefined, [lowest, highest]: readonly [number, number]): boolean {
  return byte !== undefined && byte >= lowest && byte <= highest;
}
