import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { DevsError, isRecord, type McpServerConfig } from '@devs/core';
import type { Variables } from './expand.ts';
import { isWithin } from './project.ts';

/** A file of the root that a server's command names, as it was or is. */
export interface ServerFile {
  /** Absolute, as the command names it. */
  readonly path: string;
  /** Hexadecimal, of what is read there, links followed. */
  readonly sha256: string;
}

export interface FilePlace {
  /** Absolute, real path of the folder that is served. */
  readonly root: string;
  readonly variables: Variables;
}

/** What is larger is no program that somebody has looked at. */
const MAX_BYTES = 268_435_456;
/** Words of a command that are looked for on the disk. */
const MOST_WORDS = 1_000;
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * The files of the root that a server's command names: its program, its arguments (`--config=file` too) and what its
 * variables name. What those files load in their turn is not among them. Throws `CONFIG_INVALID` for one that cannot be read.
 */
export async function listServerFiles(server: McpServerConfig, place: FilePlace): Promise<readonly ServerFile[]> {
  const files = await Promise.all((await findFiles(server, place)).map(async (file) => ({ path: file, sha256: await hashFile(file) })));
  return files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** The names alone, with those that links lead to. */
export async function namesOfServerFiles(server: McpServerConfig, place: FilePlace): Promise<readonly string[]> {
  const files = await findFiles(server, place);
  const names = await Promise.all(files.map(async (file) => [path.basename(file), path.basename(await realpath(file).catch(() => file))]));
  return [...new Set(names.flat())];
}

/** The servers of a file, of which nothing is known yet. */
export function serversIn(values: Readonly<Record<string, unknown>>): readonly (readonly [string, McpServerConfig])[] {
  const { mcpServers } = values;
  return isRecord(mcpServers) ? Object.entries(mcpServers).flatMap(([name, server]) => (isRecord(server) ? [[name, server] as const] : [])) : [];
}

async function findFiles(server: McpServerConfig, { root, variables }: FilePlace): Promise<readonly string[]> {
  const { command, args = [], env = {}, cwd } = server;
  if (command === undefined) return [];
  const folder = path.resolve(root, cwd ?? '');
  const searchPath = (env['PATH'] ?? variables['PATH'] ?? '').split(path.delimiter).map((each) => path.resolve(folder, each));
  const programs = command.includes('/') ? [path.resolve(folder, command)] : searchPath.map((each) => path.join(each, command));
  const words = [...args, ...Object.values(env)].flatMap(toWords).slice(0, MOST_WORDS);
  const found: string[] = [];
  for (const file of new Set([...programs, ...words.map((word) => path.resolve(folder, word))])) {
    if (await isFileInRoot(file, root)) found.push(file);
  }
  return found;
}

/** `--import=./hook.mjs`, `--require ./hook.js` in one variable, `file:///…`. */
function toWords(text: string): readonly string[] {
  return [text, ...text.split(/[\s=,:;]+/)].flatMap((word) => {
    if (word === '' || word.length > 4_096 || word.includes('\0')) return [];
    if (!word.startsWith('file:')) return [word];
    try {
      return [fileURLToPath(word)];
    } catch {
      return [];
    }
  });
}

async function isFileInRoot(file: string, root: string): Promise<boolean> {
  try {
    const real = await realpath(file);
    if (!isWithin(file, root) && !isWithin(real, root)) return false;
    await using handle = await open(real, READ);
    return (await handle.stat()).isFile();
  } catch (cause) {
    const code = isRecord(cause) ? cause['code'] : undefined;
    // What is there and cannot be looked at is refused when it is to be hashed.
    return (code === 'EACCES' || code === 'EPERM') && isWithin(file, root);
  }
}

/** One open: what is measured is what is hashed. */
async function hashFile(file: string): Promise<string> {
  try {
    await using handle = await open(file, READ);
    const { size } = await handle.stat();
    if (size > MAX_BYTES) throw unreadable(file, `is larger than ${String(MAX_BYTES)} bytes`);
    const hash = createHash('sha256');
    let length = 0;
    for await (const chunk of handle.createReadStream({ autoClose: false })) {
      length += (chunk as Buffer).length;
      // It may grow while it is read.
      if (length > MAX_BYTES) throw unreadable(file, `is larger than ${String(MAX_BYTES)} bytes`);
      hash.update(chunk as Buffer);
    }
    return hash.digest('hex');
  } catch (cause) {
    throw DevsError.is(cause) ? cause : unreadable(file, 'cannot be read', cause);
  }
}

function unreadable(file: string, problem: string, cause?: unknown): DevsError {
  return new DevsError('CONFIG_INVALID', { sentence: `The file ${JSON.stringify(file)}, which a server's command names, ${problem}.`, cause });
}
