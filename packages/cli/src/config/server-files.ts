import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { DevsError, isRecord, nameSome, type McpServerConfig } from '@devs/core';
import { listFolders, MOST_FILES, type FolderContent } from './server-folder.ts';
import { findNamedPlaces, MOST_WORDS, type FilePlace, type NamedPlaces } from './server-places.ts';
import { runsFolders } from './unknown-runs.ts';

/** A file of the root that a server's command names, as it was or is. */
export interface ServerFile {
  /** Absolute, as the command names it. */
  readonly path: string;
  /** Where links lead from there; absent where there are none. A module's own imports begin at that place. */
  readonly real?: string;
  /** Hexadecimal, of what is read there. */
  readonly sha256: string;
}

/** What is larger is no program that somebody has looked at. */
const MAX_BYTES = 268_435_456;
/** All files of the folders of one server together: they are read before each start. */
const MAX_FOLDER_BYTES = 67_108_864;
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * The files of the root that a server's command names: its program, its arguments (`--config=file` too), what its variables
 * name, and all that lies in folders that it names. What those files load in their turn is not among them. Throws
 * `CONFIG_INVALID` where not all of them can be known: then what was looked at would not be what runs.
 */
export async function listServerFiles(server: McpServerConfig, place: FilePlace): Promise<readonly ServerFile[]> {
  const { files, folders, others, isWhole } = await findPlaces(server, place);
  if (!isWhole) throw invalid(`it has more than ${String(MOST_WORDS)} words that could each name a file, more than devs checks`);
  const inside = await listInside(folders);
  const [other] = [...others, ...inside.others];
  if (other !== undefined) throw invalid(`${JSON.stringify(other)} is not a regular file`);
  const named = new Set(files);
  const found: ServerFile[] = [];
  for (const file of named) found.push((await hashFile(file, MAX_BYTES)).file);
  let left = MAX_FOLDER_BYTES;
  for (const each of inside.files.filter((file) => !named.has(file))) {
    const { file, length } = await hashFile(each, left);
    left -= length;
    found.push(file);
  }
  return found.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** The names alone of what is named as a file, with those that links lead to. */
export async function namesOfServerFiles(server: McpServerConfig, place: FilePlace): Promise<readonly string[]> {
  const { files } = findNamedPlaces(server, place);
  const names = await Promise.all(files.map(async (file) => [path.basename(file), path.basename(await realpath(file).catch(() => file))]));
  return [...new Set(names.flat())];
}

/** The servers of a file, of which nothing is known yet. */
export function serversIn(values: Readonly<Record<string, unknown>>): readonly (readonly [string, McpServerConfig])[] {
  const { mcpServers } = values;
  return isRecord(mcpServers) ? Object.entries(mcpServers).flatMap(([name, server]) => (isRecord(server) ? [[name, server] as const] : [])) : [];
}

/** The root itself is too much to hash; of what is told to run it, where that begins is known. */
async function findPlaces(server: McpServerConfig, place: FilePlace): Promise<NamedPlaces> {
  const named = findNamedPlaces(server, place);
  if (!named.isRootNamed || !runsFolders(server)) return named;
  const entries = findNamedPlaces({ command: '.', args: await listEntryPoints(place.root), cwd: place.root }, place);
  const both = (key: 'files' | 'folders' | 'others') => [...new Set([...named[key], ...entries[key]])];
  return { ...named, files: both('files'), folders: both('folders'), others: both('others') };
}

/** `package.json` is one of them, so what it says cannot change unnoticed. */
async function listEntryPoints(root: string): Promise<readonly string[]> {
  const text = await readFile(path.join(root, 'package.json'), 'utf8').catch(() => '');
  const { main, module }: Readonly<Record<string, unknown>> = parseObject(text);
  return ['package.json', 'index', '__main__', ...[main, module].filter((name) => typeof name === 'string')];
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

async function listInside(folders: readonly string[]): Promise<FolderContent> {
  const content = await listFolders(folders).catch((cause: unknown) => {
    throw invalid(`the folders ${nameSome(folders.map((folder) => JSON.stringify(folder)))} cannot be read`, cause);
  });
  if (content !== undefined) return content;
  throw invalid(`more than ${String(MOST_FILES)} files and folders lie in ${nameSome(folders.map((folder) => JSON.stringify(folder)))}`);
}

/** One open: what is measured is what is hashed. */
async function hashFile(file: string, most: number): Promise<{ readonly file: ServerFile; readonly length: number }> {
  try {
    const real = await realpath(file);
    await using handle = await open(real, READ);
    if (!(await handle.stat()).isFile()) throw invalid(`${JSON.stringify(file)} is not a regular file`);
    const hash = createHash('sha256');
    let length = 0;
    // Counted as it is read: it may grow meanwhile.
    for await (const chunk of handle.createReadStream({ autoClose: false })) {
      length += (chunk as Buffer).length;
      if (length > most) throw invalid(`${JSON.stringify(file)} is larger than ${String(MAX_BYTES)} bytes, or its folders than ${String(MAX_FOLDER_BYTES)}`);
      hash.update(chunk as Buffer);
    }
    return { file: { path: file, ...(real !== file && { real }), sha256: hash.digest('hex') }, length };
  } catch (cause) {
    throw DevsError.is(cause) ? cause : invalid(`${JSON.stringify(file)} cannot be read`, cause);
  }
}

function invalid(problem: string, cause?: unknown): DevsError {
  return new DevsError('CONFIG_INVALID', { sentence: `What its command names cannot be known: ${problem}.`, cause });
}
