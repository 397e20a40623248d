import { closeSync } from 'node:fs';
import { DevsError, type SearchReport, type SearchRequest } from '@devs/core';
import { parseAgentPath } from '../files/agent-path.ts';
import { MAX_SCANNED, type FsRootParts } from '../files/fs-root-parts.ts';
import { openAtEnd } from '../files/read-slice.ts';
import { isPassedOver, TreeReader } from '../files/tree-reader.ts';
import { Walk } from '../files/walk.ts';
import { compileGlob } from './glob.ts';
import { LineSearch } from './line-search.ts';
import type { PathPattern } from './path-pattern.ts';
import { MAX_STEPS, SearchedFolders } from './searched-folders.ts';
import { Effort } from './wildcard.ts';

/**
 * Shows the caller the lines of one file, or of the text files below a folder.
 * @throws DevsError PATTERN_REFUSED for the glob, and as reading and listing do
 */
export async function searchFiles(parts: FsRootParts, path: string, request: SearchRequest): Promise<SearchReport> {
  const glob = request.glob === undefined ? undefined : compileGlob(request.glob);
  const lines = new LineSearch({ ...request, onLine: reporting(request, parts) }, parts.maxReadBytes);
  const names = findFolder(parts, path);
  if (names === undefined) return await searchFile(parts, path, { glob, lines });
  return await searchTree(parts, { names, glob, lines, signal: request.signal });
}

function reporting({ onLine }: SearchRequest, { onRead }: FsRootParts): SearchRequest['onLine'] {
  if (onRead === undefined) return onLine;
  return (line) => {
    const step = onLine(line);
    if (step !== 'miss') onRead(line.path);
    return step;
  };
}

/** The resolved names of a folder; undefined when the path leads to something else. */
function findFolder(parts: FsRootParts, path: string): readonly string[] | undefined {
  using walk = new Walk(parts, parseAgentPath(path, parts.places.spellings).segments);
  try {
    walk.toFolder();
  } catch (error) {
    if (DevsError.is(error) && error.code === 'NOT_A_DIRECTORY') return undefined;
    throw error;
  }
  parts.protection.refuseStep(walk.names);
  return walk.names;
}

/** The glob is held against the file's own name, as for a file that lies right in the searched folder. */
async function searchFile(parts: FsRootParts, path: string, { glob, lines }: Pick<Tree, 'glob' | 'lines'>): Promise<SearchReport> {
  using walk = new Walk(parts, parseAgentPath(path, parts.places.spellings).segments);
  const { name, file } = openAtEnd(walk);
  if (glob?.([name], new Effort(MAX_STEPS)) === false) closeSync(file.descriptor);
  else await lines.search([...walk.names, name].join('/'), file);
  return lines.report({ unreadable: 0, ignored: 0 });
}

interface Tree {
  /** Of the folder, below the root. */
  readonly names: readonly string[];
  readonly glob: PathPattern | undefined;
  readonly lines: LineSearch;
  readonly signal: AbortSignal;
}

async function searchTree(parts: FsRootParts, { names, glob, lines, signal }: Tree): Promise<SearchReport> {
  const folders = new SearchedFolders(parts, { depth: names.length, glob });
  using walk = new Walk(parts, []);
  for (const name of names) {
    folders.enter(walk);
    // Its way was resolved a moment ago: whatever is no folder by now was swapped for it.
    if (walk.enter(name) === undefined) throw new DevsError('FILE_NOT_FOUND');
  }
  const reader = new TreeReader({
    recursive: true,
    most: MAX_SCANNED,
    scan: MAX_SCANNED,
    isShown: (segments, kind) => folders.isSearched(segments, kind),
    onFolder: (entered) => {
      folders.enter(entered);
    },
    isDue: () => folders.isDue(),
    signal,
  });
  let unreadable = 0;
  for await (const { name, kind } of reader.entries(walk)) {
    if (lines.cut !== undefined || folders.isSpent) break;
    if (kind === 'file' && !(await searchEntry(walk, name, lines))) unreadable += 1;
  }
  const cut = folders.isSpent ? 'rules' : reader.incomplete ? 'entries' : undefined;
  return lines.report({ unreadable: unreadable + reader.passedOver, ignored: folders.ignored, cut });
}

/** False when it could not be opened, or is no file any more. */
async function searchEntry(walk: Walk, name: string, lines: LineSearch): Promise<boolean> {
  const file = tryToOpen(walk, name);
  if (file?.kind !== 'file') return false;
  await lines.search([...walk.names, name].join('/'), file);
  return true;
}

function tryToOpen(walk: Walk, name: string): ReturnType<Walk['open']> | undefined {
  try {
    return walk.open(name);
  } catch (error) {
    if (DevsError.is(error) || isPassedOver(error)) return undefined;
    throw error;
  }
}
