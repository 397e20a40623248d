import { fstatSync, lstatSync, type BigIntStats } from 'node:fs';
import { DevsError } from '@devs/core';
import { fillFromFile } from './chunks.ts';
import { childPath, type Place } from './places.ts';

/** A file that is open, under its name. */
export interface OpenedByName {
  readonly place: Place;
  readonly name: string;
  readonly descriptor: number;
}

/** A file as it was read: what must still be there when it is replaced. */
export interface ReadFile extends OpenedByName {
  readonly stats: BigIntStats;
  readonly bytes: Uint8Array;
}

/** Undefined when the file has more than so many bytes. */
export async function readWhole(file: OpenedByName, maxBytes: number, signal: AbortSignal): Promise<ReadFile | undefined> {
  const stats = fstatSync(file.descriptor, { bigint: true });
  if (stats.size > maxBytes) return undefined;
  return { ...file, stats, bytes: await readBytes(file.descriptor, Number(stats.size), signal) };
}

/** All bytes of a file that has exactly so many. One more is asked for: a file that grows has changed. */
async function readBytes(descriptor: number, size: number, signal: AbortSignal): Promise<Uint8Array> {
  const bytes = new Uint8Array(size + 1);
  const filled = await fillFromFile(descriptor, bytes, { offset: 0, signal });
  if (filled !== size) throw new DevsError('FILE_CHANGED');
  return bytes.subarray(0, size);
}

/** The file under the name is still the one that was read, by all that the folder and the file's times tell. */
export function refuseOther({ place, name, stats }: Pick<ReadFile, 'place' | 'name' | 'stats'>): void {
  const there = lstatSync(childPath(place, name), { bigint: true, throwIfNoEntry: false });
  const isSame =
    there !== undefined &&
    (['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const).every((key) => there[key] === stats[key]);
  if (!isSame) throw new DevsError('FILE_CHANGED');
}

/** It is, and holds the same bytes: its times alone would not tell of a write in the same tick of the clock. */
export async function refuseChanged(read: ReadFile, signal: AbortSignal): Promise<void> {
  const now = await readBytes(read.descriptor, read.bytes.length, signal);
  refuseOther(read);
  if (Buffer.compare(now, read.bytes) !== 0) throw new DevsError('FILE_CHANGED');
}
