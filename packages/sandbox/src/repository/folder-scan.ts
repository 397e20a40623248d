import { fstatSync, type Dirent, type Stats } from 'node:fs';
import { DevsError, foldName } from '@devs/core';
import { DISKS, type Disks } from '../disks/disks.ts';
import { isObeyedInRepository } from '../files/git-layout.ts';
import { TEMPORARY_PREFIX, writerOf, type Protection } from '../files/protection.ts';
import { findHeads, headsIn, identityOf, inFolder, isUnchanged, keyOf, linkOf, lookAt, readEntries, readNothing } from './disk-folder.ts';
import type { LinkedName } from './linked-files.ts';
import { openLarge, type LargeFolder } from './large-folder.ts';
import { descriptorPath, fromRaw, toRaw } from './raw-names.ts';
import { SeenFolders, type ScanLimits } from './seen-folders.ts';
import { Turn } from './turn.ts';

const MOST: ScanLimits = { folders: 500_000, characters: 134_217_728, listingBytes: 67_108_864 };
/** Bytes of a list of names: some ten thousand short ones, which take 15 ms or so. */
const AT_ONCE = 131_072;
/** Milliseconds. A folder that changed so shortly before it was read may change again without its time showing it. */
const SETTLED = 2_000;
/** Bytes. What lies deeper no program reaches by a path, so none finds a repository there. */
const MAX_PATH = 4_095;

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
  /** What is written in the link, raw. */
  readonly leadsTo: string | undefined;
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
  /** There are many names in it: none was read, or this is one piece of it. */
  readonly isInPieces: boolean;
  /** There are too many names in it to guard it. */
  readonly isTooLarge: boolean;
  /** Undefined: nobody has looked for them since it changed. */
  readonly linked?: readonly LinkedName[];
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

/** What was read of a folder. */
interface Listing {
  /** Undefined: it could not be read. */
  readonly entries: readonly Dirent[] | undefined;
  readonly heads: readonly string[];
  readonly isRepository: boolean;
}

interface VisitOptions {
  /** Goes on when the project is too large to be kept in memory, and throws when all of it was shown. Default false. */
  readonly toEnd?: boolean;
}

/**
 * Is shown each folder as it is in that moment, and says what it is by then. Of a folder with many names it is shown first that
 * it is there, and then each piece alone, with what was found in that.
 * @param pause lets other calls have their turn, when it is time for that: what was shown may be old then
 */
export type OnFolder = (folder: SeenFolder, pause: () => Promise<void>) => SeenFolder | Promise<SeenFolder>;

/** A folder that is being read piece by piece. */
interface FolderInPieces {
  readonly large: LargeFolder;
  /** What its pieces have told so far, and when it had not been read. */
  readonly whole: SeenFolder & { readonly folders: string[]; readonly guarded: GuardedName[]; readonly heads: string[] };
  /** Something was changed in it meanwhile. */
  isChanged: boolean;
}

interface Walk extends Required<VisitOptions> {
  /** Folders that are still to be looked at, and those that are being read piece by piece. */
  readonly pending: (string | FolderInPieces)[];
  readonly seen: SeenFolders<SeenFolder>;
  readonly onFolder: OnFolder;
  readonly pause: () => Promise<void>;
}

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
    const pending: Walk['pending'] = [this.#root];
    const turn = new Turn();
    const walk: Walk = { pending, seen, onFolder, toEnd, pause: async () => turn.pause() };
    try {
      for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
        await (typeof next === 'string' ? this.#showFolder(next, walk) : this.#showPiece(next, walk));
        // Of a project that was moved away nothing would be found, and nothing is what was to be shown.
        if (seen.count === 0) throw refused('The project folder is not where it was.');
        if (seen.isTooLarge && !toEnd) break;
        await turn.pause();
      }
    } finally {
      for (const rest of pending) if (typeof rest !== 'string') rest.large.close();
    }
    this.#known = seen.folders;
    if (seen.isTooLarge) throw refused(`The project has more than ${String(this.#most.folders)} folders, or names beyond measure: devs cannot guard it against planted repositories.`);
  }

  async #showFolder(path: string, { pending, seen, onFolder, toEnd, pause }: Walk): Promise<void> {
    const looked = this.#look(path);
    if (looked === undefined) return;
    const folder = await onFolder(looked, pause);
    seen.meet(folder);
    for (const below of folder.folders) pending.push(below);
    if (!folder.isInPieces) seen.keep(folder);
    // A command can make so many names that the list of them stays large when they are gone, and plant among them.
    const large = folder.isInPieces && (toEnd || !seen.isTooLarge) ? await openLarge(path, pause) : undefined;
    if (large !== undefined) pending.push({ large, whole: { ...folder, folders: [], guarded: [], heads: [], isInPieces: false }, isChanged: false });
  }

  /** What lies below a piece comes before the next one: of a flood, no more than that is kept. */
  async #showPiece(reading: FolderInPieces, { pending, seen, onFolder, pause }: Walk): Promise<void> {
    const { large, whole } = reading;
    pending.push(reading);
    const entries = large.next();
    if (entries.length > 0) {
      const piece = this.#describePiece(large, entries);
      const { folders } = await onFolder(piece, pause);
      reading.isChanged ||= folders !== piece.folders;
      for (const below of folders) pending.push(below);
      if (!seen.isTooLarge) add(piece, whole);
    } else {
      pending.pop();
      large.close();
      if (!reading.isChanged) seen.keep(whole);
    }
  }

  #describePiece({ path, descriptor, isRepository }: LargeFolder, entries: readonly Dirent[]): SeenFolder {
    const heads = isRepository ? headsIn(entries) : [];
    return withoutGone({ ...this.#describe(path, descriptor, { entries, heads, isRepository }), isInPieces: true, isTooLarge: false }, descriptor);
  }

  /** Reads a folder anew. Undefined: it is gone, or no folder. */
  read(path: string): SeenFolder | undefined {
    return inFolder(path, (descriptor) => {
      const { size } = fstatSync(descriptor);
      const { listingBytes, atOnceBytes = AT_ONCE } = this.#most;
      const isInPieces = size > Math.min(atOnceBytes, listingBytes);
      const entries = isInPieces ? readNothing(descriptor) : readEntries(descriptor);
      const heads = findHeads(entries ?? []);
      return { ...this.#describe(path, descriptor, { entries, heads, isRepository: heads.length > 0 }), isInPieces, isTooLarge: size > listingBytes };
    });
  }

  /** A piece of a folder cannot be read anew. @param names of what is to be looked into as well */
  again(piece: SeenFolder, names: readonly string[]): SeenFolder {
    const folders = [...piece.folders, ...names.map((name) => `${piece.path}/${name}`).filter(isReachable)];
    return { ...(inFolder(piece.path, (descriptor) => withoutGone(piece, descriptor)) ?? { ...piece, guarded: [], heads: [] }), folders };
  }

  #look(path: string): SeenFolder | undefined {
    const known = this.#known.get(path);
    if (known?.isSettled === true && known.isDated && !known.isClosed) {
      const stats = (this.#parts.lookAt ?? lookAt)(path);
      if (stats !== undefined && isUnchanged(known.stats, stats)) return known;
    }
    return this.read(path);
  }

  #describe(path: string, descriptor: number, { entries, heads, isRepository }: Listing): Omit<SeenFolder, 'isInPieces' | 'isTooLarge'> {
    const found = entries ?? [];
    const names = path.slice(this.#root.length).split('/').filter((name) => name !== '');
    const above = [...(this.#parts.above ?? []), ...names.map(fromRaw)];
    const stats = fstatSync(descriptor);
    const identity = identityOf(stats);
    const folders = found.filter((entry) => entry.isDirectory() && this.#isEntered(above, entry));
    const toGuarded = (entry: Dirent): readonly GuardedName[] => {
      const isObeyedByGit = isRepository && isObeyedInRepository(entry.name);
      const rule = isObeyedByGit ? foldName(entry.name) : this.#guardingRule(above, entry);
      return rule === undefined ? [] : [{ name: entry.name, rule, key: keyOf(identity, entry, descriptor), isLink: entry.isSymbolicLink(), leadsTo: linkOf(entry, descriptor), isObeyedByGit }];
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
    if (writerOf(name) !== undefined) return undefined;
    const { protection } = this.#parts;
    const rule = entry.isSymbolicLink() ? protection.linkProtectedBy(name, above) : protection.protectedBy(name, above);
    return rule === TEMPORARY_PREFIX ? undefined : rule;
  }
}

/** The system tells names of a piece that were there when it read on. Another call may have moved one aside since. */
function withoutGone(piece: SeenFolder, descriptor: number): SeenFolder {
  const isThere = (name: string) => lookAt(`${descriptorPath(descriptor)}/${name}`) !== undefined;
  return { ...piece, guarded: piece.guarded.filter(({ name }) => isThere(name)), heads: piece.heads.filter(isThere) };
}

function add(piece: SeenFolder, whole: FolderInPieces['whole']): void {
  for (const each of piece.folders) whole.folders.push(each);
  for (const each of piece.guarded) whole.guarded.push(each);
  for (const each of piece.heads) whole.heads.push(each);
}

/** By a path, which programs have. */
function isReachable(path: string): boolean {
  return path.length <= MAX_PATH;
}

function refused(sentence: string): DevsError {
  return new DevsError('COMMAND_REFUSED', { sentence });
}
