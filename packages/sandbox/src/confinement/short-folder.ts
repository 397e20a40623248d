import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sweepFolders } from '../processes/left-folders.ts';

const NAME = /^devs-(?:box|pipes|probe)-[A-Za-z0-9]{6}$/;

/** A folder below the one for temporary files that only its owner enters, for a moment. Disposing of it removes it. */
export class ShortFolder implements Disposable {
  /** Absolute. */
  readonly path: string;
  /** Tells other devs that it is in use, and ends with this process however that ends. */
  readonly #held: number;

  /** @param place where it is made. Default: the folder for temporary files */
  constructor(use: 'box' | 'pipes' | 'probe', place = tmpdir()) {
    this.path = mkdtempSync(path.join(place, `devs-${use}-`));
    this.#held = openSync(this.path, constants.O_RDONLY | constants.O_DIRECTORY);
  }

  [Symbol.dispose](): void {
    closeSync(this.#held);
    rmSync(this.path, { recursive: true, force: true });
  }
}

/**
 * Removes those of devs that were killed.
 * @param place where they lie. Default: the folder for temporary files
 * @param now milliseconds of the clock by which files are dated
 */
export function sweepShortFolders(place = tmpdir(), now = Date.now()): void {
  sweepFolders({ place, name: NAME, owners: [process.geteuid?.()], now, remove: (folder) => rmSync(folder, { recursive: true, force: true }) });
}
