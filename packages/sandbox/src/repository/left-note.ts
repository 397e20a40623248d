import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { DevsError, isRecord } from '@devs/core';

/** Bytes that the file has from the beginning: a disk that a command has filled takes what is written over them. */
const SIZE = 65_536;
/** What is in it beside keys. */
const FRAME = 64;
const VERSION = 1;

export interface Noted {
  readonly keys: readonly string[];
  /** There are more of them. */
  readonly isBeyondMeasure: boolean;
}

const NOTHING: Noted = { keys: [], isBeyondMeasure: false };

/** How a file is written. Stands for the disk where a test has none that is full. */
export type WriteAt = (descriptor: number, bytes: Uint8Array) => void;

/** What commands have left, for the devs that comes after this one. Read and written by whoever holds the project's lock. */
export class LeftNote {
  readonly #file: string;
  readonly #write: WriteAt;

  /** @param file absolute, in a folder that no box and no tool reaches */
  constructor(file: string, write: WriteAt = writeWhole) {
    this.#file = file;
    this.#write = write;
  }

  /**
   * Makes it where there is none. Where there is no room for it nothing may run: what that left could not be noted.
   * @throws DevsError COMMAND_REFUSED; PROJECT_UNSAFE: it says something that nobody can read
   */
  read(): Noted {
    const noted = this.#readOrMake();
    if (noted === undefined) throw unreadable();
    return noted;
  }

  /** @returns false: it could not be written */
  write(noted: Noted): boolean {
    try {
      this.#open((descriptor) => this.#write(descriptor, toBytes(noted)));
      return true;
    } catch {
      return false;
    }
  }

  #readOrMake(): Noted | undefined {
    try {
      return this.#open((descriptor) => {
        const bytes = Buffer.alloc(SIZE + 1);
        const size = readSync(descriptor, bytes, 0, bytes.length, 0);
        const noted = size === 0 ? NOTHING : parse(bytes.subarray(0, size));
        // Also one that was cut: all of its room has to be taken before anything is left.
        if (noted !== undefined && size < SIZE) this.#write(descriptor, toBytes(noted));
        return noted;
      });
    } catch (cause) {
      throw new DevsError('COMMAND_REFUSED', {
        sentence: 'devs cannot keep the note of what commands leave: its state folder is full, or cannot be written. Nothing was run.',
        cause,
      });
    }
  }

  #open<Result>(work: (descriptor: number) => Result): Result {
    const descriptor = openSync(this.#file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600);
    try {
      if (!fstatSync(descriptor).isFile()) throw new Error('not a regular file');
      return work(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
}

function toBytes({ keys, isBeyondMeasure }: Noted): Buffer {
  const kept: string[] = [];
  let size = FRAME;
  for (const key of keys) {
    size += Buffer.byteLength(JSON.stringify(key)) + 1;
    if (size > SIZE) break;
    kept.push(key);
  }
  const bytes = Buffer.alloc(SIZE, ' ');
  bytes.write(JSON.stringify({ version: VERSION, isBeyondMeasure: isBeyondMeasure || kept.length < keys.length, keys: kept }));
  return bytes;
}

/** Undefined where it was cut, or is another's. */
function parse(bytes: Buffer): Noted | undefined {
  try {
    const noted: unknown = JSON.parse(bytes.toString());
    if (!isRecord(noted) || bytes.length > SIZE || noted['version'] !== VERSION) return undefined;
    const { keys, isBeyondMeasure } = noted;
    const isWhole = typeof isBeyondMeasure === 'boolean' && Array.isArray(keys) && keys.every((key) => typeof key === 'string');
    return isWhole ? { keys, isBeyondMeasure } : undefined;
  } catch {
    return undefined;
  }
}

function writeWhole(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at, bytes.length - at, at);
  fsyncSync(descriptor);
}

function unreadable(): DevsError {
  return new DevsError('PROJECT_UNSAFE', {
    sentence: 'devs cannot read its note of what earlier commands left. Look for protected files that are not yours, then remove the file "left-behind" in the state folder.',
  });
}
