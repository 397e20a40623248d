import { existsSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { DevsError } from '@devs/core';
import type { ServerCommand } from '@devs/mcp';
import { isWithin } from '../config/project.ts';

/**
 * The same command in a folder that nobody else writes. In the root its files would decide what runs: `npx` asks the `.npmrc` and
 * the `node_modules` of the folder that it is started in, `python -m` the modules there; a cloned repository brings them, and an
 * agent may write them. Rejects with `UPSTREAM_UNAVAILABLE` where the folder lies in the root, or cannot be made.
 */
export async function inOwnFolder(command: ServerCommand, folder: string, root: string): Promise<ServerCommand> {
  // Where it really lies: a link may lead there.
  refuseInRoot(await makeFolder(folder), root);
  return { ...command, cwd: folder };
}

/** Its own sentence: of a folder that is not there the system would say that the command was not found. */
async function makeFolder(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await realpath(folder);
  } catch (cause) {
    throw new DevsError('UPSTREAM_UNAVAILABLE', { sentence: `The server is not started: its own folder, ${JSON.stringify(folder)}, cannot be made.`, cause });
  }
}

/** `npx` and its kind look through all folders above as well. */
export function refuseInRoot(folder: string, root: string): void {
  if (!isWithin(folder, root)) return;
  const sentence = `The server is not started: its own folder, ${JSON.stringify(folder)}, is in the root, where what an agent writes would decide what runs.`;
  const suggestion = 'Serve a folder that does not contain the state of devs, run the server in a sandbox ("sandbox": {"mode": "require"}), or set where it runs ("cwd").';
  throw new DevsError('UPSTREAM_UNAVAILABLE', { sentence, suggestion });
}

/** Words of a command that name something in the root, seen from there: elsewhere they name something else, or nothing. */
export function seenFromRoot({ command, args }: Pick<ServerCommand, 'command' | 'args'>, root: string): readonly string[] {
  const words = command.includes('/') ? [command, ...args] : args;
  return words.filter((word) => word !== '' && !word.startsWith('-') && !path.isAbsolute(word) && word.length < 4_096 && existsSync(path.join(root, word)));
}
