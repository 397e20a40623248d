import os from 'node:os';
import process from 'node:process';

/** Who runs this, for the log: the name of the account, or its number where it has none, as in a container that runs under any. */
export function principalOfAccount(): string {
  try {
    return os.userInfo().username;
  } catch {
    return `uid:${process.getuid?.() ?? 'unknown'}`;
  }
}
