import { lstatSync, mkdirSync, type Stats } from 'node:fs';
import { DevsError, errnoOf } from '@devs/core';
import { confirmWritable, type FsRootParts } from './fs-root-parts.ts';
import { childPath, type Place } from './places.ts';
import type { OnMissing, Walk } from './walk.ts';

/** Where a file is to be written: a name in a folder that the walk holds. */
export interface WriteTarget {
  readonly place: Place;
  readonly name: string;
  /** The regular file that is there now. */
  readonly existing: Stats | undefined;
}

/** Walks to the name to be written, making missing folders. A link is followed: its target is written. */
export function findWriteTarget(parts: FsRootParts, walk: Walk): WriteTarget {
  const onMissing = folderMaker(parts);
  for (let name = walk.toLastName(onMissing); name !== undefined; name = walk.toLastName(onMissing)) {
    parts.protection.refuseWriting([...walk.names, name]);
    const existing = lstatSync(childPath(walk.here, name), { throwIfNoEntry: false });
    if (existing === undefined || existing.isFile()) return { place: walk.here, name, existing };
    if (!existing.isSymbolicLink() || !walk.follow(name)) break;
  }
  throw new DevsError('NOT_A_REGULAR_FILE');
}

function folderMaker(parts: FsRootParts): OnMissing {
  return (walk, name, rest) => {
    // What `missing/..` means is only known once `missing` is there.
    if (rest.includes('..')) throw new DevsError('FILE_NOT_FOUND');
    // All of the way at once: nothing is made on the way to a refusal.
    confirmWritable(parts, walk.here, [name, ...rest]);
    makeFolder(childPath(walk.here, name));
  };
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}
