import fs from 'node:fs';
import { isRecord } from '@devs/core';
import Database from 'better-sqlite3';
import { sqliteCode } from '../sqlite/sqlite-failure.ts';
import { whileBusy } from '../sqlite/while-busy.ts';

/** Milliseconds: as long as another search may take to index a long log for the first time. */
const PATIENCE_MS = 120_000;

/**
 * One search of a log at a time has its index open. An index may be deleted under a search, and made anew under the same
 * name; the journal of the one would then be taken for that of the other, and its pages put back into it. The lock is
 * SQLite's own, on an empty file beside the index: it ends with the process that holds it, however that ends.
 * @throws SQLite's or the system's error, see `isReadOnly`
 */
export async function lockIndex(log: string): Promise<Disposable> {
  return whileBusy(() => takeLock(`${log}-search-lock`), PATIENCE_MS);
}

function takeLock(file: string): Disposable {
  make(file);
  const database = new Database(file, { fileMustExist: true, timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    throw sqliteCode(cause) === 'SQLITE_NOTADB' ? notALock() : cause;
  }
  return { [Symbol.dispose]: () => void database.close() };
}

/** A link, a folder, a file of something else. Whoever put it there may have more in mind; the words go into memory instead. */
function notALock(): Error {
  return Object.assign(new Error('the lock of the search index is none'), { code: 'EACCES' });
}

/** Never taken away, and nothing else put in its place: of two searches at once, each would hold the lock of another file. */
function make(file: string): void {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() === true) return;
  if (stats !== undefined) throw notALock();
  try {
    fs.closeSync(fs.openSync(file, 'wx', 0o600));
  } catch (cause) {
    if (!isRecord(cause) || cause['code'] !== 'EEXIST') throw cause;
  }
}
