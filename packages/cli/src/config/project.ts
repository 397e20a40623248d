import { lstat, realpath } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { errnoOf } from '@devs/core';

/** What a cloned repository, or an agent that works in the root, may have written. */
export interface Project {
  /** Absolute, real path of the folder that is served. */
  readonly root: string;
  /** The other folders, absolute: work trees, and where devs was started. */
  readonly folders: readonly string[];
}

/** Where the command line that names a root and a file may come from. */
export interface ProjectRequest {
  /** Absolute, real path of the folder that is served. */
  readonly root: string;
  /** Absolute path of the folder that devs was started in. */
  readonly startedIn: string;
  /** What `--config` says. */
  readonly named: string | undefined;
  readonly accountHome: string | undefined;
}

/**
 * The project of a command line. Not the root's work tree alone: a clone is mostly what devs is started
 * in, and its committed `devs serve --root ../other --config ./evil.json` would make it an operator.
 */
export async function findProject({ root, startedIn, named, accountHome }: ProjectRequest): Promise<Project> {
  const start = await toRealPlace(startedIn);
  // Clients start servers in these two; nobody has cloned a repository there by that.
  const started = start === accountHome || start === path.parse(start).root ? [] : [start];
  const holding = named === undefined ? [] : await findWorkTreesOfFile(named, accountHome);
  const trees = await Promise.all([root, ...started].map(async (folder) => findWorkTree(folder)));
  return { root, folders: [...started, ...trees.flatMap((tree) => tree ?? []), ...holding] };
}

/** Whether a place belongs to the project. */
export function isInProject(place: string, { root, folders }: Project): boolean {
  return [root, ...folders].some((folder) => isWithin(place, folder));
}

/**
 * The same for a folder of the user's (`~/.config`, `~/.local/state`), by default at `ownPlace`: who keeps
 * the home folder in git has not handed it to the project. That holds only for what the folder is around:
 * a repository that is cloned below `~/.config` is no part of the user's own place. What the root holds is
 * the project's in any case.
 */
export function isOwnFolderInProject(place: string, ownPlace: string | undefined, { root, folders }: Project): boolean {
  if (isWithin(place, root)) return true;
  const isOwn = (folder: string) => ownPlace !== undefined && isWithin(place, ownPlace) && isWithin(ownPlace, folder);
  return folders.some((folder) => isWithin(place, folder) && !isOwn(folder));
}

/**
 * The places of a file: as it is written, its real folder and name, where it really leads. A link in
 * either direction makes nobody an operator.
 */
export async function findPlaces(file: string): Promise<readonly string[]> {
  return [path.resolve(file), await toFilePlace(file), await toRealPlace(path.resolve(file))];
}

/** The real folder and the name. The name itself is not followed: a link there is another file than the one that was trusted. */
export async function toFilePlace(file: string): Promise<string> {
  const absolute = path.resolve(file);
  const folder = await realpath(path.dirname(absolute)).catch(() => path.dirname(absolute));
  return path.join(folder, path.basename(absolute));
}

/** As the account has it. Not `$HOME`: a committed `.mcp.json` sets that. Undefined when the account has none. */
export async function findAccountHome(): Promise<string | undefined> {
  try {
    return await realpath(os.userInfo().homedir);
  } catch {
    return undefined;
  }
}

/** Where a path really leads, also when its last parts are not there yet. */
export async function toRealPlace(file: string): Promise<string> {
  const parent = path.dirname(file);
  try {
    return await realpath(file);
  } catch (cause) {
    if (parent === file) throw cause;
    return path.join(await toRealPlace(parent), path.basename(file));
  }
}

/** Both absolute. A place is within itself. */
export function isWithin(place: string, folder: string): boolean {
  const relative = path.relative(folder, place);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/**
 * The work trees that hold a file. The climb ends below the home folder: who keeps that in git has not
 * handed every file in it to a project, and a linked work tree in it must still be found.
 */
async function findWorkTreesOfFile(file: string, accountHome: string | undefined): Promise<readonly string[]> {
  const isEnd = (folder: string) => accountHome !== undefined && isWithin(accountHome, folder);
  const places = await findPlaces(file);
  const trees = await Promise.all(places.map(async (place) => findWorkTree(path.dirname(place), isEnd)));
  return trees.flatMap((tree) => tree ?? []);
}

/**
 * Upward to a `.git` folder. A `.git` *file* is a submodule's or a linked work tree's: the climb goes on,
 * or `--root ./submodule` would put the rest of the repository outside. Undefined when there is neither.
 */
async function findWorkTree(folder: string, isEnd?: (folder: string) => boolean, found?: string): Promise<string | undefined> {
  if (isEnd?.(folder) === true) return found;
  const git = await kindOf(path.join(folder, '.git'));
  const outermost = git === 'none' ? found : folder;
  const parent = path.dirname(folder);
  return git === 'folder' || parent === folder ? outermost : findWorkTree(parent, isEnd, outermost);
}

async function kindOf(place: string): Promise<'folder' | 'other' | 'none'> {
  try {
    return (await lstat(place)).isDirectory() ? 'folder' : 'other';
  } catch (cause) {
    const code = errnoOf(cause);
    // What cannot be looked at may well be one: the larger project is the safe guess.
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'none' : 'other';
  }
}
