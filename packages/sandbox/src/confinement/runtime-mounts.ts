import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Mount } from '@devs/core';
import { isWithin } from '../files/is-within.ts';

/** Not all of /usr: a project or a home in it is hidden. */
const THERE = ['/usr/bin', '/usr/lib', '/usr/local/bin', '/usr/local/lib'];

/**
 * What the Node at this path needs to run in a box: itself, at the path that it was started by, and the libraries that a
 * distribution may have put beside it. What lies among the system's programs is there anyway.
 */
export function runtimeMounts(node: string): readonly Mount[] {
  const real = realpathSync.native(node);
  if ([node, real].every((place) => THERE.some((folder) => isWithin(place, folder)))) return [];
  const libraries = path.join(path.dirname(path.dirname(real)), 'lib');
  const beside: readonly Mount[] = existsSync(path.join(libraries, 'libnode.so')) ? [{ source: libraries, access: 'read' }] : [];
  const places = node === real ? [{ source: real, access: 'read' } as const] : [{ source: real, access: 'read' } as const, { source: real, target: node, access: 'read' } as const];
  return [...places, ...beside];
}
