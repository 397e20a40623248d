import { chmodSync, closeSync, fstatSync, lstatSync, type Dirent, type Stats } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { DevsError, foldName } from '@devs/core';
import { errnoOf } from '../errno.ts';
import { TEMPORARY_PREFIX, type Protection } from '../protection.ts';
import { descriptorPath, fromRaw, openRawFolder, rawPath, readRawFolder, toRaw } from './raw-names.ts';

/** Folders that are looked at; a project of more cannot be guarded. */
const MAX_FOLDERS = 500_000;
/** Folders after which other calls get their turn. */
const TURN = 1_024;
/** Milliseconds. A folder that changed so shortly before it was read may change again without its time showing it. */
const SETTLED = 2_000;
const OWNER_ACCESS = 0o700;
/** Bytes. What lies deeper no program reaches by a path, so none finds a repository there. */
const MAX_PATH = 4_095;

/** A folder as it was read. All names are raw: see `raw-names.ts`. */
export interface SeenFolder {
  /** Of the folders from the root to it. */
  readonly names: readonly string[];
  /** The same for no other folder, also of later times: a number of a removed one is given out again, its birth is not. */
  readonly identity: string;
  readonly stats: Pick<Stats, 'dev' | 'ino' | 'birthtimeMs' | 'ctimeMs'>;
  readonly isSettled: boolean;
  /** Absolute paths of the folders in it that are to be looked at too. */
  readonly folders: readonly string[];
  /** What in it bears a protected name. */
  readonly protectedNames: readonly string[];
  /** The files by which git takes the folder itself for a repository; none when it does not. */
  readonly heads: readonly string[];
  /** It could not be read. */
  readonly isClosed: boolean;
}

export interface FolderScanParts {
  /** Absolute and real. */
  readonly root: string;
  readonly protection: Protection;
  /** Milliseconds of the clock by which files are dated. */
  readonly now: () => number;
}

/** Is shown each folder, and says what it is by then. */
export type OnFolder = (folder: SeenFolder) => SeenFolder;

/**
 * Looks at all folders of a project, following no link. What a walk has read is kept: the next one asks each folder only for
 * its time, and reads those that changed. A time cannot be set back: setting one sets the time of change.
 */
export class FolderScan {
  readonly #parts: FolderScanParts;
  readonly #root: string;
  #known: ReadonlyMap<string, SeenFolder> = new Map();

  constructor(parts: FolderScanParts) {
    this.#parts = parts;
    this.#root = toRaw(parts.root);
  }

  /** @throws DevsError COMMAND_REFUSED: there are too many folders. Errors of the operating system but of what is gone. */
  async visit(onFolder: OnFolder): Promise<void> {
    const seen = new Map<string, SeenFolder>();
    const pending = [this.#root];
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      const looked = this.#look(path);
      if (looked === undefined) continue;
      const folder = onFolder(looked);
      seen.set(path, folder);
      if (seen.size > MAX_FOLDERS) throw tooManyFolders();
      if (seen.size % TURN === 0) await setImmediate();
      for (const below of folder.folders) pending.push(below);
    }
    this.#known = seen;
  }

  /** Reads a folder anew. Undefined: it is gone, or no folder. */
  read(names: readonly string[]): SeenFolder | undefined {
    return this.#open(names, (descriptor) => {
      const stats = fstatSync(descriptor);
      const entries = readEntries(descriptor);
      return this.#describe(names, stats, entries);
    });
  }

  /** Gives a folder's owner back the right to look into it. False where that is not ours to do, or it is gone. */
  unlock(names: readonly string[]): boolean {
    return this.#open(names, (descriptor) => giveAccess(descriptor)) === true;
  }

  /** Works on a folder that is held; undefined when it is gone. */
  #open<Result>(names: readonly string[], work: (descriptor: number) => Result): Result | undefined {
    const descriptor = openIfThere(this.#root, names);
    if (descriptor === undefined) return undefined;
    try {
      return work(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  /** Calls with the path of a folder that is held: no link on the way is followed. */
  within(names: readonly string[], work: (path: string) => void): void {
    this.#open(names, (descriptor) => {
      work(descriptorPath(descriptor));
    });
  }

  #look(path: string): SeenFolder | undefined {
    const known = this.#known.get(path);
    if (known?.isSettled === true && !known.isClosed) {
      const stats = lookAt(path);
      if (stats !== undefined && isUnchanged(known.stats, stats)) return known;
    }
    return this.read(path.slice(this.#root.length).split('/').slice(1));
  }

  #describe(names: readonly string[], stats: Stats, entries: readonly Dirent[] | undefined): SeenFolder {
    const found = entries ?? [];
    const { dev, ino, birthtimeMs, ctimeMs } = stats;
    const folders = found.filter((entry) => entry.isDirectory() && this.#isEntered(names, entry.name));
    return {
      names,
      identity: `${String(dev)}:${String(ino)}:${String(birthtimeMs)}`,
      stats: { dev, ino, birthtimeMs, ctimeMs },
      isSettled: this.#parts.now() - ctimeMs > SETTLED,
      isClosed: entries === undefined,
      folders: folders.map(({ name }) => [this.#root, ...names, name].join('/')).filter((path) => path.length <= MAX_PATH),
      protectedNames: found.filter(({ name }) => this.#isGuarded(names, name)).map(({ name }) => name),
      heads: findHeads(found),
    };
  }

  /** A repository that was there is mounted as it is, and is large; folders of devs itself are no tool's to reach. */
  #isEntered(names: readonly string[], name: string): boolean {
    if (this.ruleOf(name) === '.git') return false;
    return !this.#parts.protection.isHidden([...names, name].map(fromRaw));
  }

  /** Package managers bring whatever a package holds, so within `node_modules` only a repository counts. */
  #isGuarded(names: readonly string[], name: string): boolean {
    const rule = this.ruleOf(name);
    return rule === '.git' || (rule !== undefined && !names.includes('node_modules'));
  }

  /** The rule that protects the name. What devs is still writing is its own matter. */
  ruleOf(name: string): string | undefined {
    const rule = this.#parts.protection.protectedBy(fromRaw(name));
    return rule === TEMPORARY_PREFIX ? undefined : rule;
  }
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(rawPath(path), { throwIfNoEntry: false });
  } catch {
    return undefined; // The reading says what is the matter.
  }
}

function isUnchanged(known: SeenFolder['stats'], now: Stats): boolean {
  return known.ctimeMs === now.ctimeMs && known.ino === now.ino && known.dev === now.dev && known.birthtimeMs === now.birthtimeMs;
}

function openIfThere(root: string, names: readonly string[]): number | undefined {
  try {
    return openRawFolder(root, names);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** Undefined where its owner may not look into it, or not at what is in it. */
function readEntries(descriptor: number): Dirent[] | undefined {
  try {
    lstatSync(`${descriptorPath(descriptor)}/.`);
    return readRawFolder(descriptor);
  } catch (error) {
    if (errnoOf(error) === 'EACCES') return undefined;
    throw error;
  }
}

function giveAccess(descriptor: number): boolean {
  try {
    const { mode } = fstatSync(descriptor);
    chmodSync(descriptorPath(descriptor), (mode & 0o7777) | OWNER_ACCESS);
    return true;
  } catch {
    return false;
  }
}

/** By what git goes: `HEAD`, and `objects` and `refs`, which may also lie where a `commondir` says. */
function findHeads(entries: readonly Dirent[]): string[] {
  const heads = entries.filter(({ name }) => foldName(fromRaw(name)) === 'head').map(({ name }) => name);
  if (heads.length === 0) return [];
  const names = new Set(entries.map(({ name }) => foldName(fromRaw(name))));
  return names.has('commondir') || (names.has('objects') && names.has('refs')) ? heads : [];
}

function tooManyFolders(): DevsError {
  return new DevsError('COMMAND_REFUSED', {
    sentence: `The project has more than ${String(MAX_FOLDERS)} folders: devs cannot guard it against planted repositories.`,
  });
}
