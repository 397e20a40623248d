import { chmodSync, chownSync, closeSync, constants, mkdtempSync, openSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { errnoOf } from '@devs/core';
import { sweepFolders } from '../processes/left-folders.ts';

/** Earlier devs wrote the number of their process before the random part. */
const NAME = /^devs-commit-(?:[0-9]{1,10}-)?[A-Za-z0-9]{6}$/;

/** A user and a group of the machine, by number. */
export interface FolderOwner {
  readonly uid: number;
  readonly gid: number;
}

export interface PrivateFolder extends Disposable {
  /** Absolute and real. */
  readonly path: string;
}

/**
 * Makes a folder that only its owner enters, and removes what earlier devs left that were killed. Disposing of it removes it.
 * @param owner who boxes run as, where devs is root and they are not
 */
export function createPrivateFolder(parent: string, owner: FolderOwner | undefined): PrivateFolder {
  const place = realpathSync.native(parent);
  sweepFolders({ place, name: NAME, owners: [process.geteuid?.(), owner?.uid], remove: removeTree });
  const folder = mkdtempSync(path.join(place, 'devs-commit-'));
  // Tells other devs that it is in use, and ends with this process however that ends.
  const held = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  return {
    path: folder,
    [Symbol.dispose]: () => {
      closeSync(held);
      removeTree(folder);
    },
  };
}

/** A hook may have closed its folders, so that they cannot be emptied. Nothing of it runs any more. */
function removeTree(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (errnoOf(error) !== 'EACCES') throw error;
    openTree(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

function openTree(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) openTree(path.join(folder, entry.name));
  }
}
