import { Buffer } from 'node:buffer';

/** What devs tells the guest: `guest.cts` has the other end. */
export const FRAME = Object.freeze({ text: 0, error: 1, wake: 2, tools: 3, code: 4, prelude: 5 });

/** Kind and id, before the text. */
const FIELD_BYTES = 5;
const LENGTH_BYTES = 4;

/** Of one message of the guest: a million characters, each `\u0000` in JSON. */
export const MOST_FRAME_BYTES = 6_010_000;

export function encodeFrame(kind: number, id: number, text: string): Buffer {
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + FIELD_BYTES + Buffer.byteLength(text));
  frame.writeUInt32BE(frame.length - LENGTH_BYTES, 0);
  frame.writeUInt8(kind, LENGTH_BYTES);
  frame.writeUInt32BE(id, LENGTH_BYTES + 1);
  frame.write(text, LENGTH_BYTES + FIELD_BYTES);
  return frame;
}

/** Puts the guest's messages together. The guest may be anybody: it holds no more than one message and one chunk. */
export class FrameReader {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** The texts that are whole now. @throws what the guest must not send: a message that is too long, or no UTF-8 */
  *add(chunk: Buffer): Generator<string, void, void> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (let length = this.#length(); length !== undefined && this.#bytes >= LENGTH_BYTES + length; length = this.#length()) {
      const whole = this.#join();
      const end = LENGTH_BYTES + length;
      this.#chunks = [whole.subarray(end)];
      this.#bytes -= end;
      yield this.#decoder.decode(whole.subarray(LENGTH_BYTES, end));
    }
  }

  /** Of the next message, once that is known. */
  #length(): number | undefined {
    if (this.#bytes < LENGTH_BYTES) return undefined;
    const first = this.#chunks[0];
    const start = first !== undefined && first.length >= LENGTH_BYTES ? first : this.#join();
    const length = start.readUInt32BE(0);
    if (length > MOST_FRAME_BYTES) throw new RangeError('a message of the guest is too long');
    return length;
  }

  #join(): Buffer {
    const [first] = this.#chunks;
    const whole = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    this.#chunks = [whole];
    return whole;
  }
}
