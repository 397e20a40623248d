import { createHash } from 'node:crypto';
import { chmodSync, closeSync, createReadStream, fchmodSync, fsyncSync, lstatSync, readSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { PassThrough, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflate } from 'node:zlib';
import { childPath, type Place } from '../files/places.ts';
import { commitRefused } from './commit-refused.ts';
import { createFile, makeFolder, writeFully } from './git-folder.ts';

/** Bytes of one file, unpacked. */
const MOST_BYTES = 2_147_483_648;
const CHUNK = 1_048_576;

export interface Hashing {
  readonly algorithm: 'sha1' | 'sha256';
  /** Whether the file is packed, and what it unpacks to is hashed. */
  readonly isPacked: boolean;
}

/** The hash of an open file's content, in hexadecimal. @throws DevsError COMMIT_REFUSED: it is too large. Errors of zlib. */
export async function hashContent(descriptor: number, { algorithm, isPacked }: Hashing): Promise<string> {
  const hash = createHash(algorithm);
  let size = 0;
  const sink = new Writable({
    write(chunk: Buffer, _, done) {
      size += chunk.length;
      hash.update(chunk);
      done(size > MOST_BYTES ? commitRefused('a file of the commit is too large.') : null);
    },
  });
  await pipeline(createReadStream('', { fd: descriptor, autoClose: false, start: 0 }), isPacked ? createInflate() : new PassThrough(), sink);
  return hash.digest('hex');
}

/** A folder like the one around it: a repository may be shared by a group. */
export function makeLike(around: Place, name: string): void {
  if (makeFolder(around, name)) chmodSync(childPath(around, name), statSync(around.path).mode & 0o7777);
}

export interface Copied {
  readonly name: string;
  /** The name that it has until it is whole. */
  readonly temporary: string;
  readonly mode: number;
}

/** Copies an open file to where there is none of its name, durably, as a whole or not at all. What is named by its content is the same already. */
export function copyContent(descriptor: number, place: Place, { name, temporary, mode }: Copied): void {
  if (lstatSync(childPath(place, name), { throwIfNoEntry: false }) !== undefined) return;
  const target = createFile(place, temporary, mode);
  try {
    const chunk = Buffer.alloc(CHUNK);
    let at = 0;
    for (let read = readSync(descriptor, chunk, 0, CHUNK, at); read > 0; read = readSync(descriptor, chunk, 0, CHUNK, at)) {
      writeFully(target, chunk.subarray(0, read));
      at += read;
    }
    fchmodSync(target, mode);
    fsyncSync(target);
    renameSync(childPath(place, temporary), childPath(place, name));
  } catch (error) {
    unlinkSync(childPath(place, temporary));
    throw error;
  } finally {
    closeSync(target);
  }
}
