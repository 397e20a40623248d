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
