import { chmodSync, chownSync, lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { errnoOf } from '@devs/core';

const PREFIX = 'devs-commit-';

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
  sweep(place);
  const folder = mkdtempSync(path.join(place, `${PREFIX}${String(process.pid)}-`));
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  return {
    path: folder,
    [Symbol.dispose]: () => {
      removeTree(folder);
    },
  };
}

function sweep(place: string): void {
  for (const name of readdirSync(place)) {
    const writer = new RegExp(`^${PREFIX}([0-9]{1,10})-[A-Za-z0-9]{6}$`).exec(name)?.[1];
    if (writer === undefined || isRunning(Number(writer))) continue;
    try {
      if (lstatSync(path.join(place, name)).uid === process.geteuid?.()) removeTree(path.join(place, name));
    } catch {
      // Another devs was quicker, or it is not ours to remove.
    }
  }
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== 'ESRCH';
  }
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
