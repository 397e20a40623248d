import type Database from 'better-sqlite3';
import { DevsError } from '@devs/core';
import { findLogFile } from '../sqlite/log-file.ts';
import { connectReadOnly, SchemaFault } from '../sqlite/open-read-only.ts';
import { hasExpectedSchema, readVersion } from '../sqlite/migrate.ts';
import { CHAIN } from '../sqlite/records-schema.ts';
import { APPLICATION_ID, MIGRATIONS } from '../sqlite/schema.ts';
import { sqliteCode } from '../database/sqlite-failure.ts';
import { tampered, type Problem } from './report.ts';

/** One moment of a log in SQLite. Without a database its records cannot be read, and the problem says why. */
export type Connected =
  | { readonly file: string; readonly database: Database.Database; readonly problem: Problem | undefined }
  | { readonly file: string; readonly database: undefined; readonly problem: Problem };

/**
 * Opens a log that may have been changed by anybody. What is wrong with it is part of the answer.
 * @throws DevsError `LOG_NOT_FOUND` when there is none, `STATE_UNUSABLE` when it cannot be read now
 */
export function connectToVerify(given: string, busyTimeoutMs: number): Connected {
  const file = findLogFile(given);
  try {
    return judgeOrClose(file, connectReadOnly(file, busyTimeoutMs));
  } catch (cause) {
    const code = DAMAGE.exec(codeOf(cause))?.[0];
    if (code === undefined) throw cause;
    const what = schemaFaultOf(cause) ?? `the database is damaged: ${code}`;
    return { file, database: undefined, problem: tampered(null, 'damaged', what) };
  }
}

/** What SQLite says of bytes that are no database; anything else is about this moment: a lock, a right, a disk. */
const DAMAGE = /^SQLITE_(?:NOTADB|CORRUPT|ERROR|FORMAT|MISMATCH|SCHEMA|TOOBIG|CONSTRAINT).*$/;

/** Of the error, or of what caused it. */
function codeOf(cause: unknown): string {
  return sqliteCode(cause) || (cause instanceof Error ? codeOf(cause.cause) : '');
}

/** In words, as in "it is damaged". */
function schemaFaultOf(cause: unknown): string | undefined {
  if (cause instanceof SchemaFault) return `it ${cause.message.replace(/\.$/, '')}`;
  return cause instanceof Error ? schemaFaultOf(cause.cause) : undefined;
}

function judgeOrClose(file: string, database: Database.Database): Connected {
  try {
    return judge(file, database);
  } catch (cause) {
    database.close();
    throw cause;
  }
}

function judge(file: string, database: Database.Database): Connected {
  // All that is read is of one moment, while others write.
  database.exec('BEGIN');
  const tables = database.prepare<[], number>('SELECT count(*) FROM sqlite_schema').pluck().get();
  if (tables === 0) throw new DevsError('LOG_NOT_FOUND', { cause: new Error(file) });
  const strange = judgeVersion(database);
  if (strange === undefined && hasExpectedSchema(database)) return { file, database, problem: undefined };
  const problem = strange ?? tampered(null, 'database', 'its tables, indexes or triggers are not those that devs makes');
  if (strange === undefined && hasRecords(database)) return { file, database, problem };
  database.close();
  return { file, database: undefined, problem };
}

function judgeVersion(database: Database.Database): Problem | undefined {
  const unknown = (what: string): Problem => ({ seq: null, code: 'newer', what, verdict: 'unknown' });
  const version = readVersion(database);
  if (database.pragma('application_id', { simple: true }) !== APPLICATION_ID || version < 1) return unknown('it is the database of another program');
  if (version > MIGRATIONS.length) return unknown(`a newer devs wrote it (version ${version}): verify it with that one`);
  if (version < MIGRATIONS.length && hasExpectedSchema(database)) return unknown('it is from an older devs, which kept no chain; start `devs serve` once to bring it up to date');
  return undefined;
}

/** Whether the table itself is the one that devs makes: a view in its place could run for ever. */
function hasRecords(database: Database.Database): boolean {
  const sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = 'records'";
  return database.prepare<[], string>(sql).pluck().get() === CHAIN[0];
}
