import { closeSync, constants, lstatSync, mkdtempSync, openSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Milliseconds. Each is needed for a moment: a younger one is left alone, also where its user cannot be seen from here. */
const OLD = 3_600_000;
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
 * Removes the folders of devs that were killed: those of this account that are an hour old and that no process holds open.
 * @param place where they lie. Default: the folder for temporary files
 * @param now milliseconds of the clock by which files are dated
 */
export function sweepShortFolders(place = tmpdir(), now = Date.now()): void {
  const real = realpathSync(place);
  const old = readdirSync(real).filter((name) => NAME.test(name)).map((name) => path.join(real, name)).filter((folder) => isOwnAndOld(folder, now));
  if (old.length === 0) return;
  const held = heldPlaces();
  for (const folder of old.filter((each) => !held.has(each))) removeTree(folder);
}

function isOwnAndOld(folder: string, now: number): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === process.geteuid?.() && now - stats.mtimeMs > OLD;
}

function removeTree(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
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
