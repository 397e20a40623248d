import { realpathSync } from 'node:fs';
import path from 'node:path';

/**
 * Where an absolute path of the operator's really is, links followed. What is not there, or may not be
 * looked at, is where its parent is.
 */
export function realPath(place: string): string {
  try {
    return realpathSync.native(place);
  } catch {
    const parent = path.posix.dirname(place);
    return parent === place ? place : path.posix.join(realPath(parent), path.posix.basename(place));
  }
}
