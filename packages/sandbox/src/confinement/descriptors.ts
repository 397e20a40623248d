import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DevsError } from '@devs/core';
import { ShortFolder } from './short-folder.ts';

/** Only names a place; nothing there is read, run or woken. From Linux's fcntl.h, the same on all its architectures that devs knows. */
export const O_PATH = 0x20_0000;
const CLOSE_ON_EXEC = 0o2_000_000;

/** Descriptors that are closed together. */
export class Descriptors implements Disposable {
  readonly #open: number[] = [];

  keep(fd: number): number {
    this.#open.push(fd);
    return fd;
  }

  /** Leaves them open: somebody else owns them now. */
  release(): void {
    this.#open.length = 0;
  }

  [Symbol.dispose](): void {
    for (const fd of this.#open.splice(0)) closeSync(fd);
  }
}

/** A file that nobody can find: only whoever has its descriptor can read it. The caller closes it. */
export function openData(bytes: Uint8Array | string): number {
  using folder = new ShortFolder('box');
  const file = path.join(folder.path, 'data');
  // For whoever a box runs as; the folder is closed to all others.
  writeFileSync(file, bytes, { mode: 0o644 });
  return openSync(file, 'r');
}

/** What a process is given to read, all of it known before it starts. The caller closes it. */
export function openInput(bytes: Uint8Array | string): number {
  return bytes.length === 0 ? openSync('/dev/null', 'r') : openData(bytes);
}

/** The same bytes again, from their beginning: what was read once stands at its end. */
export function reopen(fd: number): number {
  return openSync(`/proc/self/fd/${String(fd)}`, 'r');
}

/**
 * Opens a place for a mount. It is opened first and judged then: a link that somebody swaps in, in the last name or in one
 * before it, would have bwrap mount what it leads to.
 * @throws DevsError COMMAND_REFUSED when it is not where its path says
 */
export function openPlace(place: string): number {
  const fd = openSync(place, O_PATH | constants.O_NOFOLLOW);
  // Of a link in the last name it is the link that is open, at its own place, and bwrap would go on to where it leads.
  if (!fstatSync(fd).isSymbolicLink() && readlinkSync(`/proc/self/fd/${String(fd)}`) === place) return fd;
  closeSync(fd);
  throw new DevsError('COMMAND_REFUSED', { sentence: 'The project folder is being changed by another process; nothing was run.' });
}

/**
 * Descriptors that whoever started devs has left open for all that devs starts: one of a folder would lead out of any box.
 * Node marks its own, and the first sixteen; what lies beyond a gap it does not see.
 */
export function findInherited(): readonly number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => fd > 2 && isInherited(fd));
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${String(fd)}`, 'utf8'))?.[1];
    return flags === undefined || (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // The one that the folder itself was read with.
    return false;
  }
}
