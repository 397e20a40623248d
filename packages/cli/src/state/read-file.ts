import { constants, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { errnoOf } from '@devs/core';

/** A configuration is far smaller; a larger file is refused before anything parses it. */
export const MAX_CONFIG_BYTES = 262_144;

export type FileReading =
  | { readonly kind: 'read'; readonly bytes: Buffer; readonly uid: number; readonly mode: number }
  | { readonly kind: 'absent' }
  /** `problem` follows the name of the file in a sentence. */
  | { readonly kind: 'unusable'; readonly problem: string };

// No link is followed, and no pipe in the file's place can hold devs up.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** One open, one read: the bytes that are hashed, shown and parsed are the same bytes. Never throws. */
export async function readSmallFile(file: string, maxBytes: number = MAX_CONFIG_BYTES): Promise<FileReading> {
  try {
    await using handle = await open(file, FLAGS);
    const stats = await handle.stat();
    if (!stats.isFile()) return { kind: 'unusable', problem: 'is not a regular file' };
    return await readUpTo(handle, stats, maxBytes);
  } catch (cause) {
    return toReading(errnoOf(cause));
  }
}

/** Counts what it read: a file may grow after it was measured. */
async function readUpTo(handle: FileHandle, { uid, mode }: Stats, maxBytes: number): Promise<FileReading> {
  const buffer = Buffer.alloc(maxBytes + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
    if (bytesRead === 0) return { kind: 'read', bytes: Buffer.from(buffer.subarray(0, length)), uid, mode };
    length += bytesRead;
  }
  return { kind: 'unusable', problem: `is larger than ${maxBytes} bytes` };
}

function toReading(code: unknown): FileReading {
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' };
  if (code === 'ELOOP') return { kind: 'unusable', problem: 'is a symbolic link' };
  return { kind: 'unusable', problem: `cannot be read${typeof code === 'string' ? ` (${code})` : ''}` };
}
