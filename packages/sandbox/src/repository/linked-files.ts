import { closeSync, lstatSync } from 'node:fs';
import { DevsError, errnoOf } from '@devs/core';
import { openEntries, openIfThere } from './disk-folder.ts';
import { readPiece } from './large-folder.ts';
import { descriptorPath, fromRaw, rawPath, toRaw } from './raw-names.ts';
import { Turn } from './turn.ts';

/** Each is a mount of every box. */
const MOST_PLACES = 64;
/** In one folder. Beyond that the folder is mounted in their place. */
const MOST_ALONE = 16;
/** What is left of them at the top, which no folder can be mounted for. */
const MOST_AT_TOP = 512;
/** What is kept in memory of one project. */
const MOST_NAMES = 1_000_000;

/** A name, in one folder, of a file that has more names than this one. */
export interface LinkedName {
  /** Raw. */
  readonly name: string;
  /** Device and inode. */
  readonly file: string;
  /** How many names the file has. */
  readonly count: number;
}

/**
 * Files in a folder that have more names than one. Reads the folder anew.
 * @param pause lets other calls have their turn
 */
export async function readLinkedNames(folder: string, pause: () => Promise<void>): Promise<readonly LinkedName[]> {
  const descriptor = openIfThere(folder);
  if (descriptor === undefined) return [];
  try {
    return await readLinkedIn(descriptor, pause);
  } catch (error) {
    if (errnoOf(error) === 'EACCES') return [];
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

async function readLinkedIn(descriptor: number, pause: () => Promise<void>): Promise<readonly LinkedName[]> {
  const folder = openEntries(descriptor);
  try {
    const linked: LinkedName[] = [];
    for (let entries = readPiece(folder); entries.length > 0; entries = readPiece(folder)) {
      linked.push(...entries.filter((entry) => entry.isFile()).flatMap(({ name }) => linkedName(descriptor, name)));
      await pause();
    }
    return linked;
  } finally {
    folder.closeSync();
  }
}

function linkedName(descriptor: number, name: string): readonly LinkedName[] {
  const place = rawPath(`${descriptorPath(descriptor)}/${name}`);
  if ((lstatSync(place, { throwIfNoEntry: false })?.nlink ?? 0) < 2) return [];
  // Some disks have numbers of files that are too large for a `number`: two files would count as one.
  const stats = lstatSync(place, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? [] : [{ name, file: `${String(stats.dev)}:${String(stats.ino)}`, count: Number(stats.nlink) }];
}

/** By what `LinkedName.file` says. */
export type FileCounts = ReadonlyMap<string, number>;

/** What is kept of a folder from one walk to the next. */
interface LookedFolder {
  /** Raw, absolute. */
  readonly path: string;
  /** It is shown piece by piece: all of it is looked at with the first piece. */
  readonly isInPieces?: boolean;
  /** Undefined: nobody has looked since the folder changed. */
  readonly linked?: readonly LinkedName[];
}

interface LinkedFolder {
  /** Raw, absolute. */
  readonly path: string;
  readonly linked: readonly LinkedName[];
}

/**
 * The files of a project that have names where its commands must not write. A package manager links what it installs from a
 * store: who writes such a file in one project changes it in all others, and their users run it outside of any box.
 */
export class LinkedFiles {
  /** Raw. */
  readonly #root: string;
  readonly #folders: LinkedFolder[] = [];
  readonly #inPieces = new Set<string>();
  readonly #isAnew: boolean;
  #isRemembered = false;
  #count = 0;

  /**
   * @param root absolute and real
   * @param isAnew no folder is taken as it was when it was looked at before
   */
  constructor(root: string, isAnew = false) {
    this.#root = toRaw(root);
    this.#isAnew = isAnew;
  }

  /** What some folder has told when it was last changed: a file of it may have other names since. */
  get isRemembered(): boolean {
    return this.#isRemembered;
  }

  /**
   * @returns the folder with what was found in it, to be kept for the next walk
   * @throws DevsError COMMAND_REFUSED: there are too many of them
   */
  async look<Folder extends LookedFolder>(folder: Folder, pause: () => Promise<void>): Promise<Folder> {
    if (folder.isInPieces === true) {
      if (this.#inPieces.has(folder.path)) return folder;
      this.#inPieces.add(folder.path);
    }
    const remembered = this.#isAnew ? undefined : folder.linked;
    this.#isRemembered ||= remembered !== undefined;
    const linked = remembered ?? (await readLinkedNames(folder.path, pause));
    this.#add(folder.path, linked);
    return remembered === undefined ? { ...folder, linked } : folder;
  }

  #add(folder: string, linked: readonly LinkedName[]): void {
    if (linked.length === 0) return;
    this.#folders.push({ path: folder, linked });
    this.#count += linked.length;
    if (this.#count > MOST_NAMES) throw refused(`The project has more than ${String(MOST_NAMES)} files with several names (hard links): devs cannot tell which of them lie outside of it.`);
  }

  /**
   * What has to be read-only, so that no file with another name elsewhere is written: files, or folders that hold many of
   * them. Absolute, at most 64 unless so many lie at the top of the project.
   * @param readOnly what is read-only anyway, absolute: a name in there is none that commands may write
   * @param elsewhere as `countElsewhere` has found it with the same
   */
  async places(readOnly: readonly string[], elsewhere: FileCounts): Promise<readonly string[]> {
    const places: string[] = [];
    await this.#eachWritten(readOnly, ({ path, linked }) => {
      for (const place of this.#placesIn({ path, linked: linked.filter(({ file }) => elsewhere.has(file)) })) places.push(place);
    });
    const merged = this.#mergeDeepest(places);
    if (merged.length > MOST_AT_TOP) throw refused(`More than ${String(MOST_AT_TOP)} files at the top of the project have other names outside of it (hard links): devs cannot keep them all from being changed.`);
    return merged.map((place) => this.#toText(place));
  }

  /** How many names files have elsewhere: of those that have some. @param readOnly as for `places` */
  async countElsewhere(readOnly: readonly string[]): Promise<FileCounts> {
    const left = new Map<string, number>();
    await this.#eachWritten(readOnly, ({ linked }) => {
      for (const { file, count } of linked) left.set(file, (left.get(file) ?? count) - 1);
    });
    for (const [file, count] of left) if (count <= 0) left.delete(file);
    return left;
  }

  /** A command can make a million names by `ln`: other calls have their turn between the folders. */
  async #eachWritten(readOnly: readonly string[], see: (folder: LinkedFolder) => void): Promise<void> {
    const turn = new Turn();
    for (const folder of this.#written(readOnly)) {
      see(folder);
      await turn.pause();
    }
  }

  #written(readOnly: readonly string[]): readonly LinkedFolder[] {
    const kept = new Set(readOnly.map(toRaw));
    const around = new Set([...kept].map(above));
    const isWritten = (place: string): boolean => place.length <= this.#root.length || (!kept.has(place) && isWritten(above(place)));
    const withoutKept = ({ path, linked }: LinkedFolder) => ({ path, linked: around.has(path) ? linked.filter(({ name }) => !kept.has(`${path}/${name}`)) : linked });
    return this.#folders.filter(({ path }) => isWritten(path)).map(withoutKept);
  }

  #placesIn({ path, linked }: LinkedFolder): readonly string[] {
    return linked.length > MOST_ALONE && path !== this.#root ? [path] : linked.map(({ name }) => `${path}/${name}`);
  }

  /** The deepest first: of a package store's many folders this leaves the one around them, and a file elsewhere stays alone. */
  #mergeDeepest(places: readonly string[]): readonly string[] {
    const levels = byDepth(places);
    const top = depthOf(this.#root) + 1;
    for (let depth = levels.length - 1; depth > top && countOf(levels) > MOST_PLACES; depth -= 1) {
      const deepest = levels.pop() ?? [];
      levels[depth - 1] = new Set([...(levels[depth - 1] ?? []), ...[...deepest].map(above)]);
    }
    return levels.flatMap((level) => [...level]);
  }

  /** A mount is named by text: of a name that is no UTF-8 the folder around it is mounted. */
  #toText(place: string): string {
    if (place.length <= this.#root.length) throw refused('The project holds files with other names outside of it (hard links) at a place whose name is no UTF-8: devs cannot keep them from being changed. Someone has to rename that.');
    const text = fromRaw(place);
    return toRaw(text) === place ? text : this.#toText(above(place));
  }
}

function above(place: string): string {
  return place.slice(0, place.lastIndexOf('/'));
}

function depthOf(place: string): number {
  return place.split('/').length;
}

/** Without repeats; by what `depthOf` says. */
function byDepth(places: readonly string[]): Set<string>[] {
  const levels: Set<string>[] = [];
  for (const place of places) (levels[depthOf(place)] ??= new Set()).add(place);
  return levels;
}

function countOf(levels: readonly ReadonlySet<string>[]): number {
  return levels.reduce((sum, level) => sum + level.size, 0);
}

function refused(sentence: string): DevsError {
  return new DevsError('COMMAND_REFUSED', { sentence });
}
