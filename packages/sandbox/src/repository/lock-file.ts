import { chmodSync, closeSync, fsyncSync, futimesSync, lstatSync, openSync, renameSync, unlinkSync } from 'node:fs';
import { errnoOf } from '@devs/core';
import { childPath, type Place } from '../files/places.ts';
import { commitRefused } from './commit-refused.ts';
import { createFile, split, writeFully, type GitFolder } from './git-folder.ts';

const PLAIN_MODE = 0o666;

/**
 * A file of a git folder, locked as git does it: by the file `<name>.lock`, made when there was none, which becomes the file
 * or goes. Disposing of it lets go.
 */
export class LockFile implements Disposable {
  readonly #folder: GitFolder;
  readonly #path: string;
  #isHeld = true;

  /** @throws DevsError COMMIT_REFUSED: another holds it, or the path leads through a file or link */
  static take(folder: GitFolder, path: string): LockFile {
    return new LockFile(folder, path);
  }

  private constructor(folder: GitFolder, path: string) {
    this.#folder = folder;
    this.#path = path;
    this.#within((place, name) => {
      closeSync(create(place, `${name}.lock`));
    });
  }

  /**
   * Puts the content in the place of the file, durably.
   * @param time when it was written, in seconds. Default: now
   */
  replace(content: Uint8Array, time?: number): void {
    this.#within((place, name) => {
      const lock = childPath(place, `${name}.lock`);
      const descriptor = openSync(lock, 'r+');
      try {
        writeFully(descriptor, content);
        if (time !== undefined) futimesSync(descriptor, time, time);
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      const mode = lstatSync(childPath(place, name), { throwIfNoEntry: false })?.mode;
      if (mode !== undefined) chmodSync(lock, mode & 0o7777);
      renameSync(lock, childPath(place, name));
      this.#isHeld = false;
      syncFolder(place);
    });
  }

  [Symbol.dispose](): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#within((place, name) => {
      unlinkSync(childPath(place, `${name}.lock`));
    });
  }

  #within(work: (place: Place, name: string) => void): void {
    const { folders, name } = split(this.#path);
    this.#folder.within(folders, (place) => {
      work(place, name);
    }, { make: true });
  }
}

function create(place: Place, name: string): number {
  try {
    return createFile(place, name, PLAIN_MODE);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    throw commitRefused('another git is working in this repository, or one was killed and left a lock behind.', {
      suggestion: 'Try again in a moment.',
    });
  }
}

function syncFolder(place: Place): void {
  const descriptor = openSync(place.path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
