import { lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** Milliseconds. A younger one is left alone, also where its user cannot be seen from here. */
const OLD = 3_600_000;

export interface LeftFolders {
  /** Where they lie. */
  readonly place: string;
  /** What they are called. */
  readonly name: RegExp;
  /** Accounts whose folders may be removed, by number. */
  readonly owners: readonly (number | undefined)[];
  /** Milliseconds of the clock by which files are dated. Default `Date.now()`. */
  readonly now?: number | undefined;
  readonly remove: (folder: string) => void;
}

/**
 * Removes the folders of devs that were killed: those of these accounts that are an hour old and that no process holds open.
 * The number of a process says nothing: another process may have it by now, or it is one of another container.
 */
export function sweepFolders({ place, name, owners, now = Date.now(), remove }: LeftFolders): void {
  const real = realpathSync.native(place);
  const isOwnAndOld = (folder: string) => {
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    return stats?.isDirectory() === true && owners.includes(stats.uid) && now - stats.mtimeMs > OLD;
  };
  const old = readdirSync(real).filter((each) => name.test(each)).map((each) => path.join(real, each)).filter(isOwnAndOld);
  if (old.length === 0) return;
  const held = heldPlaces();
  for (const folder of old.filter((each) => !held.has(each))) attempt(() => remove(folder));
}

function attempt(remove: () => void): void {
  try {
    remove();
  } catch {
    // Another devs was quicker. What nobody can remove must not keep boxes from being made.
  }
}

/** What the processes that this account may look at hold open. */
function heldPlaces(): ReadonlySet<string> {
  const processes = namesIn('/proc').filter((name) => /^\d+$/.test(name));
  return new Set(processes.flatMap((pid) => namesIn(`/proc/${pid}/fd`).map((fd) => placeOf(`/proc/${pid}/fd/${fd}`))));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // It has ended meanwhile, or is another account's.
  }
}

function placeOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
