import { read, readSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';

/** Up to here a call costs less than handing it to another thread (bytes); also the size of a chunk. */
export const CHUNK_BYTES = 262_144;

const readChunk = promisify(read);
const writeChunk = promisify(write);

/**
 * Reads until `bytes` is full or the file ends, and returns how many bytes there were: the file may
 * have shrunk since its size was taken. Throws the signal's reason between chunks.
 */
export async function fillFromFile(descriptor: number, bytes: Uint8Array, from: FillOptions): Promise<number> {
  let filled = 0;
  while (filled < bytes.length) {
    from.signal.throwIfAborted();
    const length = Math.min(CHUNK_BYTES, bytes.length - filled);
    const window = { offset: filled, length, position: from.offset + filled };
    const count =
      bytes.length <= CHUNK_BYTES
        ? readSync(descriptor, bytes, window)
        : (await readChunk(descriptor, bytes, window.offset, window.length, window.position)).bytesRead;
    if (count === 0) break;
    filled += count;
  }
  return filled;
}

export interface FillOptions {
  /** Bytes from the start of the file. */
  readonly offset: number;
  readonly signal: AbortSignal;
}

/** Writes all bytes; a full disk may take a part before it says so. Throws the signal's reason between chunks. */
export async function drainToFile(descriptor: number, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    signal.throwIfAborted();
    const length = Math.min(CHUNK_BYTES, bytes.length - written);
    written +=
      bytes.length <= CHUNK_BYTES
        ? writeSync(descriptor, bytes, written, length)
        : (await writeChunk(descriptor, bytes, written, length)).bytesWritten;
  }
}
