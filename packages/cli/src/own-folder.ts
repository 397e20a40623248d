import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { ServerCommand } from '@devs/mcp';

/**
 * The same command in a folder that nobody else writes. In the root its files would decide what runs: `npx` asks the `.npmrc` and
 * the `node_modules` of the folder that it is started in, `python -m` the modules there; a cloned repository brings them, and an
 * agent may write them.
 */
export async function inOwnFolder(command: ServerCommand, folder: string): Promise<ServerCommand> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return { ...command, cwd: folder };
}

/** Words of a command that name something in the root, seen from there: elsewhere they name something else, or nothing. */
export function seenFromRoot({ command, args }: Pick<ServerCommand, 'command' | 'args'>, root: string): readonly string[] {
  const words = command.includes('/') ? [command, ...args] : args;
  return words.filter((word) => word !== '' && !word.startsWith('-') && !path.isAbsolute(word) && word.length < 4_096 && existsSync(path.join(root, word)));
}
