import { closeSync, constants, fstatSync, lchownSync, lstatSync, mkdirSync, openSync, readdirSync, readSync, statSync, writeSync, type Dirent } from 'node:fs';
import { errnoOf } from '@devs/core';
import { LinuxPlaces } from '../files/linux-places.ts';
import { childPath, type Place } from '../files/places.ts';
import { commitRefused } from './commit-refused.ts';

interface Within {
  /** Makes the folders that are missing. Default false. */
  readonly make?: boolean;
}

/**
 * A git folder as devs reads and writes it: no link in it is followed, and nothing is read that is no regular file or larger
 * than is sensible. A cloned project is data, and so is its `.git`: `HEAD` may be a link to a private key.
 */
export class GitFolder implements Disposable {
  readonly path: string;
  readonly #places: LinuxPlaces;

  /** @param path absolute; links on the way are followed once. Errors: the operating system's. */
  constructor(path: string) {
    this.#places = new LinuxPlaces(path);
    this.path = this.#places.locate(this.#places.root);
  }

  /**
   * @param path with `/` between segments
   * @returns undefined when there is none
   * @throws DevsError COMMIT_REFUSED: it is no regular file, or larger than `most` bytes
   */
  read(path: string, most: number): Buffer | undefined {
    const { folders, name } = split(path);
    return this.within(folders, (place) => readWhole(this.#places, place, { name, most }));
  }

  /** What lies in a folder; nothing when there is none. */
  list(path: string): Dirent[] {
    return this.within(path === '' ? [] : path.split('/'), (place) => readdirSync(place.path, { withFileTypes: true })) ?? [];
  }

  /** Seconds, rounded down: when what is called so was last changed. Undefined when there is none. */
  timeOf(name: string): number | undefined {
    const stats = this.within([], (place) => lstatSync(childPath(place, name), { throwIfNoEntry: false }));
    return stats === undefined ? undefined : Math.floor(stats.mtimeMs / 1_000);
  }

  has(name: string): boolean {
    return this.list('').some((entry) => entry.name === name);
  }

  /**
   * Works in a folder of this one, which is held meanwhile.
   * @returns undefined when there is no such folder
   * @throws DevsError COMMIT_REFUSED: what is there is no folder, but a link to one, say
   */
  within<Result>(folders: readonly string[], work: (place: Place) => Result, { make = false }: Within = {}): Result | undefined {
    const held: Place[] = [];
    try {
      let place: Place = this.#places.root;
      for (const name of folders) {
        if (make) makeFolder(place, name);
        const next = this.#enter(place, name);
        if (next === undefined) return undefined;
        held.push(next);
        place = next;
      }
      return work(place);
    } finally {
      for (const place of held) place.close();
    }
  }

  [Symbol.dispose](): void {
    this.#places.root.close();
  }

  #enter(place: Place, name: string): Place | undefined {
    try {
      const entered = this.#places.enter(place, name);
      if (entered === undefined) throw strange();
      return entered;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }
}

export function split(path: string): { readonly folders: readonly string[]; readonly name: string } {
  const names = path.split('/');
  return { folders: names.slice(0, -1), name: names.at(-1) ?? '' };
}

function readWhole(places: LinuxPlaces, place: Place, { name, most }: { readonly name: string; readonly most: number }): Buffer | undefined {
  const opened = openIfThere(places, place, name);
  if (opened === undefined) return undefined;
  if (opened.kind !== 'file') throw strange();
  try {
    if (opened.size > most) throw strange();
    // By the size that was judged, not to the end: a file may grow.
    const bytes = Buffer.alloc(opened.size);
    const read = readFully(opened.descriptor, bytes);
    if (read !== opened.size || fstatSync(opened.descriptor).size !== opened.size) throw commitRefused('the git repository changed meanwhile.');
    return bytes;
  } finally {
    closeSync(opened.descriptor);
  }
}

function openIfThere(places: LinuxPlaces, place: Place, name: string): ReturnType<LinuxPlaces['open']> | undefined {
  try {
    return places.open(place, name);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function readFully(descriptor: number, bytes: Buffer): number {
  let done = 0;
  for (let read = 1; read > 0 && done < bytes.length; done += read) {
    read = readSync(descriptor, bytes, done, bytes.length - done, done);
  }
  return done;
}

/** Makes a folder where there is none. */
export function makeFolder(place: Place, name: string): boolean {
  try {
    mkdirSync(childPath(place, name));
    giveToOwner(place, name);
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    return false;
  }
}

/** Makes a file that was not there, for writing: never through a link. Errors: EEXIST, and the system's others. */
export function createFile(place: Place, name: string, mode: number): number {
  const descriptor = openSync(childPath(place, name), constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, mode);
  giveToOwner(place, name);
  return descriptor;
}

/** What root makes in the repository of another would be in that one's way ever after. */
export function giveToOwner(place: Place, name: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(place.path);
  lchownSync(childPath(place, name), uid, gid);
}

export function writeFully(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
}

function strange(): Error {
  return commitRefused('the git folder holds a link or something else where git has a file or folder of its own.');
}
