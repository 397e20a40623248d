import { DevsError, type DirectoryEntry, type DirectoryListing, type ListingRequest } from '@devs/core';
import { parseAgentPath } from './agent-path.ts';
import { MAX_SCANNED, type FsRootParts } from './fs-root-parts.ts';
import { TEMPORARY_PREFIX } from './protection.ts';
import { TreeReader } from './tree-reader.ts';
import { Walk } from './walk.ts';

/**
 * The first `limit` entries of a folder or of its tree, in order. Files that devs is still writing
 * and folders that are closed to tools are left out.
 * @throws DevsError INVALID_RANGE: the limit is not a whole number of at least 1
 */
export async function listEntries(
  parts: FsRootParts,
  path: string,
  request: ListingRequest,
): Promise<DirectoryListing> {
  if (!Number.isSafeInteger(request.limit) || request.limit < 1) throw new DevsError('INVALID_RANGE');
  using walk = new Walk(parts, parseAgentPath(path, parts.places.spellings).segments);
  walk.toFolder();
  parts.protection.refuseStep(walk.names);
  const reader = new TreeReader({
    ...request,
    most: request.limit + 1,
    scan: MAX_SCANNED,
    isShown: (segments) => isShown(parts, segments),
  });
  const entries: DirectoryEntry[] = [];
  // The walk goes on down the tree.
  const base = [...walk.names];
  const told = new Set<string>();
  for await (const entry of reader.entries(walk)) {
    if (entries.length === request.limit) return { entries, truncated: true };
    // Names are words of whoever has filled the folder. Its own name is of whoever has made it.
    const folder = [...base, ...entry.path.split('/').slice(0, -1)].join('/');
    if (folder !== '' && !told.has(folder)) parts.onRead?.(folder);
    told.add(folder);
    entries.push({ path: entry.path, kind: entry.kind });
  }
  return { entries, truncated: reader.incomplete };
}

/** Not what devs is still writing, and not what is closed to the tool. */
export function isShown(parts: FsRootParts, segments: readonly string[]): boolean {
  return segments.at(-1)?.startsWith(TEMPORARY_PREFIX) !== true && !parts.protection.isHidden(segments);
}
