import fs from 'node:fs';
import Database from 'better-sqlite3';
import { DevsError } from '@devs/core';
import { findLogFile } from './log-file.ts';
import { readState } from './inspect.ts';
import { findSchemaFault } from '../database/schema-pages.ts';
import { isBusy, sqliteCode } from '../database/sqlite-failure.ts';
import { unusable } from './unusable.ts';

const MOST_SNAPSHOT_BYTES = 268_435_456;

/** Offsets 18 and 19 of an SQLite header: 2 means WAL, 1 a rollback journal. */
const JOURNAL_VERSION_OFFSETS = [18, 19] as const;

/** WAL needs an index file (-shm) beside the log, which nobody can make in a read-only folder. */
const CANNOT_MAKE_INDEX = /^SQLITE_(CANTOPEN|READONLY)/;

/** The log as it lies there, in memory: for a folder in which nothing can be made, so nothing is being written. */
function openSnapshot(file: string): Database.Database {
  const journal = fs.lstatSync(`${file}-wal`, { throwIfNoEntry: false });
  if ((journal?.size ?? 0) > 0 || fs.lstatSync(file).size > MOST_SNAPSHOT_BYTES) {
    throw unusable(file, 'is in a read-only folder. Copy it, with its -wal file, to a folder that can be written, and read the copy.');
  }
  const bytes = fs.readFileSync(file);
  // Memory has no WAL. There is none to be read either, so this loses nothing.
  for (const offset of JOURNAL_VERSION_OFFSETS) bytes[offset] = 1;
  return new Database(bytes, { readonly: true });
}

function checkReadable(database: Database.Database, file: string): void {
  const state = readState(database, file);
  if (state === 'empty') throw new DevsError('LOG_NOT_FOUND', { cause: new Error(file) });
  if (state === 'older') throw unusable(file, 'was written by an older version of devs. Run `devs serve` once to migrate it.');
}

function openReadable(open: () => Database.Database): Database.Database {
  const database = open();
  try {
    database.pragma('trusted_schema = OFF');
    database.pragma('cell_size_check = ON');
    // SQLite opens the file with the first question, not before.
    database.prepare('SELECT 1 FROM sqlite_schema').get();
    return database;
  } catch (cause) {
    database.close();
    throw cause;
  }
}

function openEitherWay(file: string, busyTimeoutMs: number): Database.Database {
  try {
    return openReadable(() => new Database(file, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs }));
  } catch (cause) {
    if (!CANNOT_MAKE_INDEX.test(sqliteCode(cause))) throw cause;
    return openReadable(() => openSnapshot(file));
  }
}

/** What is wrong with a log that SQLite must not see; the message is a part of a sentence. See `findSchemaFault`. */
export class SchemaFault extends Error {
  readonly code = 'SQLITE_CORRUPT';

  constructor(file: string, what: string) {
    super(what, { cause: new Error(file) });
    this.name = 'SchemaFault';
  }
}

/** Why a log cannot be read, for an operator. */
export function toUnusable(file: string, cause: unknown): DevsError {
  if (DevsError.is(cause)) return cause;
  if (cause instanceof SchemaFault) return unusable(file, cause.message, cause);
  if (isBusy(cause)) return unusable(file, 'is locked by another process.', cause);
  return unusable(file, 'cannot be read: it is not a database, damaged, or not yours to read.', cause);
}

/**
 * Opens a log for reading and judges nothing in it: for whoever wants to say what is wrong with it.
 * @throws DevsError `LOG_NOT_FOUND` or `STATE_UNUSABLE`
 */
export function connectReadOnly(given: string, busyTimeoutMs: number): Database.Database {
  const file = findLogFile(given);
  try {
    const fault = findSchemaFault(file);
    if (fault !== undefined) throw new SchemaFault(file, fault);
    return openEitherWay(file, busyTimeoutMs);
  } catch (cause) {
    throw toUnusable(file, cause);
  }
}

/**
 * Opens a log to read it, while another process writes it or after. Makes no log.
 * @throws DevsError `LOG_NOT_FOUND` or `STATE_UNUSABLE`
 */
export function openReadOnly(given: string, busyTimeoutMs: number): Database.Database {
  const database = connectReadOnly(given, busyTimeoutMs);
  try {
    checkReadable(database, given);
    return database;
  } catch (cause) {
    database.close();
    throw toUnusable(given, cause);
  }
}
