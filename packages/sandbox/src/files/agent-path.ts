import { DevsError, findUnusable, segmentsBelow, splitPath } from '@devs/core';

/** A path taken apart. Nothing in it has been looked up yet, and `..` is still in it. */
export interface ParsedPath {
  /** Below the root. No empty segment and no `.`; `..` stays, for only a walk knows where it leads. */
  readonly segments: readonly string[];
  /** True when the spelling says directory: it ends in `/`, `.` or `..`, or is the root. */
  readonly directory: boolean;
}

/**
 * Takes an agent's path apart: relative to the root, or absolute inside one of the root's spellings.
 * @throws DevsError PATH_REFUSED (see `findUnusable`), PATH_OUTSIDE_ROOT (absolute, and not below the root)
 */
export function parseAgentPath(path: string, roots: readonly string[]): ParsedPath {
  if (findUnusable(path) !== undefined) throw new DevsError('PATH_REFUSED');
  const segments = path.startsWith('/') ? belowRoot(path, roots) : splitPath(path);
  return { segments, directory: segments.length === 0 || /(?:^|\/)\.{0,2}$/.test(path) };
}

/**
 * The segments of an absolute path below the root, compared whole: `/app-evil` is not inside `/app`.
 * `/app/../etc` gives `..`, `etc`: the walk refuses it when it steps out.
 * @throws DevsError PATH_OUTSIDE_ROOT
 */
export function belowRoot(path: string, roots: readonly string[]): string[] {
  const segments = segmentsBelow(path, roots);
  if (segments === undefined) throw new DevsError('PATH_OUTSIDE_ROOT');
  return segments;
}
