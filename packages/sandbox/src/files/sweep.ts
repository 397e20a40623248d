import { lstatSync, unlinkSync } from 'node:fs';
import { errnoOf } from '@devs/core';
import { MAX_SCANNED, type FsRootParts } from './fs-root-parts.ts';
import { childPath } from './places.ts';
import { writerOf } from './protection.ts';
import { TreeReader } from './tree-reader.ts';
import { Walk } from './walk.ts';

export interface SweepReport {
  /** Files removed. */
  readonly removed: number;
  /** False when the tree is larger than one sweep looks at. */
  readonly complete: boolean;
}

/**
 * Removes what writes left behind when devs was killed: regular files of this user that carry the
 * temporary name, unless another running process is still writing one. Looks at 100,000 entries.
 */
export async function sweepTemporaryFiles(parts: FsRootParts, signal: AbortSignal): Promise<SweepReport> {
  const isShown = (segments: readonly string[]) => !parts.protection.isHidden(segments);
  const reader = new TreeReader({ recursive: true, most: MAX_SCANNED, scan: MAX_SCANNED, isShown, signal });
  using walk = new Walk(parts, []);
  let removed = 0;
  for await (const { name, kind } of reader.entries(walk)) {
    if (kind === 'file' && isAbandoned(name) && removeOwn(childPath(walk.here, name))) removed += 1;
  }
  return { removed, complete: !reader.incomplete };
}

function isAbandoned(name: string): boolean {
  const writer = writerOf(name);
  return writer !== undefined && !isOtherProcess(writer);
}

/** Our own id is that of a predecessor: nothing has been written yet, and in a container ids come again. */
function isOtherProcess(id: number): boolean {
  if (id === process.pid) return false;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== 'ESRCH';
  }
}

function removeOwn(path: string): boolean {
  try {
    if (lstatSync(path).uid !== process.geteuid?.()) return false;
    unlinkSync(path);
    return true;
  } catch {
    return false; // Gone already, or in a folder that may not be changed.
  }
}
