import { chmodSync, closeSync, fstatSync, lstatSync, opendirSync, readlinkSync, type Dir, type Dirent, type Stats } from 'node:fs';
import { errnoOf, foldName } from '@devs/core';
import { isRepository } from '../files/git-layout.ts';
import { descriptorPath, fromRaw, openRawFolder, rawPath, readRawFolder } from './raw-names.ts';

const OWNER_ACCESS = 0o700;
/** Entries that the system is asked for at once. */
const AT_ONCE = 256;

export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(rawPath(path), { throwIfNoEntry: false });
  } catch {
    return undefined; // The reading says what is the matter.
  }
}

/** Works in a folder that is held, and is reached by no link; undefined when it is gone. */
export function inFolder<Result>(path: string, work: (descriptor: number) => Result): Result | undefined {
  const descriptor = openIfThere(path);
  if (descriptor === undefined) return undefined;
  try {
    return work(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export function openIfThere(path: string): number | undefined {
  try {
    return openRawFolder(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** Undefined where its owner may not look into it, or not at what is in it. */
export function readEntries(descriptor: number): Dirent[] | undefined {
  try {
    lstatSync(`${descriptorPath(descriptor)}/.`);
    return readRawFolder(descriptor);
  } catch (error) {
    if (errnoOf(error) === 'EACCES') return undefined;
    throw error;
  }
}

/** The same of a folder that is too large: whether it could be read. */
export function readNothing(descriptor: number): Dirent[] | undefined {
  try {
    lstatSync(`${descriptorPath(descriptor)}/.`);
    openEntries(descriptor).closeSync();
    return [];
  } catch (error) {
    if (errnoOf(error) === 'EACCES') return undefined;
    throw error;
  }
}

/** Gives a folder's owner back the right to look into it. False where that is not ours to do, or it is gone. */
export function unlock(path: string): boolean {
  return inFolder(path, (descriptor) => {
    try {
      chmodSync(descriptorPath(descriptor), (fstatSync(descriptor).mode & 0o7777) | OWNER_ACCESS);
      return true;
    } catch {
      return false;
    }
  }) === true;
}

/** The number of a removed file is given out again; its birth is not. */
export function identityOf({ dev, ino, birthtimeMs }: Stats): string {
  return `${String(dev)}:${String(ino)}:${String(birthtimeMs)}`;
}

/** The time of change, and whose it is. */
export function isUnchanged(known: Stats, now: Stats): boolean {
  return known.ctimeMs === now.ctimeMs && known.ino === now.ino && known.dev === now.dev && known.birthtimeMs === now.birthtimeMs;
}

export function keyOf(folder: string, entry: Dirent, descriptor: number): string {
  const key = `${folder}/${entry.name}`;
  if (!entry.isSymbolicLink()) return key;
  const stats = lstatSync(rawPath(`${descriptorPath(descriptor)}/${entry.name}`), { throwIfNoEntry: false });
  return stats === undefined ? key : `${key}/${identityOf(stats)}`;
}

/** What a link says, raw. Undefined where no link is. */
export function readLinkAt(place: string): string | undefined {
  try {
    return readlinkSync(rawPath(place), 'latin1');
  } catch (error) {
    if (['ENOENT', 'EINVAL'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** What is written in an entry that is a link, raw. */
export function linkOf(entry: Dirent, descriptor: number): string | undefined {
  return entry.isSymbolicLink() ? readLinkAt(`${descriptorPath(descriptor)}/${entry.name}`) : undefined;
}

export function findHeads(entries: readonly Dirent[]): string[] {
  const heads = headsIn(entries);
  if (heads.length === 0) return [];
  const names = new Set(entries.map(({ name }) => foldName(fromRaw(name))));
  return isRepository((name) => names.has(foldName(name))) ? heads : [];
}

export function headsIn(entries: readonly Dirent[]): string[] {
  return entries.filter(({ name }) => foldName(fromRaw(name)) === 'head').map(({ name }) => name);
}

/** Reads a folder bit by bit. Is to be closed. Errors: the operating system's. */
export function openEntries(descriptor: number): Dir {
  // As text, a name that is no UTF-8 could not be asked for by Node where a disk does not say what each entry is.
  return opendirSync(descriptorPath(descriptor), { encoding: 'buffer' as BufferEncoding, bufferSize: AT_ONCE });
}
