import { closeSync, fstatSync, lstatSync, type BigIntStats } from 'node:fs';
import { DevsError, type EditedFile, type FileEdit } from '@devs/core';
import { parseAgentPath } from './agent-path.ts';
import { fillFromFile } from './chunks.ts';
import type { FsRootParts } from './fs-root-parts.ts';
import { childPath, type Place } from './places.ts';
import { openAtEnd } from './read-slice.ts';
import { replaceFile } from './replace-file.ts';
import { Walk } from './walk.ts';

/** A file as it was read: what must still be there when it is replaced. */
interface ReadFile {
  readonly place: Place;
  readonly name: string;
  readonly descriptor: number;
  readonly stats: BigIntStats;
  readonly bytes: Uint8Array;
}

export interface Edit<Edited extends EditedFile> {
  readonly edit: FileEdit<Edited>;
  readonly signal: AbortSignal;
}

/**
 * Reads a file, and puts what the edit makes of it in its place, all in the folder that one walk holds.
 * @throws DevsError FILE_CHANGED, FILE_TOO_LARGE (over `maxReadBytes`, before or after), what the edit
 * throws, and what reading and writing throw
 */
export async function editFile<Edited extends EditedFile>(
  parts: FsRootParts,
  path: string,
  { edit, signal }: Edit<Edited>,
): Promise<Edited> {
  const { segments, directory } = parseAgentPath(path, parts.places.spellings);
  if (directory) throw new DevsError('NOT_A_REGULAR_FILE');
  // As spelled too: a link called `.npmrc` is protected wherever it leads.
  parts.protection.refuseNames(segments);
  using walk = new Walk(parts, segments);
  const { name, file } = openAtEnd(walk, (names) => {
    parts.protection.refuseWriting(names);
  });
  try {
    const existing = fstatSync(file.descriptor);
    const read = await readWhole({ place: walk.here, name, descriptor: file.descriptor }, parts.maxReadBytes, signal);
    const edited = edit(read.bytes);
    if (edited.content.length > parts.maxReadBytes) throw new DevsError('FILE_TOO_LARGE');
    const lastCheck = async () => {
      await refuseChanged(read, signal);
    };
    await replaceFile(parts, { place: walk.here, name, existing }, { bytes: edited.content, signal, lastCheck });
    return edited;
  } finally {
    closeSync(file.descriptor);
  }
}

async function readWhole(
  where: Pick<ReadFile, 'place' | 'name' | 'descriptor'>,
  maxReadBytes: number,
  signal: AbortSignal,
): Promise<ReadFile> {
  const stats = fstatSync(where.descriptor, { bigint: true });
  if (stats.size > maxReadBytes) throw new DevsError('FILE_TOO_LARGE');
  return { ...where, stats, bytes: await readBytes(where.descriptor, Number(stats.size), signal) };
}

/** All bytes of a file that has exactly so many. One more is asked for: a file that grows has changed. */
async function readBytes(descriptor: number, size: number, signal: AbortSignal): Promise<Uint8Array> {
  const bytes = new Uint8Array(size + 1);
  const filled = await fillFromFile(descriptor, bytes, { offset: 0, signal });
  if (filled !== size) throw new DevsError('FILE_CHANGED');
  return bytes.subarray(0, size);
}

/**
 * The file under the name is still the one that was read, and holds the same bytes: its times alone would
 * not tell of a write in the same tick of the clock.
 */
async function refuseChanged({ place, name, descriptor, stats, bytes }: ReadFile, signal: AbortSignal): Promise<void> {
  const now = await readBytes(descriptor, bytes.length, signal);
  const there = lstatSync(childPath(place, name), { bigint: true, throwIfNoEntry: false });
  const isSame =
    there !== undefined &&
    (['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const).every((key) => there[key] === stats[key]);
  if (!isSame || Buffer.compare(now, bytes) !== 0) throw new DevsError('FILE_CHANGED');
}
