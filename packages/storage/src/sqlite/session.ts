import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { lockFiles, tryLockExisting, tryLockFile } from '../locks/lock-file.ts';
import { sqliteCode } from '../database/sqlite-failure.ts';

const SESSION_ID = /^[0-9a-f]{32}$/;

/**
 * One opening of a log for writing. It holds a lock of the operating system for as long as it lives, however it ends.
 * From the lock another process knows whether somebody still runs the calls that have no outcome. A process id would not
 * do: the system gives it out again, and it means another process in a container.
 */
export class Session implements Disposable {
  readonly id = randomBytes(16).toString('hex');
  readonly #log: string;
  #lock: Disposable | undefined;

  /** @param log path of the log; the locks lie beside it */
  constructor(log: string) {
    this.#log = log;
  }

  /** Takes the lock; again and again the same. Asked while the lock of the log is held, as `sweep` is. */
  hold(): void {
    if (this.#lock !== undefined) return;
    this.#lock = tryLockFile(lockFiles.ofSession(this.#log, this.id));
    if (this.#lock === undefined) throw new Error('the lock of a session that has just begun is held by another');
  }

  /** Whether the session lives that began a call. Its own does. */
  isAlive(session: string): boolean {
    if (session === this.id) return true;
    // Of a name that is none nothing is opened: the log may have been changed.
    return SESSION_ID.test(session) && isLocked(lockFiles.ofSession(this.#log, session));
  }

  /**
   * Removes the lock files of those who are gone. Asked while the lock of the log is held: of one who has made its file
   * and not locked it yet the file would be taken away, and its calls with it.
   */
  sweep(): void {
    const folder = path.dirname(this.#log);
    const prefix = path.basename(lockFiles.ofSession(this.#log, ''));
    const sessions = fs.readdirSync(folder).filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
    for (const session of sessions) {
      if (SESSION_ID.test(session) && !this.isAlive(session)) remove(lockFiles.ofSession(this.#log, session));
    }
  }

  [Symbol.dispose](): void {
    if (this.#lock === undefined) return;
    this.#lock[Symbol.dispose]();
    this.#lock = undefined;
    remove(lockFiles.ofSession(this.#log, this.id));
  }
}

/** One that stays is free, and goes when the next session looks. */
function remove(file: string): void {
  try {
    fs.rmSync(file, { force: true });
  } catch {
    // The folder may have become read-only meanwhile.
  }
}

/** In doubt it is: a call of somebody who lives must not be called ended. */
function isLocked(file: string): boolean {
  try {
    const held = tryLockExisting(file);
    if (held === undefined) return true;
    if (held !== 'gone') held[Symbol.dispose]();
    return false;
  } catch (cause) {
    return sqliteCode(cause) !== 'SQLITE_CANTOPEN';
  }
}
