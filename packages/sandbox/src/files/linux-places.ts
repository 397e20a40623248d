import { closeSync, constants, fstatSync, openSync, readlinkSync } from 'node:fs';
import { DevsError, errnoOf } from '@devs/core';
import { childPath, kindOf, type Opened, type Place, type Places } from './places.ts';

/** Names a file without opening it: no FIFO is woken, no device touched. Node has no constant for it. */
const O_PATH = 0o10000000;
const STEP = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

class HeldFolder implements Place {
  readonly #descriptor: number;
  readonly #path: string;
  #closed = false;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    this.#path = descriptorPath(descriptor);
  }

  /** Once closed, the number may mean any other file of this process: it must not be used again. */
  get path(): string {
    if (this.#closed) throw new DevsError('INTERNAL_ERROR');
    return this.#path;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#descriptor);
  }
}

/**
 * Folders as descriptors. `/proc/self/fd/<folder>/<name>` is openat(2): it starts at the folder that
 * is held, wherever that folder is by now, so swapping a folder on the way for a link to somewhere
 * else changes nothing. Looking at a path first and opening it after leaks under that attack.
 */
export class LinuxPlaces implements Places {
  readonly root: Place;
  readonly spellings: readonly string[];

  /** Opens the root, following links: it is its owner's word. The caller closes `root`. */
  constructor(root: string) {
    this.root = new HeldFolder(openSync(root, O_PATH | constants.O_DIRECTORY));
    this.spellings = [root, this.locate(this.root)];
  }

  enter(from: Place, name: string): Place | undefined {
    try {
      return new HeldFolder(openSync(childPath(from, name), STEP));
    } catch (error) {
      if (errnoOf(error) === 'ENOTDIR' || errnoOf(error) === 'ELOOP') return undefined;
      throw error;
    }
  }

  open(from: Place, name: string): Opened {
    const named = openSync(childPath(from, name), O_PATH | constants.O_NOFOLLOW);
    try {
      const stats = fstatSync(named);
      const kind = kindOf(stats);
      if (kind !== 'file') return { kind };
      // Through the descriptor: what is opened is the very file that was looked at.
      return { kind, descriptor: openSync(descriptorPath(named), READ), size: stats.size };
    } finally {
      closeSync(named);
    }
  }

  locate(place: Place): string {
    return readlinkSync(place.path);
  }
}

function descriptorPath(descriptor: number): string {
  return `/proc/self/fd/${String(descriptor)}`;
}
