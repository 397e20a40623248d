import { chmodSync, closeSync, fstatSync, lstatSync, type Dirent, type Stats } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { DevsError, foldName } from '@devs/core';
import { DISKS, type Disks } from '../disks/disks.ts';
import { errnoOf } from '../errno.ts';
import { isObeyedInRepository, isRepository, makesRepository } from '../git-layout.ts';
import { TEMPORARY_PREFIX, type Protection } from '../protection.ts';
import { LargeFolder, openEntries, readPieces } from './large-folder.ts';
import { descriptorPath, fromRaw, openRawFolder, rawPath, readRawFolder, toRaw } from './raw-names.ts';
import { SeenFolders, type ScanLimits } from './seen-folders.ts';

const MOST: ScanLimits = { folders: 500_000, characters: 134_217_728, listingBytes: 67_108_864 };
/** Milliseconds after which other calls get their turn. */
const TURN = 15;
/** Milliseconds. A folder that changed so shortly before it was read may change again without its time showing it. */
const SETTLED = 2_000;
const OWNER_ACCESS = 0o700;
/** Bytes. What lies deeper no program reaches by a path, so none finds a repository there. */
const MAX_PATH = 4_095;
/** Names of a folder that is read piece by piece. */
const PIECE = 512;

/** A name that others obey. */
export interface GuardedName {
  readonly name: string;
  /** What it is called where it is protected. */
  readonly rule: string;
  /**
   * The same for as long as it has been there: folder and name, for a mounted name stays where it is. A link cannot be
   * mounted: of one also which link it is.
   */
  readonly key: string;
  readonly isLink: boolean;
  /** It counts because git takes the folder for a repository. */
  readonly isObeyedByGit: boolean;
}

/** A folder as it was read. All names are raw: see `raw-names.ts`. */
export interface SeenFolder {
  /** Absolute. */
  readonly path: string;
  /** Of the folders from the root to it. */
  readonly names: readonly string[];
  /** The same for no other folder, also of later times: a number of a removed one is given out again, its birth is not. */
  readonly identity: string;
  readonly stats: Stats;
  readonly isSettled: boolean;
  /** Its disk dates changes itself, so nobody sets that time back. */
  readonly isDated: boolean;
  /** Absolute paths of the folders in it that are to be looked at too. */
  readonly folders: readonly string[];
  /** What in it must stay as it is, and must not come to be. */
  readonly guarded: readonly GuardedName[];
  /** The files by which git takes the folder itself for a repository; none when it does not. */
  readonly heads: readonly string[];
  /** It could not be read. */
  readonly isClosed: boolean;
  /** There are too many names in it: it was not read, or this is one piece of it. */
  readonly isTooLarge: boolean;
}

export interface FolderScanParts {
  /** Absolute and real. */
  readonly root: string;
  /** Names of the folders from the root of the protection to this one. Default: they are the same. */
  readonly above?: readonly string[] | undefined;
  readonly protection: Protection;
  /** Milliseconds of the clock by which files are dated. */
  readonly now: () => number;
  /** Asks a folder, by its raw path, for its time. Default: as it is on the disk. */
  readonly lookAt?: ((path: string) => Stats | undefined) | undefined;
  /** Default: those of this machine. */
  readonly disks?: Pick<Disks, 'kindOf'> | undefined;
  /** Default: 500,000 folders with 128 MiB of paths, 64 MiB for the names in one. */
  readonly most?: ScanLimits | undefined;
}

interface VisitOptions {
  /**
   * Goes on when the project is too large to be kept in memory, and throws when all of it was shown: of a folder with too many
   * names each piece alone, with what was found in that. Default false.
   */
  readonly toEnd?: boolean;
}

/**
 * Is shown each folder as it is in that moment, and says what it is by then.
 * @param pause lets other calls have their turn, when it is time for that: what was shown may be old then
 */
export type OnFolder = (folder: SeenFolder, pause: () => Promise<void>) => SeenFolder | Promise<SeenFolder>;

/**
 * Looks at all folders of a project, following no link. What a walk has read is kept: the next one asks each folder only for
 * its time, and reads those that changed. On a disk of the kernel's own that time cannot be set back: setting one sets the time
 * of change. Elsewhere (on exFAT by FUSE both are one) every folder is read each time.
 */
export class FolderScan {
  readonly #parts: FolderScanParts;
  readonly #root: string;
  readonly #most: ScanLimits;
  readonly #disks: Pick<Disks, 'kindOf'>;
  /** By the number of a disk, which is another's once that one is gone: asked anew in each walk. */
  readonly #dated = new Map<number, boolean>();
  #known: ReadonlyMap<string, SeenFolder> = new Map();

  constructor(parts: FolderScanParts) {
    this.#parts = parts;
    this.#root = toRaw(parts.root);
    this.#most = parts.most ?? MOST;
    this.#disks = parts.disks ?? DISKS;
  }

  /**
   * @throws DevsError COMMAND_REFUSED: there is too much to look at, or the project is not where it was. Errors of the
   * operating system but of what is gone.
   */
  async visit(onFolder: OnFolder, { toEnd = false }: VisitOptions = {}): Promise<void> {
    const seen = new SeenFolders<SeenFolder>(this.#most);
    this.#dated.clear();
    const pending: (string | LargeFolder)[] = [this.#root];
    const turn = new Turn();
    const pause = async () => turn.pause();
    try {
      for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
        if (typeof next === 'string') {
          const looked = this.#look(next);
          if (looked !== undefined) {
            const folder = await onFolder(looked, pause);
            seen.add(folder);
            for (const below of folder.folders) pending.push(below);
            // A command can make so many names that the list of them stays large when they are gone, and plant among them.
            const large = folder.isTooLarge && toEnd ? await this.#openLarge(next, turn) : undefined;
            if (large !== undefined) pending.push(large);
          }
        } else {
          pending.push(next);
          const entries = next.next(PIECE);
          if (entries.length === 0) pending.pop();
          if (entries.length === 0) next.close();
          // What lies below comes first, and so is never kept for more than one piece.
          else for (const below of (await onFolder(this.#describePiece(next, entries), pause)).folders) pending.push(below);
        }
        // Of a project that was moved away nothing would be found, and nothing is what was to be shown.
        if (seen.count === 0) throw refused('The project folder is not where it was.');
        if (seen.isTooLarge && !toEnd) break;
        await turn.pause();
      }
    } finally {
      for (const rest of pending) if (typeof rest !== 'string') rest.close();
    }
    this.#known = seen.folders;
    if (seen.isTooLarge) throw refused(`The project has more than ${String(this.#most.folders)} folders, or names beyond measure: devs cannot guard it against planted repositories.`);
  }

  /** Undefined: it is gone. */
  async #openLarge(path: string, turn: Turn): Promise<LargeFolder | undefined> {
    const descriptor = openIfThere(path);
    if (descriptor === undefined) return undefined;
    const heads = new Set<string>();
    try {
      await readPieces(descriptor, PIECE, async (entries) => {
        for (const { name } of entries) {
          const folded = foldName(fromRaw(name));
          if (makesRepository(folded)) heads.add(folded);
        }
        await turn.pause();
      });
    } catch (error) {
      closeSync(descriptor);
      if (errnoOf(error) === 'EACCES') return undefined;
      throw error;
    }
    return new LargeFolder(path, descriptor, isRepository((name) => heads.has(foldName(name))));
  }

  #describePiece({ path, descriptor, isRepository: isGits }: LargeFolder, entries: readonly Dirent[]): SeenFolder {
    return { ...this.#describe(path, descriptor, entries, isGits ? headsIn(entries) : [], isGits), isTooLarge: true };
  }

  /** Reads a folder anew. Undefined: it is gone, or no folder. */
  read(path: string): SeenFolder | undefined {
    return inFolder(path, (descriptor) => {
      const isTooLarge = fstatSync(descriptor).size > this.#most.listingBytes;
      const entries = isTooLarge ? readNothing(descriptor) : readEntries(descriptor);
      const heads = findHeads(entries ?? []);
      return { ...this.#describe(path, descriptor, entries, heads, heads.length > 0), isTooLarge };
    });
  }

  #look(path: string): SeenFolder | undefined {
    const known = this.#known.get(path);
    if (known?.isSettled === true && known.isDated && !known.isClosed) {
      const stats = (this.#parts.lookAt ?? lookAt)(path);
      if (stats !== undefined && isUnchanged(known.stats, stats)) return known;
    }
    return this.read(path);
  }

  #describe(path: string, descriptor: number, entries: readonly Dirent[] | undefined, heads: readonly string[], isGits: boolean): Omit<SeenFolder, 'isTooLarge'> {
    const found = entries ?? [];
    const names = path.slice(this.#root.length).split('/').filter((name) => name !== '');
    const above = [...(this.#parts.above ?? []), ...names.map(fromRaw)];
    const stats = fstatSync(descriptor);
    const identity = identityOf(stats);
    const folders = found.filter((entry) => entry.isDirectory() && this.#isEntered(above, entry));
    const toGuarded = (entry: Dirent): readonly GuardedName[] => {
      const isObeyedByGit = isGits && isObeyedInRepository(entry.name);
      const rule = isObeyedByGit ? foldName(entry.name) : this.#guardingRule(above, entry);
      return rule === undefined ? [] : [{ name: entry.name, rule, key: keyOf(identity, entry, descriptor), isLink: entry.isSymbolicLink(), isObeyedByGit }];
    };
    return {
      path,
      names,
      identity,
      stats,
      isDated: this.#isDated(descriptor, stats.dev),
      isSettled: this.#parts.now() - stats.ctimeMs > SETTLED,
      isClosed: entries === undefined,
      folders: folders.map(({ name }) => `${path}/${name}`).filter(isReachable),
      guarded: found.flatMap(toGuarded),
      heads,
    };
  }

  #isDated(descriptor: number, disk: number): boolean {
    const isDated = this.#dated.get(disk) ?? this.#disks.kindOf(descriptorPath(descriptor)) === 'plain';
    this.#dated.set(disk, isDated);
    return isDated;
  }

  /** A repository that was there is mounted as it is, and is large; folders of devs itself are no tool's to reach. */
  #isEntered(above: readonly string[], entry: Dirent): boolean {
    if (this.#ruleOf(above, entry) === '.git') return false;
    return !this.#parts.protection.isHidden([...above, fromRaw(entry.name)]);
  }

  /** Package managers bring whatever a package holds, so within `node_modules` only a repository counts. */
  #guardingRule(above: readonly string[], entry: Dirent): string | undefined {
    const rule = this.#ruleOf(above, entry);
    return rule === '.git' || !above.includes('node_modules') ? rule : undefined;
  }

  /** The rule that protects the name. What devs is still writing is its own matter. */
  #ruleOf(above: readonly string[], entry: Dirent): string | undefined {
    const name = fromRaw(entry.name);
    const { protection } = this.#parts;
    const rule = entry.isSymbolicLink() ? protection.linkProtectedBy(name, above) : protection.protectedBy(name, above);
    return rule === TEMPORARY_PREFIX ? undefined : rule;
  }
}

export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(rawPath(path), { throwIfNoEntry: false });
  } catch {
    return undefined; // The reading says what is the matter.
  }
}

function isUnchanged(known: SeenFolder['stats'], now: Stats): boolean {
  return known.ctimeMs === now.ctimeMs && known.ino === now.ino && known.dev === now.dev && known.birthtimeMs === now.birthtimeMs;
}

/** Works in a folder that is held, and is reached by no link; undefined when it is gone. */
export function inFolder<Result>(path: string, work: (descriptor: number) => Result): Result | undefined {
  const descriptor = openIfThere(path);
  if (descriptor === undefined) return undefined;
  try {
    return work(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openRawFolder(path);
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

/** The same of a folder that is too large: whether it could be read. */
function readNothing(descriptor: number): Dirent[] | undefined {
  try {
    lstatSync(`${descriptorPath(descriptor)}/.`);
    openEntries(descriptor).closeSync();
    return [];
  } catch (error) {
    if (errnoOf(error) === 'EACCES') return undefined;
    throw error;
  }
}

/** By a path, which programs have. */
export function isReachable(path: string): boolean {
  return path.length <= MAX_PATH;
}

/** Gives a folder's owner back the right to look into it. False where that is not ours to do, or it is gone. */
export function unlock(path: string): boolean {
  return inFolder(path, (descriptor) => {
    try {
      chmodSync(descriptorPath(descriptor), (fstatSync(descriptor).mode & 0o7777) | OWNER_ACCESS);
      return true;
    } catch {
      return false;
    }
  }) === true;
}

/** The number of a removed file is given out again; its birth is not. */
function identityOf({ dev, ino, birthtimeMs }: Stats): string {
  return `${String(dev)}:${String(ino)}:${String(birthtimeMs)}`;
}

function keyOf(folder: string, entry: Dirent, descriptor: number): string {
  const key = `${folder}/${entry.name}`;
  if (!entry.isSymbolicLink()) return key;
  const stats = lstatSync(rawPath(`${descriptorPath(descriptor)}/${entry.name}`), { throwIfNoEntry: false });
  return stats === undefined ? key : `${key}/${identityOf(stats)}`;
}

function findHeads(entries: readonly Dirent[]): string[] {
  const heads = headsIn(entries);
  if (heads.length === 0) return [];
  const names = new Set(entries.map(({ name }) => foldName(fromRaw(name))));
  return isRepository((name) => names.has(foldName(name))) ? heads : [];
}

function headsIn(entries: readonly Dirent[]): string[] {
  return entries.filter(({ name }) => foldName(fromRaw(name)) === 'head').map(({ name }) => name);
}

/** Lets other calls have their turn. */
class Turn {
  #since = performance.now();

  async pause(): Promise<void> {
    if (performance.now() - this.#since <= TURN) return;
    await setImmediate();
    this.#since = performance.now();
  }
}

function refused(sentence: string): DevsError {
  return new DevsError('COMMAND_REFUSED', { sentence });
}
