import Database from 'better-sqlite3';
import { hasExpectedSchema, readVersion } from './migrate.ts';
import { findSchemaFault } from '../database/schema-pages.ts';
import { APPLICATION_ID, MIGRATIONS } from './schema.ts';
import { sqliteCode } from '../database/sqlite-failure.ts';
import { unusable } from './unusable.ts';

const BEGIN_ANEW = 'Move it to another folder. If devs remembers an earlier log, run `devs logs adopt` to start a new one.';

/** `empty`: a database with nothing in it, as a process leaves it that was killed while it made the log. */
export type LogState = 'empty' | 'older' | 'current';

function isEmpty(database: Database.Database): boolean {
  return database.prepare<[], number>('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
}

function judge(database: Database.Database, file: string): LogState {
  const application = database.pragma('application_id', { simple: true });
  const version = readVersion(database);
  if (application === 0 && version === 0 && isEmpty(database)) return 'empty';
  if (application !== APPLICATION_ID || version < 1) {
    throw unusable(file, `is the database of another program, so devs does not change it. ${BEGIN_ANEW}`);
  }
  if (version > MIGRATIONS.length) {
    throw unusable(file, `was written by a newer devs (version ${version}). Update devs, or start a new log. ${BEGIN_ANEW}`);
  }
  if (!hasExpectedSchema(database)) {
    throw unusable(file, `has tables or triggers that devs did not make. ${BEGIN_ANEW}`);
  }
  return version < MIGRATIONS.length ? 'older' : 'current';
}

/**
 * Reads one moment of the file: another process may just be making it.
 * @throws DevsError `STATE_UNUSABLE` when it is no log, or one that this devs does not know
 */
export function readState(database: Database.Database, file: string): LogState {
  return database.transaction(() => judge(database, file)).deferred();
}

/** The first fault is enough, and SQLite meets it before it follows any page a second time. */
function isSound(database: Database.Database): boolean {
  return database.prepare<[], string>('PRAGMA integrity_check(1)').pluck().get() === 'ok';
}

/**
 * Looks at a file through a connection that cannot write: even opening a foreign or newer database
 * for writing may change it, when its journal is played back.
 * @throws DevsError `STATE_UNUSABLE`, or SQLite's error
 */
export function inspect(file: string, busyTimeoutMs: number): LogState {
  const fault = findSchemaFault(file);
  if (fault !== undefined) throw unusable(file, `${fault} ${BEGIN_ANEW}`);
  const database = new Database(file, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
  try {
    const state = readState(database, file);
    // All of an older log is read to bring it up to date, and what leads in a circle is read for ever.
    if (state === 'older' && !isSound(database)) throw unusable(file, `is damaged. ${BEGIN_ANEW}`);
    return state;
  } catch (cause) {
    if (sqliteCode(cause) !== 'SQLITE_NOTADB') throw cause;
    throw unusable(file, `is not a database, so devs does not change it. ${BEGIN_ANEW}`, cause);
  } finally {
    database.close();
  }
}
