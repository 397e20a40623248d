import { closeSync, opendirSync, type Dir, type Dirent } from 'node:fs';
import { descriptorPath } from './raw-names.ts';

/** Entries that the system is asked for at once. */
const AT_ONCE = 256;

/**
 * A folder that is read piece by piece, for the list of its names may be larger than memory. What is renamed or removed
 * meanwhile harms nothing: all other names are told once. Is to be closed.
 */
export class LargeFolder {
  /** Absolute, raw. */
  readonly path: string;
  readonly descriptor: number;
  readonly isRepository: boolean;
  readonly #entries: Dir;

  /** @param descriptor of the folder: is closed with this, also when this throws */
  constructor(path: string, descriptor: number, isRepository: boolean) {
    this.path = path;
    this.descriptor = descriptor;
    this.isRepository = isRepository;
    try {
      this.#entries = openEntries(descriptor);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  /** The next ones, by raw names; none at the end. */
  next(most: number): readonly Dirent[] {
    return readSome(this.#entries, most);
  }

  close(): void {
    this.#entries.closeSync();
    closeSync(this.descriptor);
  }
}

/** Shows all entries of a folder, piece by piece. */
export async function readPieces(descriptor: number, most: number, onPiece: (entries: readonly Dirent[]) => Promise<void>): Promise<void> {
  const folder = openEntries(descriptor);
  try {
    for (let entries = readSome(folder, most); entries.length > 0; entries = readSome(folder, most)) await onPiece(entries);
  } finally {
    folder.closeSync();
  }
}

/** Errors: the operating system's. */
export function openEntries(descriptor: number): Dir {
  // As text, a name that is no UTF-8 could not be asked for by Node where a disk does not say what each entry is.
  return opendirSync(descriptorPath(descriptor), { encoding: 'buffer' as BufferEncoding, bufferSize: AT_ONCE });
}

function readSome(folder: Dir, most: number): readonly Dirent[] {
  const entries: Dirent[] = [];
  while (entries.length < most) {
    const entry: Dirent<string | Buffer> | null = folder.readSync();
    if (entry === null) break;
    entries.push(Object.assign(entry, { name: Buffer.from(entry.name).toString('latin1') }));
  }
  return entries;
}
