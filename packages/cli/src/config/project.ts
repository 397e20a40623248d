import { lstat, realpath } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isRecord } from '@devs/core';

/** What a cloned repository, or an agent that works in the root, may have written. */
export interface Project {
  /** Absolute, real path of the folder that is served. */
  readonly root: string;
  /** The git work tree that holds the root; the root itself when there is none. */
  readonly workTree: string;
}

/** The project of a root. */
export async function findProject(root: string): Promise<Project> {
  return { root, workTree: await findWorkTree(root) };
}

/**
 * Whether a place belongs to the project. Without the work tree, a committed
 * `devs serve --root ./packages --config ./evil.json` would make the repository its own operator.
 */
export function isInProject(place: string, { root, workTree }: Project): boolean {
  return isWithin(place, root) || isWithin(place, workTree);
}

/**
 * The same for a folder of the user's (`~/.config`, `~/.local/state`), by default at `ownPlace`: who keeps
 * the home folder in git has not handed it to the project. What the root holds is the project's in any case.
 */
export function isOwnFolderInProject(place: string, ownPlace: string | undefined, project: Project): boolean {
  if (isWithin(place, project.root)) return true;
  if (ownPlace !== undefined && isWithin(place, ownPlace)) return false;
  return isWithin(place, project.workTree);
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
 * Upward to a `.git` folder. A `.git` *file* is a submodule's or a linked work tree's: the climb goes on,
 * or `--root ./submodule` would put the rest of the repository outside.
 */
async function findWorkTree(folder: string, found: string = folder): Promise<string> {
  const git = await kindOf(path.join(folder, '.git'));
  const outermost = git === 'none' ? found : folder;
  const parent = path.dirname(folder);
  return git === 'folder' || parent === folder ? outermost : findWorkTree(parent, outermost);
}

async function kindOf(place: string): Promise<'folder' | 'other' | 'none'> {
  try {
    return (await lstat(place)).isDirectory() ? 'folder' : 'other';
  } catch (cause) {
    const code = isRecord(cause) ? cause['code'] : undefined;
    // What cannot be looked at may well be one: the larger project is the safe guess.
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'none' : 'other';
  }
}
