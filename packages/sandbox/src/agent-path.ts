import { DevsError } from '@devs/core';

/** Linux's own limits, in bytes. A longer path would fail there with a message that names host paths. */
const MAX_PATH_BYTES = 4_096;
const MAX_SEGMENT_BYTES = 255;

/** A path taken apart. Nothing in it has been looked up yet, and `..` is still in it. */
export interface ParsedPath {
  /** Below the root. No empty segment and no `.`; `..` stays, for only a walk knows where it leads. */
  readonly segments: readonly string[];
  /** True when the spelling says directory: it ends in `/`, `.` or `..`, or is the root. */
  readonly directory: boolean;
}

/** Segments without the empty ones and `.`, which mean "stay". */
export function splitPath(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '' && segment !== '.');
}

/**
 * Takes an agent's path apart: relative to the root, or absolute inside one of the root's spellings.
 * @throws DevsError PATH_REFUSED (empty, NUL, lone surrogate, over 4,096 bytes, a segment over 255
 * bytes), PATH_OUTSIDE_ROOT (absolute, and not below the root)
 */
export function parseAgentPath(path: string, roots: readonly string[]): ParsedPath {
  refuseUnusable(path);
  const segments = path.startsWith('/') ? belowRoot(path, roots) : splitPath(path);
  if (segments.some((segment) => Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)) throw new DevsError('PATH_REFUSED');
  return { segments, directory: segments.length === 0 || /(?:^|\/)\.{0,2}$/.test(path) };
}

function refuseUnusable(path: string): void {
  // A lone surrogate becomes U+FFFD on its way to the system: what was judged would not be what is opened.
  if (path === '' || path.includes('\0') || !path.isWellFormed() || Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw new DevsError('PATH_REFUSED');
  }
}

/**
 * The segments of an absolute path below the root, compared whole: `/app-evil` is not inside `/app`.
 * `/app/../etc` gives `..`, `etc`: the walk refuses it when it steps out.
 * @throws DevsError PATH_OUTSIDE_ROOT
 */
export function belowRoot(path: string, roots: readonly string[]): string[] {
  const segments = splitPath(path);
  for (const root of roots) {
    const prefix = splitPath(root);
    if (prefix.every((segment, index) => segments[index] === segment)) return segments.slice(prefix.length);
  }
  throw new DevsError('PATH_OUTSIDE_ROOT');
}
