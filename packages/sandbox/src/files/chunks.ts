import { read, readSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';

/** Up to here a call costs less than handing it to another thread (bytes); also the size of a chunk. */
export const CHUNK_BYTES = 262_144;

/** For files that have no size and yet content, as in `/proc`. */
const SMALLEST_CHUNK = 4_096;

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

/**
 * A file from its beginning to its end, in chunks that are only good until the next one is asked for. It
 * ends where the file does, not at the size that it had. Throws the signal's reason between chunks.
 */
export async function* readChunks(file: ReadableFile, signal: AbortSignal): AsyncGenerator<Buffer> {
  const isSmall = file.size < CHUNK_BYTES;
  // One byte more than it has: a small file is at its end after one read.
  const buffer = Buffer.alloc(isSmall ? Math.max(file.size + 1, SMALLEST_CHUNK) : CHUNK_BYTES);
  for (let position = 0; ; ) {
    signal.throwIfAborted();
    const window = { offset: 0, length: buffer.length, position };
    const count = isSmall
      ? readSync(file.descriptor, buffer, window)
      : (await readChunk(file.descriptor, buffer, 0, buffer.length, position)).bytesRead;
    if (count === 0) return;
    yield buffer.subarray(0, count);
    position += count;
  }
}

export interface ReadableFile {
  readonly descriptor: number;
  /** Bytes. */
  readonly size: number;
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
