import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { DevsError, errnoOf } from '@devs/core';
import { unusable } from './unusable.ts';

// Existing database files are looked at by name, never opened here: closing any descriptor of a file
// drops the POSIX locks that SQLite holds on it in this process, and another process may then tear
// the log apart under us.

/** What lies at a name right now; compared later to see whether it is still the same file. */
export type FileIdentity = string;

const COMPANIONS = ['-wal', '-shm', '-journal'] as const;

function look(file: string): fs.Stats | undefined {
  return fs.lstatSync(file, { throwIfNoEntry: false });
}

function checkPath(file: string): string {
  const resolved = path.resolve(file);
  // better-sqlite3 trims names: what we check must be what it opens.
  if (file.includes('\0') || resolved.trim() !== resolved) {
    throw unusable('file', 'has a name that cannot be used: it holds a NUL or ends in a space.', new Error(file));
  }
  return resolved;
}

function checkRegular(file: string, stats: fs.Stats): void {
  if (stats.isSymbolicLink()) throw unusable(file, 'is a symbolic link. Name the file itself.');
  if (!stats.isFile()) throw unusable(file, 'is not a regular file.');
}

function checkOwn(file: string, stats: fs.Stats): void {
  checkRegular(file, stats);
  if (process.getuid !== undefined && stats.uid !== process.getuid()) {
    throw unusable(file, 'belongs to another user.');
  }
  // SQLite keeps its journals beside the name that it was given: two names mean two journals.
  if (stats.nlink !== 1) throw unusable(file, 'has a second name (a hard link). Remove that first.');
  // Refused, not repaired: what others could write may not be evidence any more, and a person should know.
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    throw unusable(file, 'is accessible to other users. Make sure that it is yours, then run `chmod 600` on it.');
  }
}

function checkCompanions(file: string, check: (file: string, stats: fs.Stats) => void): void {
  for (const suffix of COMPANIONS) {
    const stats = look(file + suffix);
    if (stats !== undefined) check(file + suffix, stats);
  }
}

function syncFolder(folder: string): void {
  const descriptor = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

function createEmpty(file: string): void {
  try {
    // Ours from its first moment: SQLite gives its companions the same mode.
    fs.closeSync(fs.openSync(file, 'wx', 0o600));
    if (process.platform !== 'win32') syncFolder(path.dirname(file));
  } catch (cause) {
    if (errnoOf(cause) === 'EEXIST') return;
    throw unusable(file, 'cannot be created: its folder is missing, read-only or full.', cause);
  }
}

/**
 * Makes sure that there is a file of ours alone to write to, and gives its absolute path.
 * @throws DevsError `STATE_UNUSABLE`
 */
export function prepareLogFile(given: string): string {
  const file = checkPath(given);
  // The journal first: a process that is just creating the log fills the file before its journal.
  const journal = look(`${file}-wal`);
  if (look(file) === undefined) createEmpty(file);
  const stats = look(file);
  if (stats === undefined) throw unusable(file, 'was removed while devs opened it.');
  checkOwn(file, stats);
  checkCompanions(file, checkOwn);
  if (stats.size === 0 && journal !== undefined && journal.size > 0) {
    throw unusable(file, 'is missing, but its journal (-wal) exists. Restore the file, or move the journal away.');
  }
  return file;
}

/**
 * The absolute path of a log that is there to be read, whoever owns it.
 * @throws DevsError `LOG_NOT_FOUND`, or `STATE_UNUSABLE` when it is not a file
 */
export function findLogFile(given: string): string {
  const file = checkPath(given);
  const stats = look(file);
  if (stats === undefined || (stats.isFile() && stats.size === 0)) {
    throw new DevsError('LOG_NOT_FOUND', { cause: new Error(file) });
  }
  checkRegular(file, stats);
  checkCompanions(file, checkRegular);
  return file;
}

/** Device and inode of the log and of the journals that SQLite holds open. About 5 µs. */
export function identify(file: string): FileIdentity {
  return ['', '-wal', '-shm']
    .map((suffix) => look(file + suffix))
    .map((stats) => (stats === undefined ? 'none' : `${stats.dev}:${stats.ino}`))
    .join(' ');
}
