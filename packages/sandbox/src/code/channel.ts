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

/**
 * Puts the guest's messages together. The guest may be anybody: what comes is copied into the one message that is not whole
 * yet, and not kept. Of a message that comes byte by byte each chunk would weigh a hundred times what it holds.
 */
export class FrameReader {
  readonly #header = Buffer.alloc(LENGTH_BYTES);
  /** Undefined until its length is known. */
  #message: Buffer | undefined;
  /** Bytes of it, or of the length before it, that are there. */
  #filled = 0;

  /** The messages that are whole now. @throws RangeError for one that is too long */
  *add(chunk: Buffer): Generator<Buffer, void, void> {
    for (let at = 0; ; ) {
      const target = this.#message ?? this.#header;
      const count = chunk.copy(target, this.#filled, at);
      at += count;
      this.#filled += count;
      if (this.#filled < target.length) return;
      this.#filled = 0;
      this.#message = target === this.#header ? Buffer.allocUnsafe(this.#length()) : undefined;
      if (target !== this.#header) yield target;
    }
  }

  #length(): number {
    const length = this.#header.readUInt32BE(0);
    if (length > MOST_FRAME_BYTES) throw new RangeError('a message of the guest is too long');
    return length;
  }
}
