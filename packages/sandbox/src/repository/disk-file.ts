import { createHash } from 'node:crypto';
import { lstatSync, readlinkSync } from 'node:fs';
import { DevsError } from '@devs/core';
import { childPath } from '../files/places.ts';
import type { Hashing } from './content-file.ts';
import { split, type GitFolder } from './git-folder.ts';

const MOST_BYTES = 67_108_864;
const OWNER_RUNS = 0o100;

/** A file of the project as git could have taken it up from the disk. */
export interface DiskFile {
  readonly mode: string;
  /** Full object names: of its bytes as they are, with the line ends that git stores, and of what stands for it in Git LFS. */
  readonly objects: readonly string[];
}

/**
 * @param root of the project, in which nothing of a box runs any more
 * @param path with `/` between segments
 * @returns undefined when there is none: not there, or behind a link, where git sees none either
 */
export function readDiskFile(root: GitFolder, path: string, algorithm: Hashing['algorithm']): DiskFile | undefined {
  const { folders, name } = split(path);
  try {
    const found = root.within(folders, (place) => {
      const file = childPath(place, name);
      const stats = lstatSync(file, { throwIfNoEntry: false });
      return stats === undefined ? undefined : { stats, link: stats.isSymbolicLink() ? readlinkSync(file, 'buffer') : undefined };
    });
    if (found === undefined) return undefined;
    if (found.link !== undefined) return { mode: '120000', objects: [nameOf(found.link, algorithm)] };
    const bytes = root.read(path, MOST_BYTES);
    if (bytes === undefined) return undefined;
    return { mode: (found.stats.mode & OWNER_RUNS) === 0 ? '100644' : '100755', objects: formsOf(bytes).map((form) => nameOf(form, algorithm)) };
  } catch (cause) {
    // A folder, a link, or nothing that is a file.
    if (DevsError.is(cause)) return undefined;
    throw cause;
  }
}

function formsOf(bytes: Buffer): readonly Buffer[] {
  const unix = Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${createHash('sha256').update(bytes).digest('hex')}\nsize ${String(bytes.length)}\n`;
  return [bytes, unix, Buffer.from(pointer)];
}

function nameOf(content: Buffer, algorithm: Hashing['algorithm']): string {
  return createHash(algorithm).update(`blob ${String(content.length)}\0`).update(content).digest('hex');
}
