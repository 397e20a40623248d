import { parseAgentPath } from './agent-path.ts';
import { toPathError } from './errno.ts';
import type { FsRootParts } from './fs-root-parts.ts';
import { Walk } from './walk.ts';

/**
 * Where a folder is, by an agent's name for it: absolute, real. One on the way to what is allowed is a place to stand in.
 * @throws DevsError `PATH_*`, NOT_A_DIRECTORY, FILE_NOT_FOUND
 */
export function findFolder(parts: FsRootParts, path: string): string {
  try {
    using walk = new Walk(parts, parseAgentPath(path, parts.places.spellings).segments);
    walk.toFolder();
    parts.protection.refuseStep(walk.names);
    return parts.places.locate(walk.here);
  } catch (error) {
    throw toPathError(error, path);
  }
}
