import { chmodSync, lstatSync } from 'node:fs';
import { DevsError, errnoOf } from '@devs/core';

/** Write permission for the group and for others. */
const SHARED_WRITE = 0o022;
/** `S_ISVTX`: in a folder that all may write, each renames what is his own. */
const STICKY = 0o1000;

/**
 * Keeps a command from opening the project's root to other accounts. Its files cannot be renamed from within the box, but whoever
 * may write the folder around them can: after `chmod 777 .` in a served home folder another account renames `.bashrc`, and
 * puts one of its own in its place. No mount of a box keeps a mode, so it is put back when the command has ended.
 */
export class RootMode {
  readonly #root: string;
  readonly #before: number | undefined;
  #wasOpened = false;

  /** @param root absolute and real */
  constructor(root: string) {
    this.#root = root;
    this.#before = modeOf(root);
  }

  /** Whether something was taken back. */
  get wasOpened(): boolean {
    return this.#wasOpened;
  }

  /**
   * To be called when nothing of the command is left.
   * @throws DevsError PROJECT_UNSAFE: the folder stays open
   */
  takeBack(): void {
    const now = modeOf(this.#root);
    // A root that is gone is for the guard to tell.
    if (this.#before === undefined || now === undefined) return;
    const added = now & ~this.#before & SHARED_WRITE;
    const lost = (now & ~added & SHARED_WRITE) === 0 ? 0 : this.#before & ~now & STICKY;
    if ((added | lost) === 0) return;
    try {
      chmodSync(this.#root, (now & ~added) | lost);
    } catch (cause) {
      throw new DevsError('PROJECT_UNSAFE', {
        sentence: 'The command has run, and gave other accounts the right to write the project folder, which could not be taken back. Change its mode before anything else.',
        cause,
      });
    }
    this.#wasOpened = true;
  }
}

function modeOf(folder: string): number | undefined {
  try {
    return lstatSync(folder).mode & 0o7777;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
