import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { isBusy, sqliteCode } from './sqlite-failure.ts';

const SESSION_ID = /^[0-9a-f]{32}$/;

/**
 * One opening of a log for writing. It holds a lock of the operating system for as long as it lives, however it ends:
 * by it another process knows whether somebody still runs the calls that have no outcome. A process id would not do,
 * since it is given again, and is another one in a container. SQLite's lock is the one that Node can take.
 */
export class Session implements Disposable {
  readonly id = randomBytes(16).toString('hex');
  readonly #log: string;
  #lock: Database.Database | undefined;

  /** @param log path of the log; the locks lie beside it */
  constructor(log: string) {
    this.#log = log;
  }

  /** Takes the lock; again and again the same. Asked while the lock of the log is held, as `sweep` is. */
  hold(): void {
    if (this.#lock !== undefined) return;
    const file = lockFile(this.#log, this.id);
    fs.closeSync(fs.openSync(file, fs.constants.O_CREAT | fs.constants.O_RDWR | fs.constants.O_NOFOLLOW, 0o600));
    try {
      this.#lock = lock(file);
    } catch (cause) {
      remove(file);
      throw cause;
    }
  }

  /** Whether the session lives that began a call. Its own does. */
  isAlive(session: string): boolean {
    if (session === this.id) return true;
    const file = lockFile(this.#log, session);
    // Of a name that is none nothing is opened: the log may have been changed.
    if (!SESSION_ID.test(session) || !fs.existsSync(file)) return false;
    return isLocked(file);
  }

  /**
   * Removes the lock files of those who are gone. Asked while the lock of the log is held: of one who has made its file
   * and not locked it yet the file would be taken away, and its calls with it.
   */
  sweep(): void {
    const folder = path.dirname(this.#log);
    const prefix = path.basename(lockFile(this.#log, ''));
    const sessions = fs.readdirSync(folder).filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
    for (const session of sessions) {
      if (SESSION_ID.test(session) && !this.isAlive(session)) remove(lockFile(this.#log, session));
    }
  }

  [Symbol.dispose](): void {
    if (this.#lock === undefined) return;
    this.#lock.close();
    this.#lock = undefined;
    remove(lockFile(this.#log, this.id));
  }
}

function lockFile(log: string, session: string): string {
  return `${log}-session-${session}`;
}

/** One that stays is free, and goes when the next session looks. */
function remove(file: string): void {
  try {
    fs.rmSync(file, { force: true });
  } catch {
    // The folder may have become read-only meanwhile.
  }
}

/** @throws SQLite's error when somebody else holds it */
function lock(file: string): Database.Database {
  const database = new Database(file, { fileMustExist: true, timeout: 0 });
  try {
    // Nothing is ever written to it, so nothing has to be played back.
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (cause) {
    database.close();
    throw cause;
  }
}

/** In doubt it is: a call of somebody who lives must not be called ended. */
function isLocked(file: string): boolean {
  try {
    lock(file).close();
    return false;
  } catch (cause) {
    return isBusy(cause) || sqliteCode(cause) !== 'SQLITE_CANTOPEN';
  }
}
