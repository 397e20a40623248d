import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { DevsError, errnoOf } from '@devs/core';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;

// All of it waits: it is done while the lock of the log is held, a millisecond once in hundreds of records.

/** Makes the folder, for its owner alone, and those above that are missing. @throws DevsError `STATE_UNUSABLE` when others may write in it */
export function preparePrivateFolder(folder: string): void {
  makeFolder(folder);
  const { uid, mode } = fs.statSync(folder);
  if (process.getuid !== undefined && uid !== process.getuid()) throw unusable(folder, 'belongs to another user.');
  // Who may write in it may take a file away and put an older one in its place.
  if (process.platform !== 'win32' && (mode & 0o022) !== 0) throw unusable(folder, 'can be written by other users. Run `chmod go-w` on it.');
}

/** Not `recursive: true`: below /proc, Node's own goes round for ever between "no such" and "is there". */
function makeFolder(folder: string): void {
  if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    // Another process was quicker.
    if (errnoOf(cause) !== 'EEXIST') throw cause;
  }
}

/**
 * The text of a file of ours alone; undefined when there is none.
 * @throws DevsError `STATE_UNUSABLE` for a link, a file that others can read or write, or one that is too large
 */
export function readPrivate(file: string, maxBytes: number): string | undefined {
  const descriptor = openToRead(file);
  if (descriptor === undefined) return undefined;
  try {
    check(file, fs.fstatSync(descriptor));
    const buffer = Buffer.alloc(maxBytes + 1);
    const length = fs.readSync(descriptor, buffer);
    if (length > maxBytes) throw unusable(file, `is larger than ${maxBytes} bytes.`);
    return buffer.toString('utf8', 0, length);
  } finally {
    fs.closeSync(descriptor);
  }
}

function openToRead(file: string): number | undefined {
  try {
    // No link is followed, and no pipe in the file's place can hold devs up.
    return fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return undefined;
    throw unusable(file, errnoOf(cause) === 'ELOOP' ? 'is a symbolic link.' : 'cannot be read.', cause);
  }
}

function check(file: string, stats: fs.Stats): void {
  if (!stats.isFile()) throw unusable(file, 'is not a regular file.');
  if (process.getuid !== undefined && stats.uid !== process.getuid()) throw unusable(file, 'belongs to another user.');
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    throw unusable(file, 'is accessible to other users, so its content may be known or changed. If nobody but you could reach it, run `chmod 600` on it.');
  }
}

/** In place at once and whole, or not at all, and on the disk. Throws the system's error. */
export function replacePrivate(file: string, text: string): void {
  withDraft(file, text, (draft) => fs.renameSync(draft, file));
}

/** The same, unless there is one: of two processes at once, one makes it. */
export function createPrivate(file: string, text: string): void {
  withDraft(file, text, (draft) => {
    try {
      fs.linkSync(draft, file);
    } catch (cause) {
      if (errnoOf(cause) !== 'EEXIST') throw cause;
    }
  });
}

function withDraft(file: string, text: string, place: (draft: string) => void): void {
  const draft = `${file}.${randomUUID()}`;
  try {
    write(draft, text);
    place(draft);
    syncFolder(path.dirname(file));
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

function write(draft: string, text: string): void {
  const descriptor = fs.openSync(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    fs.writeFileSync(descriptor, text);
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** A name that was given or taken is on the disk. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = fs.openSync(folder, O_RDONLY | O_DIRECTORY);
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}


/** Names the file without its folder, because a refusal may reach an agent; the cause names it in full. */
export function unusable(file: string, what: string, cause?: unknown): DevsError {
  const sentence = `The file ${JSON.stringify(path.basename(file))}, with which devs signs the call log, ${what}`;
  return new DevsError('STATE_UNUSABLE', { sentence, cause: new Error(file, { cause }) });
}
