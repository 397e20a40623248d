import { Buffer } from 'node:buffer';

/** What devs tells the guest: `guest.cts` has the other end. */
export const FRAME = Object.freeze({ text: 0, error: 1, wake: 2, tools: 3, code: 4, prelude: 5, image: 6 });

/** Kind and id, before the text. */
const FIELD_BYTES = 5;
const LENGTH_BYTES = 4;

/** Of one message of the guest: a million characters, each `\u0000` in JSON. */
export const MOST_FRAME_BYTES = 6_010_000;

export function encodeFrame(kind: number, id: number, content: string | Uint8Array): Buffer {
  const fields = Buffer.allocUnsafe(LENGTH_BYTES + FIELD_BYTES);
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  fields.writeUInt32BE(FIELD_BYTES + bytes.length, 0);
  fields.writeUInt8(kind, LENGTH_BYTES);
  fields.writeUInt32BE(id, LENGTH_BYTES + 1);
  return Buffer.concat([fields, bytes]);
}

/** Puts the guest's messages together. The guest may be anybody: it holds no more than one message and one chunk. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** The messages that are whole now. @throws RangeError for one that is too long */
  *add(chunk: Buffer): Generator<Buffer, void, void> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (let length = this.#length(); length !== undefined && this.#bytes >= LENGTH_BYTES + length; length = this.#length()) {
      const whole = this.#join();
      const end = LENGTH_BYTES + length;
      this.#chunks = [whole.subarray(end)];
      this.#bytes -= end;
      yield whole.subarray(LENGTH_BYTES, end);
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
