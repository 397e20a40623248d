import { errnoOf } from '@devs/core';
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsync,
  openSync,
  renameSync,
  unlinkSync,
  type Stats,
} from 'node:fs';
import { promisify } from 'node:util';
import { drainToFile } from './chunks.ts';
import { confirmWritable, type FsRootParts } from './fs-root-parts.ts';
import { childPath, type Place } from './places.ts';
import { TEMPORARY_PREFIX } from './protection.ts';
import type { WriteTarget } from './write-target.ts';

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const PROBE = constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
const PERMISSIONS = 0o777;

const flush = promisify(fsync);

export interface Content {
  readonly bytes: Uint8Array;
  readonly signal: AbortSignal;
  /** Called when all but the rename is done. Throws to leave everything as it was. */
  readonly lastCheck?: () => Promise<void> | void;
}

/**
 * Puts a whole new file in the target's place, or leaves everything as it was: written aside, flushed,
 * then renamed within the folder that is held. Hard links to the old file keep the old bytes.
 */
export async function replaceFile(parts: FsRootParts, target: WriteTarget, content: Content): Promise<void> {
  const { place, name, existing } = target;
  const path = childPath(place, name);
  if (existing !== undefined) refuseReadOnly(path);
  confirmWritable(parts, place, [name]);
  const temporary = childPath(place, `${TEMPORARY_PREFIX}${parts.createId()}`);
  const descriptor = openSync(temporary, CREATE, existing === undefined ? 0o666 : 0o600);
  try {
    await fillTemporary(descriptor, existing, content);
    await content.lastCheck?.();
    // Again, at the last moment: the folder may have been moved out while the bytes were flushed.
    confirmWritable(parts, place, [name]);
    renameSync(temporary, path);
  } catch (error) {
    removeTemporary(temporary);
    throw error;
  } finally {
    closeSync(descriptor);
  }
  await flushFolder(place);
}

/** A rename asks only the folder: a file that its owner made read-only would be replaced all the same. */
function refuseReadOnly(path: string): void {
  try {
    closeSync(openSync(path, PROBE));
  } catch (error) {
    // A program that is running cannot be opened for writing, but may be replaced.
    if (errnoOf(error) !== 'ETXTBSY') throw error;
  }
}

async function fillTemporary(descriptor: number, existing: Stats | undefined, content: Content): Promise<void> {
  await drainToFile(descriptor, content.bytes, content.signal);
  if (existing !== undefined) keepOwnerAndMode(descriptor, existing);
  await flush(descriptor);
  content.signal.throwIfAborted();
}

/** Set-user-id bits are dropped, as the system does when a file is written. */
function keepOwnerAndMode(descriptor: number, existing: Stats): void {
  if (existing.uid !== process.geteuid?.() || existing.gid !== process.getegid?.()) {
    try {
      fchownSync(descriptor, existing.uid, existing.gid);
    } catch {
      // Only a superuser may give files away; anyone else becomes the owner, as with any editor.
    }
  }
  fchmodSync(descriptor, existing.mode & PERMISSIONS);
}

function removeTemporary(temporary: string): void {
  try {
    unlinkSync(temporary);
  } catch {
    // Gone with its folder, or to be swept at the next start; the reason for the failure matters more.
  }
}

/** Makes the rename itself last. The file is already in its place, so a failure here is none of the call's. */
async function flushFolder(place: Place): Promise<void> {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(place.path, constants.O_RDONLY | constants.O_DIRECTORY);
    await flush(descriptor);
  } catch {
    // Some file systems cannot flush a folder.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
