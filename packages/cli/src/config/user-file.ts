import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { DevsError, errnoOf } from '@devs/core';
import type { Variables } from './expand.ts';
import { configInvalid, readOperatorFile } from './operator-file.ts';
import { isOwnFolderInProject, toRealPlace, type Project } from './project.ts';

/** The user's own file, in force for every project. */
export interface UserFile {
  readonly path: string;
  /** Undefined when there is none, or when it is not used. */
  readonly bytes: Buffer | undefined;
  /** Why it is not used though it is there. */
  readonly notUsed: string | undefined;
}

export interface UserPlace {
  readonly variables: Variables;
  /** As the environment has it. */
  readonly home: string;
  /** As the account has it. */
  readonly accountHome: string | undefined;
  readonly project: Project;
}

/** `${XDG_CONFIG_HOME:-~/.config}/devs/devs.config.json`. Throws `CONFIG_INVALID` for a file that is there and cannot be used. */
export async function readUserFile(place: UserPlace): Promise<UserFile> {
  const file = path.join(userFolder(place), 'devs.config.json');
  if (!(await isThere(file))) return { path: file, bytes: undefined, notUsed: undefined };
  if (await isBroughtByProject(file, place)) {
    return { path: file, bytes: undefined, notUsed: 'is inside the project, so it does not count as your own' };
  }
  const bytes = await readOperatorFile(file);
  if (bytes === undefined) throw configInvalid(file, 'was there and is gone.');
  return { path: file, bytes, notUsed: undefined };
}

/** Where what is the user's own lies: `${XDG_CONFIG_HOME:-~/.config}/devs`. Throws `CONFIG_INVALID` when there is no such place. */
export function userFolder({ variables, home }: Pick<UserPlace, 'variables' | 'home'>): string {
  return path.join(configHome(variables['XDG_CONFIG_HOME'], home), 'devs');
}

/** Whether what should be the user's own is the project's: `XDG_CONFIG_HOME` comes from whoever starts devs, a committed `.mcp.json` too. */
export async function isBroughtByProject(file: string, { accountHome, project }: Pick<UserPlace, 'accountHome' | 'project'>): Promise<boolean> {
  const own = accountHome === undefined ? undefined : path.join(accountHome, '.config');
  return [file, await toRealPlace(file)].some((place) => isOwnFolderInProject(place, own, project));
}

function configHome(named: string | undefined, home: string): string {
  // The XDG rules: a relative path is to be ignored.
  if (named !== undefined && path.isAbsolute(named)) return named;
  if (path.isAbsolute(home)) return path.join(home, '.config');
  throw new DevsError('CONFIG_INVALID', { sentence: 'The home folder is not absolute, so your own configuration cannot be found. Set HOME.' });
}

/** What cannot be looked at is there: to go on without it could be weaker. */
async function isThere(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (cause) {
    const code = errnoOf(cause);
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}
