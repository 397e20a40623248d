import { closeSync, constants, fstatSync, lstatSync, openSync, realpathSync, type BigIntStats } from 'node:fs';
import { DevsError } from '@devs/core';
import { childPath, kindOf, locateBelowRoot, type Opened, type OpenedFile, type Place, type Places } from './places.ts';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

class NamedFolder implements Place {
  readonly #path: string;
  readonly #seen: BigIntStats;
  #closed = false;

  constructor(path: string, seen: BigIntStats) {
    this.#path = path;
    this.#seen = seen;
  }

  get path(): string {
    if (this.#closed) throw new DevsError('INTERNAL_ERROR');
    return this.#path;
  }

  isStill(stats: BigIntStats): boolean {
    return isSameFile(this.#seen, stats);
  }

  close(): void {
    this.#closed = true;
  }
}

/**
 * Folders as real paths, for systems without `/proc/self/fd`. Every use is checked again after it:
 * that narrows the gap that a swapped link needs, and cannot close it, as `LinuxPlaces` does.
 */
export class PortablePlaces implements Places {
  readonly root: Place;
  readonly spellings: readonly string[];

  constructor(root: string) {
    const real = realpathSync.native(root);
    const stats = lstatSync(real, { bigint: true });
    if (!stats.isDirectory()) throw new DevsError('NOT_A_DIRECTORY');
    this.root = new NamedFolder(real, stats);
    this.spellings = [root, real];
  }

  enter(from: Place, name: string): Place | undefined {
    const path = childPath(from, name);
    const stats = lstatSync(path, { bigint: true });
    return stats.isDirectory() ? new NamedFolder(path, stats) : undefined;
  }

  open(from: Place, name: string): Opened {
    const path = childPath(from, name);
    const seen = lstatSync(path, { bigint: true });
    const kind = kindOf(seen);
    if (kind !== 'file') return { kind };
    const descriptor = openSync(path, READ);
    try {
      return this.#confirm(from, descriptor, seen);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  locate(place: Place): string {
    const real = realpathSync.native(place.path);
    const same = place instanceof NamedFolder && place.isStill(lstatSync(real, { bigint: true }));
    if (!same) throw new DevsError('PATH_OUTSIDE_ROOT');
    return real;
  }

  /** The file that was opened is the one that was seen, and its folder is still in the root. */
  #confirm(from: Place, descriptor: number, seen: BigIntStats): OpenedFile {
    const stats = fstatSync(descriptor, { bigint: true });
    if (!stats.isFile() || !isSameFile(stats, seen)) throw new DevsError('NOT_A_REGULAR_FILE');
    locateBelowRoot(this, from);
    return { kind: 'file', descriptor, size: Number(stats.size) };
  }
}

function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}
