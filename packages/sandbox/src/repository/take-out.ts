import { chmodSync, lstatSync, renameSync, rmdirSync, statSync, unlinkSync } from 'node:fs';
import { errnoOf } from '@devs/core';
import { rawPath } from './raw-names.ts';

/** How names are changed. Stands for the disk where a test has none that is full. */
export interface NameChanges {
  readonly rename: (from: string | Buffer, to: string | Buffer) => void;
  readonly unlink: (path: string | Buffer) => void;
  readonly rmdir: (path: string | Buffer) => void;
}

const ON_DISK: NameChanges = { rename: renameSync, unlink: unlinkSync, rmdir: rmdirSync };
/** How many short names are tried. */
const TRIES = 8;
/** The disk, or the account's share of it, is full. */
const NO_ROOM: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

export interface TakenOut {
  /** Raw paths of the folder, and names in it. */
  readonly folder: string;
  readonly name: string;
  readonly aside: string;
  /** Another one each time: letters, digits and `-`. */
  readonly createId: () => string;
  /** Default: the disk. */
  readonly changes?: NameChanges | undefined;
}

/**
 * Renames what was planted, and says to what; undefined when there was no room for any name, and it was removed. A command can
 * fill the disk and the blocks of a folder, so that the folder has no room for a longer name: then a name of four letters has
 * to do, which is as short as `.git`. A file is not worth keeping where not even that has room. A folder with content stays.
 * @throws the operating system's error of the first attempt
 */
export function takeOut(order: TakenOut): string | undefined {
  return withAccess(order.folder, () => {
    try {
      rename(order, order.aside);
      return order.aside;
    } catch (error) {
      if (['ENOENT', 'EACCES'].includes(errnoOf(error) ?? '')) throw error;
      const short = renameShort(order);
      // For want of room alone: whatever else keeps a file in its place is no reason to lose it.
      if (short === undefined && !NO_ROOM.has(errnoOf(error))) throw error;
      if (short === undefined) remove(order, error);
      return short;
    }
  });
}

function rename({ folder, name, changes = ON_DISK }: TakenOut, to: string): void {
  changes.rename(rawPath(`${folder}/${name}`), rawPath(`${folder}/${to}`));
}

function renameShort(order: TakenOut): string | undefined {
  for (let left = TRIES; left > 0; left -= 1) {
    const short = `_${order.createId().slice(-3)}`;
    // Of so few letters another file may have the same: a rename would replace it.
    if (lstatSync(rawPath(`${order.folder}/${short}`), { throwIfNoEntry: false }) !== undefined) continue;
    try {
      rename(order, short);
      return short;
    } catch {
      return undefined;
    }
  }
  return undefined;
}

function remove({ folder, name, changes = ON_DISK }: TakenOut, first: unknown): void {
  const place = rawPath(`${folder}/${name}`);
  for (const change of [changes.unlink, changes.rmdir]) {
    try {
      change(place);
      return;
    } catch {
      // The first error says more.
    }
  }
  throw first;
}

/** Who may not write a folder may still not keep in it what devs has to take out: the mode is put back. */
export function withAccess<Result>(folder: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (errnoOf(error) !== 'EACCES') throw error;
    const mode = statSync(folder).mode & 0o7777;
    chmodSync(folder, mode | 0o700);
    try {
      return work();
    } finally {
      chmodSync(folder, mode);
    }
  }
}
