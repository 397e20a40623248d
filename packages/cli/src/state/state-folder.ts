import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { DevsError, errnoOf } from '@devs/core';

export interface StateFolder {
  /** Absolute. Mode 0700, ours alone. */
  readonly path: string;
  readonly logFile: string;
  readonly tokenFile: string;
  /** Makes the fingerprints of secrets that were masked. */
  readonly fingerprintKeyFile: string;
}

export interface StateEnvironment {
  readonly DEVS_STATE_DIR?: string | undefined;
  readonly XDG_STATE_HOME?: string | undefined;
}

/** The folder that is served, as the file system knows it. Throws `STATE_UNUSABLE` when there is none. */
export async function resolveRoot(root: string): Promise<string> {
  try {
    const real = await realpath(root);
    if ((await lstat(real)).isDirectory()) return real;
  } catch (cause) {
    throw new DevsError('STATE_UNUSABLE', { sentence: `The root ${JSON.stringify(root)} does not exist or cannot be read.`, cause });
  }
  throw new DevsError('STATE_UNUSABLE', { sentence: `The root ${JSON.stringify(root)} is not a folder.` });
}

/**
 * Where devs remembers what belongs to a root: outside it, so that neither an agent nor a cloned
 * repository can bring or change it. The name tells people which root; the hash tells roots apart.
 */
export function locateState(realRoot: string, environment: StateEnvironment): StateFolder {
  const named = environment.DEVS_STATE_DIR;
  const folder = named ? path.resolve(named) : path.join(stateHome(environment), 'devs', folderName(realRoot));
  const file = (name: string) => path.join(folder, name);
  return { path: folder, logFile: file('agent_logs.db'), tokenFile: file('token'), fingerprintKeyFile: file('fingerprint.key') };
}

/** Makes the folder if it is not there. Throws `STATE_UNUSABLE` when others could read or change it. */
export async function prepareState(state: StateFolder): Promise<void> {
  try {
    await makeFolder(state.path);
    await checkPrivate(state.path);
  } catch (cause) {
    if (cause instanceof DevsError) throw cause;
    throw unusable(state.path, 'cannot be made or opened', cause);
  }
}

/**
 * Before anything in it is believed. A folder that is not there holds nothing to believe, and is not made.
 * Throws `STATE_UNUSABLE` when others could change it.
 */
export async function checkStateIfThere({ path: folder }: StateFolder): Promise<void> {
  try {
    await checkPrivate(folder);
  } catch (cause) {
    if (cause instanceof DevsError) throw cause;
    if (errnoOf(cause) === 'ENOENT') return;
    throw unusable(folder, 'cannot be made or opened', cause);
  }
}

/** Not `recursive: true`: below /proc, Node's own goes round for ever between "no such" and "is there". */
async function makeFolder(folder: string): Promise<void> {
  const outcome = await tryMakeFolder(folder);
  if (outcome !== 'parent missing') return;
  await makeFolder(path.dirname(folder));
  await mkdir(folder, { mode: 0o700 });
}

async function tryMakeFolder(folder: string): Promise<'there' | 'parent missing'> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return 'there';
  } catch (cause) {
    const code = errnoOf(cause);
    if (code === 'EEXIST') return 'there';
    if (code === 'ENOENT' && path.dirname(folder) !== folder) return 'parent missing';
    throw cause;
  }
}

/** Checks owner and mode on the descriptor that was opened, so that nothing can be swapped in between. */
async function checkPrivate(folder: string): Promise<void> {
  await using handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const { uid, mode } = await handle.stat();
  if (process.getuid !== undefined && uid !== process.getuid()) throw unusable(folder, 'belongs to another user');
  // Others who may enter could take the token and put a log of their own in place. Not changed here:
  // the folder may be one that somebody named by mistake.
  if ((mode & 0o077) !== 0) throw unusable(folder, 'is accessible to other users; run chmod 700 on it');
}

function stateHome({ XDG_STATE_HOME }: StateEnvironment): string {
  // The XDG rules: a relative path is to be ignored.
  if (XDG_STATE_HOME && path.isAbsolute(XDG_STATE_HOME)) return XDG_STATE_HOME;
  const home = os.homedir();
  // A relative home would put the log and the token into whatever folder this is, the served one perhaps.
  if (!path.isAbsolute(home)) throw unusable(home, 'would be in a home folder that is not absolute');
  return path.join(home, '.local', 'state');
}

function folderName(realRoot: string): string {
  const name = path.basename(realRoot).replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 64) || 'root';
  const hash = createHash('sha256').update(realRoot).digest('hex').slice(0, 16);
  return `${name}-${hash}`;
}

function unusable(folder: string, problem: string, cause?: unknown): DevsError {
  const sentence = `The state folder ${JSON.stringify(folder)} ${problem}. Set DEVS_STATE_DIR to a folder of your own.`;
  return new DevsError('STATE_UNUSABLE', { sentence, cause });
}
