import fs from 'node:fs';
import os from 'node:os';

/** What a write-ahead journal holds that counts. */
export interface JournalPages {
  readonly pageSize: number;
  /** Page number to the place of its newest committed content in the file. */
  readonly places: ReadonlyMap<number, number>;
}

/** The lowest bit says in which byte order the checksums were made. */
const MAGIC = 0x377f0682;
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const CHUNK_BYTES = 1_048_576;

type Checksum = readonly [number, number];

/**
 * Reads a write-ahead journal as SQLite does: up to the first frame of another generation or with a wrong checksum, and
 * of those the ones that were committed. One more or one less would be another database than the one that SQLite reads.
 * Undefined: nothing in it counts. (https://www.sqlite.org/fileformat2.html#the_write_ahead_log)
 */
export function readJournal(descriptor: number): JournalPages | undefined {
  const header = readAt(descriptor, 0, HEADER_BYTES);
  if (header === undefined || ((header.readUInt32BE(0) ^ MAGIC) >>> 1) !== 0) return undefined;
  const isBigEndian = (header.readUInt32BE(0) & 1) === 1;
  const pageSize = header.readUInt32BE(8);
  const isPower = (pageSize & (pageSize - 1)) === 0;
  if (pageSize < 512 || pageSize > 65_536 || !isPower) return undefined;
  const checksum = addUp(header.subarray(0, 24), [0, 0], isBigEndian);
  if (!isChecksum(header.subarray(24), checksum)) return undefined;
  const places = readFrames(descriptor, { pageSize, isBigEndian, salts: header.subarray(16, 24), checksum });
  return places.size === 0 ? undefined : { pageSize, places };
}

interface FrameReading {
  readonly pageSize: number;
  readonly isBigEndian: boolean;
  readonly salts: Buffer;
  readonly checksum: Checksum;
}

function readFrames(descriptor: number, { pageSize, isBigEndian, salts, checksum: start }: FrameReading): ReadonlyMap<number, number> {
  const committed = new Map<number, number>();
  let waiting: (readonly [page: number, place: number])[] = [];
  let checksum = start;
  for (const { frame, place } of iterateFrames(descriptor, FRAME_HEADER_BYTES + pageSize)) {
    const page = frame.readUInt32BE(0);
    if (page === 0 || !frame.subarray(8, 16).equals(salts)) break;
    checksum = addUp(frame.subarray(FRAME_HEADER_BYTES), addUp(frame.subarray(0, 8), checksum, isBigEndian), isBigEndian);
    if (!isChecksum(frame.subarray(16), checksum)) break;
    waiting.push([page, place + FRAME_HEADER_BYTES]);
    // The size of the database is said by the last frame of a transaction alone.
    if (frame.readUInt32BE(4) === 0) continue;
    for (const [name, where] of waiting) committed.set(name, where);
    waiting = [];
  }
  return committed;
}

function* iterateFrames(descriptor: number, frameBytes: number): Generator<{ readonly frame: Buffer; readonly place: number }> {
  const chunk = Buffer.alloc(Math.max(1, Math.floor(CHUNK_BYTES / frameBytes)) * frameBytes);
  for (let at = HEADER_BYTES; ; at += chunk.length) {
    const count = fs.readSync(descriptor, chunk, 0, chunk.length, at);
    for (let offset = 0; offset + frameBytes <= count; offset += frameBytes) {
      yield { frame: chunk.subarray(offset, offset + frameBytes), place: at + offset };
    }
    if (count < chunk.length) return;
  }
}

function addUp(bytes: Buffer, [first, second]: Checksum, isBigEndian: boolean): Checksum {
  const words = toWords(bytes, isBigEndian);
  // As 32-bit integers: a journal may have 40 MB, and this goes over all of it.
  let [one, other] = [first | 0, second | 0];
  for (let at = 0; at < words.length; at += 2) {
    one = (one + (words[at] ?? 0) + other) | 0;
    other = (other + (words[at + 1] ?? 0) + one) | 0;
  }
  return [one >>> 0, other >>> 0];
}

function toWords(bytes: Buffer, isBigEndian: boolean): Int32Array {
  const isNative = isBigEndian === (os.endianness() === 'BE');
  const aligned = isNative && bytes.byteOffset % 4 === 0 ? bytes : copyOf(bytes);
  if (!isNative) aligned.swap32();
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
}

/** In memory of its own, so that it begins at a word. */
function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.alloc(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** Checksums are stored big endian, whatever they were made of. */
function isChecksum(stored: Buffer, [first, second]: Checksum): boolean {
  return stored.readUInt32BE(0) === first && stored.readUInt32BE(4) === second;
}

function readAt(descriptor: number, at: number, length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length);
  return fs.readSync(descriptor, bytes, 0, length, at) === length ? bytes : undefined;
}
