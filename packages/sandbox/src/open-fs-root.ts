import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { DEFAULT_TOOL_SETTINGS, DevsError, errnoOf, splitPath } from '@devs/core';
import { belowRoot } from './files/agent-path.ts';
import { isWithin } from './files/is-within.ts';
import { LinuxPlaces } from './files/linux-places.ts';
import type { Places } from './files/places.ts';
import { PortablePlaces } from './files/portable-places.ts';
import { patternsWithout, placePatterns, ProtectedPatterns, type NamedFolders } from './files/protected-patterns.ts';
import { Protection } from './files/protection.ts';
import { GuardedFsRoot } from './guarded-fs-root.ts';
import { linkTargets } from './link-targets.ts';

export interface FsRootOptions {
  /** The project folder. Its owner's word: links on the way to it are followed, once. */
  readonly root: string;
  /** Names that no tool writes, at any depth, beside `PROTECTED_FILES`. */
  readonly alsoProtected?: readonly string[];
  /** Patterns of `PROTECTED_FILES` that the operator leaves to tools all the same. */
  readonly writable?: readonly string[];
  /** Absolute: where the patterns of home folders count. Default: nowhere. */
  readonly homes?: readonly string[];
  /** Folders that the user's environment names, absolute: protected as what they stand for. Default: none. */
  readonly named?: NamedFolders;
  /** Absolute folders, existing or not, that no tool reads, lists or writes: devs's own state. */
  readonly protectedFolders?: readonly string[];
  /** Names temporary files. Letters, digits and `-`. Default: process id and 64 random bits. */
  readonly createId?: () => string;
}

/**
 * Opens a project folder for tools. It stays open, and stays the same folder when it is renamed, until
 * it is disposed of.
 * @throws DevsError CONFIG_INVALID: no such folder, a protected name that is not one name, a protected
 * folder around the root, a system on which the folder cannot be guarded
 */
export function openFsRoot(options: FsRootOptions): GuardedFsRoot {
  const root = path.resolve(options.root);
  return createFsRoot(openPlaces(root), options);
}

export function createFsRoot(places: Places, options: Omit<FsRootOptions, 'root'>): GuardedFsRoot {
  try {
    const { alsoProtected: names = [], writable = [], homes = [], named = {}, protectedFolders = [] } = options;
    const place = { root: splitPath(places.locate(places.root)), homes: homes.map((home) => splitPath(realFolder(path.resolve(home)))) };
    const held = patternsWithout(writable);
    const list = { ...held, placed: placePatterns(held, withRealNames(named)), names };
    const patterns = new ProtectedPatterns({ ...list, placed: [...list.placed, ...linkTargets(list, place)] }, place);
    const folders = protectedFolders.flatMap((folder) => foldersInRoot(folder, places));
    return new GuardedFsRoot({
      places,
      protection: new Protection({ patterns, folders }),
      createId: options.createId ?? createTemporaryId,
      maxReadBytes: DEFAULT_TOOL_SETTINGS.limits.maxFileReadSize,
    });
  } catch (error) {
    places.root.close();
    throw error;
  }
}

function openPlaces(root: string): Places {
  try {
    if (process.platform === 'linux') return new LinuxPlaces(root);
    if (process.platform !== 'win32') return new PortablePlaces(root);
  } catch (cause) {
    throw new DevsError('CONFIG_INVALID', { sentence: 'The project folder cannot be opened.', cause });
  }
  throw new DevsError('CONFIG_INVALID', { sentence: 'devs cannot guard a project folder on this system.' });
}

/**
 * A protected folder as segments below the root, both as it is named and as it really is: a link on the way may be
 * replaced later. None when it lies elsewhere.
 */
function foldersInRoot(folder: string, places: Places): string[][] {
  const named = path.resolve(folder);
  const root = places.locate(places.root);
  const ways = [...new Set([named, realFolder(named)])];
  if (ways.some((way) => isWithin(root, way))) {
    throw new DevsError('CONFIG_INVALID', { sentence: 'The project folder lies in a folder of devs.' });
  }
  return ways.flatMap((way) => {
    const spelling = places.spellings.find((each) => isWithin(way, each));
    return spelling === undefined ? [] : [belowRoot(way, [spelling])];
  });
}

/** None where it cannot be said: `PATH` holds what somebody has written. */
function realNamesOf(folder: string): readonly string[] {
  try {
    return [realFolder(path.resolve(folder))];
  } catch {
    return [];
  }
}

/** As they are named, and as they are: a link on the way may be replaced later. */
function withRealNames({ settings = [], data = [], programs = [], byVariable = new Map() }: NamedFolders): NamedFolders {
  const both = (folders: readonly string[]) => [...new Set(folders.flatMap((folder) => [path.resolve(folder), ...realNamesOf(folder)]))];
  return { settings: both(settings), data: both(data), programs: both(programs), byVariable: new Map([...byVariable].map(([name, places]) => [name, both(places)])) };
}

/**
 * The folder may still have to be made, or lie where devs, and so its tools, may not look: in the home of an account that a
 * container maps to root, say. Its deepest ancestor that can be looked at decides where it is.
 */
function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch (error) {
    const parent = path.dirname(folder);
    if (!['ENOENT', 'EACCES', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error) ?? '') || parent === folder) throw error;
    return path.join(realFolder(parent), path.basename(folder));
  }
}

function createTemporaryId(): string {
  return `${String(process.pid)}-${randomBytes(8).toString('hex')}`;
}
