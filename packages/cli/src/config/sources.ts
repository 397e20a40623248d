import os from 'node:os';
import path from 'node:path';
import type { StateFolder } from '../state/state-folder.ts';
import type { Variables } from './expand.ts';
import { configInvalid, readOperatorFile } from './operator-file.ts';
import { isProjectFile, readProjectFile, type ProjectFile, type TrustPlace } from './project-file.ts';
import { findAccountHome, findProject } from './project.ts';
import { readUserFile, type UserFile } from './user-file.ts';

/** The name that is looked for in the root and in the user's configuration folder. */
export const CONFIG_FILE = 'devs.config.json';

export interface ConfigRequest {
  /** Absolute, real path of the folder that is served. */
  readonly root: string;
  readonly state: StateFolder;
  /** What `--config` says. */
  readonly named?: string | undefined;
  readonly variables: Variables;
  /** Absolute path of the folder that devs was started in; that of the process when it is not given. */
  readonly startedIn?: string | undefined;
}

/** Who configures. */
export type Sources =
  /** A file outside the project, named: it alone, and its word is complete. */
  | { readonly kind: 'operator'; readonly path: string; readonly bytes: Buffer }
  | {
      readonly kind: 'layers';
      readonly user: UserFile;
      /** Nearest first: the one that is applied is the first with a record. */
      readonly project: readonly [ProjectFile, ...ProjectFile[]];
    };

/**
 * Finds and reads every file that may configure this root. Throws `CONFIG_INVALID` for a file that is
 * meant and cannot be used, and for a trust record that cannot be believed.
 */
export async function findSources({ root, state, named, variables, startedIn = process.cwd() }: ConfigRequest): Promise<Sources> {
  const accountHome = await findAccountHome();
  const project = await findProject({ root, startedIn, named, accountHome });
  if (named !== undefined && !(await isProjectFile(named, project))) return readOperator(path.resolve(named));
  const place = { state, project, accountHome };
  const user = await readUserFile({ variables, home: os.homedir(), accountHome, project });
  return { kind: 'layers', user, project: await readProjectFiles(root, named, place) };
}

async function readOperator(file: string): Promise<Sources> {
  const bytes = await readOperatorFile(file);
  if (bytes === undefined) throw configInvalid(file, 'does not exist.');
  return { kind: 'operator', path: file, bytes };
}

/**
 * A named file of the project takes the place of the root's, once it is trusted. Before that the root's
 * trusted one stays in force: a committed command line must not switch it off by naming another.
 */
async function readProjectFiles(root: string, named: string | undefined, place: TrustPlace): Promise<[ProjectFile, ...ProjectFile[]]> {
  const file = await readProjectFile(path.join(root, CONFIG_FILE), place);
  if (named === undefined) return [file];
  const other = await readProjectFile(named, place);
  if (other.record === undefined) requireReadable(other);
  return other.path === file.path ? [other] : [other, file];
}

function requireReadable({ path: file, current }: ProjectFile): void {
  if (current.kind === 'absent') throw configInvalid(file, 'does not exist.');
  if (current.kind === 'unusable') throw configInvalid(file, `${current.problem}.`);
}
