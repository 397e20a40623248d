import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/** Of all folders that one server names. */
export const MOST_FILES = 1_000;

/** What is in folders: its files, and what is neither file, folder nor socket. */
export interface FolderContent {
  readonly files: readonly string[];
  readonly others: readonly string[];
}

/**
 * Everything below the folders, links followed, none twice. Which of it a program takes (`index.js`, `__main__.py`, what
 * `package.json` says) is each program's own matter. Undefined when it is more than `MOST_FILES`.
 */
export async function listFolders(folders: readonly string[]): Promise<FolderContent | undefined> {
  const [files, others]: [string[], string[]] = [[], []];
  const seen = new Set<string>();
  const left = [...folders];
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    const real = await realpath(folder);
    if (seen.size === seen.add(real).size) continue;
    for (const name of (await readdir(folder)).toSorted()) {
      const place = path.join(folder, name);
      const kind = await kindOf(place);
      if (kind !== 'none') ({ file: files, folder: left, other: others })[kind].push(place);
    }
    if (files.length + seen.size + left.length > MOST_FILES) return undefined;
  }
  return { files, others };
}

async function kindOf(place: string): Promise<'file' | 'folder' | 'other' | 'none'> {
  // A link that leads nowhere is nothing yet; once it leads somewhere that is found.
  const stats = await stat(place).catch(() => undefined);
  if (stats === undefined || stats.isSocket()) return 'none';
  if (stats.isDirectory()) return 'folder';
  return stats.isFile() ? 'file' : 'other';
}
