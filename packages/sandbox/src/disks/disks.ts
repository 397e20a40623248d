import { lstatSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { errnoOf } from '@devs/core';
import { isWithin } from '../files/is-within.ts';
import { mountPlaces, readMountTable } from '../mounted-names.ts';

/**
 * `plain`: a name leads to one file, and the time of change is the kernel's own. `renaming`: whoever may write a file may
 * give it one more name, which no listing tells. `other`: nothing is known of it.
 */
export type DiskKind = 'plain' | 'renaming' | 'other';

/** What is asked of a disk before anything is trusted to it. */
export interface Disks {
  /** Whether something answers to the last name of a path. A link there is not followed. */
  has(place: string): boolean;
  /** The names that a folder lists; undefined where it may not be read. */
  list(folder: string): readonly string[] | undefined;
  kindOf(place: string): DiskKind;
  /** Whether another disk is mounted somewhere in a folder. */
  holdsMounts(folder: string): boolean;
  /** The same for all places of one disk, as long as this process runs. */
  deviceOf(place: string): string;
}

/** As `statfs` has them, from the kernel's headers: ext2 to ext4, XFS, Btrfs, tmpfs, overlayfs, ZFS, F2FS, bcachefs, ramfs, squashfs, EROFS. */
const PLAIN: ReadonlySet<number> = new Set([
  0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x794c_7630, 0x2fc1_2fc1, 0xf2f5_2010, 0xca45_1a4e, 0x8584_58f6, 0x7371_7368, 0xe0f5_e1e2,
]);
const FUSE = 0x6573_5546;
/** What says that there is no such name, and none of what could. */
const NOT_THERE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EACCES', 'EINVAL', 'EILSEQ']);

/** The disks of this machine. */
export const DISKS: Disks = Object.freeze({ has, list, kindOf, holdsMounts, deviceOf });

function has(place: string): boolean {
  try {
    return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return !NOT_THERE.has(errnoOf(error) ?? '');
  }
}

function list(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder);
  } catch {
    return undefined;
  }
}

function kindOf(place: string): DiskKind {
  try {
    const { type } = statfsSync(place);
    // Some architectures extend the sign.
    if (PLAIN.has(type >>> 0)) return 'plain';
    return type >>> 0 === FUSE && typeOfMount(statSync(place).dev) === 'fuseblk' ? 'renaming' : 'other';
  } catch {
    return 'other';
  }
}

function holdsMounts(folder: string): boolean {
  return mountPlaces(readMountTable()).some((place) => place !== folder && isWithin(place, folder));
}

function deviceOf(place: string): string {
  try {
    return String(statSync(place).dev);
  } catch {
    return '';
  }
}

/** By `/proc/self/mountinfo`: `fuseblk` is a disk that a program reads, and that is NTFS or exFAT. */
function typeOfMount(device: number): string | undefined {
  // As glibc takes a device number apart.
  const name = `${String(Math.floor(device / 256) % 4_096)}:${String((device % 256) + Math.floor(device / 1_048_576) * 256)}`;
  const line = readMountTable().split('\n').find((each) => each.split(' ')[2] === name);
  return line?.split(' - ')[1]?.split(' ')[0];
}
