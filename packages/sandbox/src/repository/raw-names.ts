import { closeSync, constants, openSync, readdirSync, type Dirent } from 'node:fs';

/*
 * Names of files as their bytes, one character each (latin1). A name that is not UTF-8 read as text could not be opened
 * again: a folder so named would hide all that lies in it.
 */

/** Names a folder without opening it. Node has no constant for it. */
const O_PATH = 0o10000000;
const STEP = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

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

export function readRawFolder(descriptor: number): Dirent[] {
  return readdirSync(descriptorPath(descriptor), { withFileTypes: true, encoding: 'latin1' });
}

/**
 * A descriptor of the folder, reached step by step so that no link on the way is followed. The caller closes it.
 * Errors: the operating system's; ENOTDIR or ELOOP where something on the way is no folder.
 */
export function openRawFolder(root: string, names: readonly string[]): number {
  let held = openSync(rawPath(root), O_PATH | constants.O_DIRECTORY);
  for (const name of names) {
    const from = held;
    try {
      held = openSync(rawPath(`${descriptorPath(from)}/${name}`), STEP);
    } finally {
      closeSync(from);
    }
  }
  return held;
}

function isPlain(raw: string): boolean {
  return !/[^\u0000-\u007f]/.test(raw);
}
