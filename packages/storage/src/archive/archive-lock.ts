import fs from 'node:fs';
import Database from 'better-sqlite3';
import { codeOf } from '../heads/private-file.ts';
import { isBusy } from '../sqlite/sqlite-failure.ts';
import { unusable } from '../sqlite/unusable.ts';

/**
 * Held by the one who archives a log, until it ends, however it does. The file stays: were it removed, two could each
 * hold the lock of a file of that name.
 * @throws DevsError `STATE_UNUSABLE` when somebody else holds it
 */
export function lockArchive(log: string): Disposable {
  const file = `${log}-archiving`;
  try {
    createIfMissing(file);
    const lock = new Database(file, { fileMustExist: true, timeout: 0 });
    return takeLock(lock);
  } catch (cause) {
    throw unusable(log, isBusy(cause) ? 'is being archived by another process.' : 'cannot be archived: no lock can be made beside it.', cause);
  }
}

/** One that is there is not opened: to close it again would drop the lock that this very process holds on it. */
function createIfMissing(file: string): void {
  try {
    fs.closeSync(fs.openSync(file, 'wx', 0o600));
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw cause;
  }
}

function takeLock(lock: Database.Database): Disposable {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return { [Symbol.dispose]: () => lock.close() };
  } catch (cause) {
    lock.close();
    throw cause;
  }
}
