/** Linux's own limits, in bytes. A longer path would fail there with a message that names host paths. */
const MAX_PATH_BYTES = 4_096;
const MAX_SEGMENT_BYTES = 255;

/**
 * Segments without the empty ones and `.`, which mean "stay". `..` is kept: only a walk knows where it leads.
 * @example
 * ```ts
 * import { splitPath } from '@devs/core';
 * console.log(splitPath('./src//../a.ts')); // [ 'src', '..', 'a.ts' ]
 * ```
 */
export function splitPath(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '' && segment !== '.');
}

/** The path that segments below `/` make. */
export function joinSegments(segments: readonly string[]): string {
  return `/${segments.join('/')}`;
}

/** What makes a text unusable as a path, whatever lies there; undefined when nothing does. */
export function findUnusable(path: string): string | undefined {
  if (path === '') return 'is empty';
  // To the system a NUL is the end of the path: what was judged would not be what is opened.
  if (path.includes('\0')) return 'holds a NUL character';
  // Nor here: a lone surrogate becomes U+FFFD on its way to the system.
  if (!path.isWellFormed()) return 'holds a lone surrogate';
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `is longer than ${String(MAX_PATH_BYTES)} bytes`;
  const long = path.split('/').some((segment) => Buffer.byteLength(segment) > MAX_SEGMENT_BYTES);
  return long ? `has a name of more than ${String(MAX_SEGMENT_BYTES)} bytes` : undefined;
}

/** Whole segments: `/app-evil` does not begin with `/app`. */
export function beginsWith(segments: readonly string[], prefix: readonly string[]): boolean {
  return prefix.length <= segments.length && prefix.every((segment, index) => segments[index] === segment);
}

/**
 * An absolute path's segments below the first of the roots that it lies in by its spelling; undefined
 * when it lies in none. `..` is not looked at: `/app/../etc` gives `..`, `etc` below `/app`.
 */
export function segmentsBelow(path: string, roots: readonly string[]): string[] | undefined {
  const segments = splitPath(path);
  for (const root of roots) {
    const prefix = splitPath(root);
    if (beginsWith(segments, prefix)) return segments.slice(prefix.length);
  }
  return undefined;
}
