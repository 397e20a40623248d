import { closeSync } from 'node:fs';
import { DevsError, type FileRange, type FileSlice } from '@devs/core';
import { parseAgentPath } from './agent-path.ts';
import type { FsRootParts } from './fs-root-parts.ts';
import type { OpenedFile } from './places.ts';
import { readWithMargin } from './read-with-margin.ts';
import { Walk } from './walk.ts';

export interface ReadOptions {
  /** Most bytes to return, whatever the range asks for. */
  readonly maxReadBytes: number;
  readonly signal: AbortSignal;
}

/**
 * The bytes of a file's range. An offset equal to the size gives no bytes: that is how paging ends.
 * @throws DevsError INVALID_RANGE: no whole numbers, a limit below 1, an offset past the end
 */
export async function readSlice(file: OpenedFile, range: FileRange, options: ReadOptions): Promise<FileSlice> {
  const { offset = 0 } = range;
  const limit = Math.min(range.limit, options.maxReadBytes);
  try {
    refuseUnusableRange({ ...range, offset, limit }, file.size);
    const { bytes, surroundings } = await readWithMargin(file, { offset, limit, margin: range.margin ?? 0 }, options.signal);
    return { bytes, surroundings, size: file.size, offset, limit };
  } finally {
    closeSync(file.descriptor);
  }
}

/** Opens a regular file for reading. Only this call holds its descriptor, and must close it. */
export function openForReading(parts: FsRootParts, path: string): OpenedFile {
  const { segments, directory } = parseAgentPath(path, parts.places.spellings);
  if (directory) throw new DevsError('NOT_A_REGULAR_FILE');
  using walk = new Walk(parts, segments);
  const { name, file } = openAtEnd(walk);
  parts.onRead?.([...walk.names, name].join('/'));
  return file;
}

/** A file, and its name in the folder in which the walk stands. */
export interface NamedFile {
  readonly name: string;
  readonly file: OpenedFile;
}

/** Walks to a regular file, links inside the root followed, and opens it for reading. `judge` sees each name before. */
export function openAtEnd(walk: Walk, judge?: (segments: readonly string[]) => void): NamedFile {
  for (let name = walk.toLastName(); name !== undefined; name = walk.toLastName()) {
    judge?.([...walk.names, name]);
    const file = walk.open(name);
    if (file.kind === 'file') return { name, file };
    if (file.kind !== 'link' || !walk.follow(name)) break;
  }
  throw new DevsError('NOT_A_REGULAR_FILE');
}

function refuseUnusableRange({ offset, limit, margin = 0 }: FileRange & { readonly offset: number }, size: number): void {
  const whole = [offset, limit, margin].every(Number.isSafeInteger);
  if (!whole || offset < 0 || limit < 1 || margin < 0) throw new DevsError('INVALID_RANGE');
  if (offset <= size) return;
  throw new DevsError('INVALID_RANGE', {
    sentence: `The offset ${String(offset)} is past the end: the file has ${String(size)} bytes.`,
  });
}
