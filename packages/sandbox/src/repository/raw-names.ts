import { closeSync, constants, openSync, readdirSync, readlinkSync, type Dirent } from 'node:fs';
import { errnoOf } from '@devs/core';

/*
 * Names of files as their bytes, one character each (latin1). A name that is not UTF-8 read as text could not be opened
 * again: a folder so named would hide all that lies in it.
 */

/** Names a folder without opening it. Node has no constant for it. */
const O_PATH = 0o10000000;
const FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

export function toRaw(text: string): string {
  return Buffer.from(text).toString('latin1');
}

export function fromRaw(raw: string): string {
  return isPlain(raw) ? raw : Buffer.from(raw, 'latin1').toString();
}

/** What `node:fs` takes for it. */
export function rawPath(raw: string): string | Buffer {
  return isPlain(raw) ? raw : Buffer.from(raw, 'latin1');
}

export function descriptorPath(descriptor: number): string {
  return `/proc/self/fd/${String(descriptor)}`;
}

/** How a folder is read by its path, with names as text or as bytes. */
export interface FolderReading {
  asText(folder: string): Dirent[];
  asBytes(folder: string): Dirent<Buffer>[];
}

const FROM_DISK: FolderReading = {
  asText: (folder) => readdirSync(folder, { withFileTypes: true, encoding: 'latin1' }),
  asBytes: (folder) => readdirSync(folder, { withFileTypes: true, encoding: 'buffer' }),
};

/**
 * What lies in a folder, by raw names. Where a disk does not say what each entry is Node asks for it by its name, which as
 * text of one character a byte is another name, and a longer one. Of the longest there is none, or it is too long: then the
 * folder is read by bytes, which costs more.
 */
export function readRawFolder(descriptor: number, reading: FolderReading = FROM_DISK): Dirent[] {
  const folder = descriptorPath(descriptor);
  try {
    return reading.asText(folder);
  } catch (error) {
    if (!['ENOENT', 'ENAMETOOLONG'].includes(errnoOf(error) ?? '')) throw error;
    return reading.asBytes(folder).map((entry) => Object.assign(entry, { name: entry.name.toString('latin1') }));
  }
}

/**
 * A descriptor of the folder at a raw, absolute, real path. The caller closes it. Undefined when what was opened lies
 * elsewhere: something on the way was a link. Errors: the operating system's.
 */
export function openRawFolder(path: string): number | undefined {
  const descriptor = openSync(rawPath(path), FOLDER);
  if (readlinkSync(descriptorPath(descriptor), 'latin1') === path) return descriptor;
  closeSync(descriptor);
  return undefined;
}

function isPlain(raw: string): boolean {
  return !/[^\u0000-\u007f]/.test(raw);
}
