import { readFileSync, realpathSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';

/** The home folder of whoever runs this; undefined for an account without one, as in a container that runs under any. */
export function homeOfAccount(): string | undefined {
  try {
    return os.homedir();
  } catch {
    return undefined;
  }
}

/** The home folder that `HOME` names and the one that the account database has: another start may use the other. */
export function homesOfAccount(): readonly string[] {
  return [...new Set([homeOfAccount(), homeInAccountDatabase()])].flatMap((home) => (home !== undefined && path.isAbsolute(home) ? [home] : []));
}

/** All of these for one root. */
export function homesFor(root: string): readonly string[] {
  return [...new Set([...homesOfAccount(), ...homesAround(root)])];
}

/**
 * Home folders of other accounts that root reaches through a folder that it serves: of the account whose folder that is, and
 * those that lie in it or around it. Another account has no way into them.
 * @param root absolute, real
 * @param database as `/etc/passwd` has it
 */
export function homesAround(root: string, database = readDatabase()): readonly string[] {
  if (process.geteuid?.() !== 0) return [];
  const owner = ownerOf(root);
  const isAround = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`);
  return database.split('\n').flatMap((line) => {
    const [, , uid, , , home = ''] = line.split(':');
    // Many accounts of the system have none: `/`, or a folder of programs.
    if (!path.isAbsolute(home) || path.dirname(home) === home) return [];
    const places = [...new Set([path.resolve(home), realFolder(home)])];
    return uid === owner || places.some((place) => isAround(place, root) || isAround(root, place)) ? places : [];
  });
}

function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return path.resolve(folder);
  }
}

function ownerOf(folder: string): string | undefined {
  try {
    return String(statSync(folder).uid);
  } catch {
    return undefined;
  }
}

/** Accounts that are kept elsewhere than in this file are not found. */
function readDatabase(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8');
  } catch {
    return '';
  }
}

function homeInAccountDatabase(): string | undefined {
  try {
    return os.userInfo().homedir;
  } catch {
    return undefined;
  }
}

/** Who runs this, for the log: the name of the account, or its number where it has none, as in a container that runs under any. */
export function principalOfAccount(): string {
  try {
    return os.userInfo().username;
  } catch {
    return `uid:${process.getuid?.() ?? 'unknown'}`;
  }
}
