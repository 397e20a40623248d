import { lstatSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { errnoOf, type McpServerConfig } from '@devs/core';
import type { Variables } from './expand.ts';
import { isWithin } from './project.ts';
import { listWords } from './server-words.ts';

export interface FilePlace {
  /** Absolute, real path of the folder that is served. */
  readonly root: string;
  readonly variables: Variables;
}

/** What of the root a server's command names, absolute, as it names them. */
export interface NamedPlaces {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Pipes and devices: what comes out of them is nobody's to hash. */
  readonly others: readonly string[];
  /** Whether it names the root itself. */
  readonly isRootNamed: boolean;
  /** Whether every word was looked for: not where there are more than `MOST_WORDS`. */
  readonly isWhole: boolean;
}

/** Words of a command that are looked for on the disk. */
export const MOST_WORDS = 5_000;
/** What Node, Bun, Deno and Python put behind a name that is not there. */
const EXTENSIONS = ['.js', '.mjs', '.cjs', '.json', '.node', '.ts', '.mts', '.cts', '.tsx', '.jsx', '.wasm', '.py', '.pyc', '.pyz', '.sh'];

type Kind = 'file' | 'folder' | 'root' | 'other' | 'none';

/** Its program, its arguments and what its variables name. Without waiting: of thousands of words, most are none. */
export function findNamedPlaces(server: McpServerConfig, { root, variables }: FilePlace): NamedPlaces {
  const { command, args = [], env = {} } = server;
  if (command === undefined) return { files: [], folders: [], others: [], isRootNamed: false, isWhole: true };
  const folder = folderOf(server, root);
  const searchPath = (env['PATH'] ?? variables['PATH'] ?? '').split(path.delimiter).map((each) => path.resolve(folder, each));
  const programs = command.includes('/') ? [path.resolve(folder, command)] : searchPath.map((each) => path.join(each, command));
  const words = listWords([...args, ...Object.values(env)], MOST_WORDS);
  const named = [...words].map((word) => path.resolve(folder, word));
  const kinds = new Map([...programs, ...named].map((file) => [file, kindOf(file, root)]));
  // A program that is told a name without an ending finds the one that has it.
  const others = named.filter((file) => kinds.get(file) !== 'file').flatMap((file) => EXTENSIONS.map((extension) => file + extension));
  for (const file of others) kinds.set(file, kindOf(file, root));
  const listOf = (wanted: Kind) => [...kinds].flatMap(([place, kind]) => (kind === wanted ? [place] : []));
  return { files: listOf('file'), folders: listOf('folder'), others: listOf('other'), isRootNamed: listOf('root').length > 0, isWhole: words.size <= MOST_WORDS };
}

/** Where a server runs. */
export function folderOf({ cwd }: McpServerConfig, root: string): string {
  return path.resolve(root, cwd ?? '');
}

function kindOf(file: string, root: string): Kind {
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return 'none';
    const real = realpathSync(file);
    if (!isWithin(file, root) && !isWithin(real, root)) return 'none';
    const stats = statSync(real);
    if (stats.isDirectory()) return isWithin(root, real) ? 'root' : 'folder';
    // A socket cannot be opened as a file; one in whose place a file comes is found then.
    if (stats.isSocket()) return 'none';
    return stats.isFile() ? 'file' : 'other';
  } catch (cause) {
    const code = errnoOf(cause);
    // What is there and cannot be looked at is refused when it is to be hashed.
    return (code === 'EACCES' || code === 'EPERM') && isWithin(file, root) ? 'file' : 'none';
  }
}
