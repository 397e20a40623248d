import { closeSync, type Dir, type Dirent } from 'node:fs';
import { errnoOf, foldName } from '@devs/core';
import { isRepository, makesRepository } from '../files/git-layout.ts';
import { openEntries, openIfThere } from './disk-folder.ts';
import { fromRaw } from './raw-names.ts';

/** Names that are told at once. */
const PIECE = 512;

/**
 * A folder that is read piece by piece: reading all of it at once would hold up every other call, and the list of its names
 * may be larger than memory. What is renamed or removed meanwhile harms nothing: all other names are told once. Is to be closed.
 */
export class LargeFolder {
  /** Absolute, raw. */
  readonly path: string;
  readonly descriptor: number;
  readonly isRepository: boolean;
  readonly #entries: Dir;

  constructor(path: string, descriptor: number, isGits: boolean) {
    this.path = path;
    this.descriptor = descriptor;
    this.isRepository = isGits;
    this.#entries = openEntries(descriptor);
  }

  /** The next ones, by raw names; none at the end. */
  next(): readonly Dirent[] {
    return readPiece(this.#entries);
  }

  close(): void {
    this.#entries.closeSync();
    closeSync(this.descriptor);
  }
}

/** Undefined: it is gone, or closed to its owner. What git makes of it only all of its names can tell. */
export async function openLarge(path: string, pause: () => Promise<void>): Promise<LargeFolder | undefined> {
  const descriptor = openIfThere(path);
  if (descriptor === undefined) return undefined;
  try {
    return new LargeFolder(path, descriptor, await isLargeRepository(descriptor, pause));
  } catch (error) {
    closeSync(descriptor);
    if (errnoOf(error) === 'EACCES') return undefined;
    throw error;
  }
}

async function isLargeRepository(descriptor: number, pause: () => Promise<void>): Promise<boolean> {
  const found = new Set<string>();
  const folder = openEntries(descriptor);
  try {
    for (let entries = readPiece(folder); entries.length > 0; entries = readPiece(folder)) {
      for (const folded of entries.map(({ name }) => foldName(fromRaw(name))).filter(makesRepository)) found.add(folded);
      await pause();
    }
  } finally {
    folder.closeSync();
  }
  return isRepository((name) => found.has(foldName(name)));
}

/** The next names, raw; none at the end. */
export function readPiece(folder: Dir): readonly Dirent[] {
  const entries: Dirent[] = [];
  while (entries.length < PIECE) {
    const entry: Dirent<string | Buffer> | null = folder.readSync();
    if (entry === null) break;
    entries.push(Object.assign(entry, { name: Buffer.from(entry.name).toString('latin1') }));
  }
  return entries;
}
