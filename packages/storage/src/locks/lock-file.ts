import fs from 'node:fs';
import Database from 'better-sqlite3';
import { errnoOf } from '@devs/core';
import { isBusy, sqliteCode } from '../database/sqlite-failure.ts';
import { isOwnFile } from './own-file.ts';

// The lock is SQLite's POSIX lock on an empty file, because Node offers no file locks of its own. A process loses all its
// POSIX locks on a file when it closes any descriptor of that file. So nothing but this module opens a lock's file: it
// is a file of its own, its name is made here, and `pnpm check layers` refuses these names elsewhere.

/** The files that locks are taken on. */
export const lockFiles = {
  /** Of whatever must be changed by one process at a time. */
  of: (guarded: string): string => `${guarded}-lock`,
  /** Held by the process that waits next for the lock of `guarded`. */
  ofNext: (guarded: string): string => `${guarded}-lock-next`,
  /** Held while the log is archived. */
  ofArchiver: (log: string): string => `${log}-archiving`,
  /** Held by one opening of the log for writing, for as long as it lives. */
  ofSession: (log: string, session: string): string => `${log}-session-${session}`,
};

/** Each replacement needs somebody who deletes lock files at that very moment. */
const MOST_ATTEMPTS = 8;

/** Something that is not an empty file of this account lies in the place of a lock. */
export class LockUnfit extends Error {
  /** Of the system's errors the one that fits best, for whoever sorts failures by their code. */
  readonly code = 'EACCES';

  constructor(file: string, problem: string) {
    super(`the lock ${JSON.stringify(file)} ${problem}`);
    this.name = 'LockUnfit';
  }
}

/**
 * Takes the lock on a file, which is made when it is missing. One attempt, without waiting. Disposing of the result
 * releases the lock; the file stays, because two processes could each hold the lock on a different file of that name.
 * @returns undefined when another holder has it, in this process or in any other
 * @throws LockUnfit, the system's error, or SQLite's
 */
export function tryLockFile(file: string): Disposable | undefined {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    createIfMissing(file);
    const held = tryLockExisting(file);
    if (held !== 'gone') return held;
  }
  throw new LockUnfit(file, 'is replaced again and again');
}

/** The same without making the file. `gone`: it is not there, or was replaced during the attempt. */
export function tryLockExisting(file: string): Disposable | 'gone' | undefined {
  const before = identityOf(file);
  if (before === undefined) return 'gone';
  const held = lock(file);
  // The lock counts only on the file that others find under this name.
  if (held === undefined || identityOf(file) === before) return held;
  held[Symbol.dispose]();
  return 'gone';
}

function lock(file: string): Disposable | undefined {
  const database = new Database(file, { fileMustExist: true, timeout: 0 });
  try {
    // Nothing is ever written, so no journal belongs beside it either.
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
    return { [Symbol.dispose]: () => void database.close() };
  } catch (cause) {
    database.close();
    if (isBusy(cause)) return undefined;
    throw sqliteCode(cause) === 'SQLITE_NOTADB' ? new LockUnfit(file, 'is not empty') : cause;
  }
}

/** @throws LockUnfit: whoever put a link, or a file that others can open, in this place can hold or break the lock at will */
function identityOf(file: string): string | undefined {
  const stats = fs.lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!isOwnFile(file)) throw new LockUnfit(file, 'is no file of this account alone');
  return `${stats.dev} ${stats.ino}`;
}

/** An existing file is not opened. */
function createIfMissing(file: string): void {
  try {
    fs.closeSync(fs.openSync(file, 'wx', 0o600));
  } catch (cause) {
    if (errnoOf(cause) !== 'EEXIST') throw cause;
  }
}
