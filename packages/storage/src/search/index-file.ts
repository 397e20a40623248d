import fs from 'node:fs';
import Database from 'better-sqlite3';
import { errnoOf } from '@devs/core';
import { isOwnFile } from '../locks/own-file.ts';
import { findSchemaFault } from '../database/schema-pages.ts';
import { sqliteCode } from '../database/sqlite-failure.ts';
import { INDEX_APPLICATION_ID, INDEX_SCHEMA, SearchIndex, type IndexState } from './search-index.ts';

/** Milliseconds. Only `verify` may be in the way, which reads. */
const BUSY_TIMEOUT_MS = 10_000;

/** Megabytes of pages in memory, most of them while a long log is indexed for the first time. */
const CACHE_KIBIBYTES = 65_536;

/** Beside the log, derived from it: it may be deleted at any time. */
export function indexFileOf(log: string): string {
  return `${log}-search`;
}

/** The index is not what it has to be; whoever meets this throws it away. */
export class IndexUnfit extends Error {
  constructor(what: string) {
    super(`the search index ${what}`);
    this.name = 'IndexUnfit';
  }
}

/** Whether somebody else's bytes, or a broken disk's, are what an error comes from: then the index is made anew. */
export function isUnfit(cause: unknown): boolean {
  return cause instanceof IndexUnfit || /^SQLITE_(CORRUPT|NOTADB|ERROR|CONSTRAINT|MISMATCH|FORMAT|RANGE)/.test(sqliteCode(cause));
}

/** Whether it cannot be written where it is, which is no fault of what it holds: a folder of others, a full disk. */
export function isReadOnly(cause: unknown): boolean {
  if (/^SQLITE_(READONLY|CANTOPEN|PERM|AUTH|FULL)/.test(sqliteCode(cause))) return true;
  return ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOSPC', 'EDQUOT', 'EISDIR', 'ERR_FS_EISDIR'].includes(errnoOf(cause) ?? '');
}

/** Whatever lies there under the name of an index, with its journals. */
export function removeIndex(log: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) fs.rmSync(indexFileOf(log) + suffix, { force: true });
}

/**
 * Opens the index of a log for writing, by whoever holds its lock; makes an empty one when there is none, or when what is there cannot be one.
 * @throws SQLite's or the system's error, see `isReadOnly`
 */
export function openIndex(log: string, empty: IndexState): SearchIndex {
  const file = indexFileOf(log);
  if (!isOwnFile(file)) {
    removeIndex(log);
    makeIndex(file, empty);
  }
  return openChecked(file, false);
}

/** The same for reading what is there. Undefined: nothing of ours is. @throws IndexUnfit, or SQLite's error */
export function openIndexReadOnly(log: string): SearchIndex | undefined {
  const file = indexFileOf(log);
  return isOwnFile(file) ? openChecked(file, true) : undefined;
}

/** An index of what the file's does not have, where the file cannot be written. */
export function createIndexInMemory(empty: IndexState): SearchIndex {
  const database = new Database(':memory:');
  SearchIndex.create(database, empty);
  return new SearchIndex(database);
}

function makeIndex(file: string, empty: IndexState): void {
  fs.closeSync(fs.openSync(file, 'wx', 0o600));
  const database = new Database(file, { fileMustExist: true });
  try {
    // Larger pages, since a word of many records fills many.
    database.pragma('page_size = 8192');
    database.transaction(() => SearchIndex.create(database, empty))();
  } finally {
    database.close();
  }
}

function openChecked(file: string, readonly: boolean): SearchIndex {
  // SQLite reads the schema with the first statement, and plays a journal back: see `findSchemaFault`.
  const fault = findSchemaFault(file);
  if (fault !== undefined) throw new IndexUnfit(fault);
  const database = new Database(file, { readonly, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    checkIndex(database);
    if (!readonly) configure(database);
    return new SearchIndex(database);
  } catch (cause) {
    database.close();
    throw cause;
  }
}

/**
 * Nothing of the file runs: all of its schema is, to the letter, what devs makes. That goes for the tables of FTS5 too: a view
 * in the place of `words_config`, say, is asked as soon as the index is opened, and a trigger may have any name.
 * @throws IndexUnfit
 */
function checkIndex(database: Database.Database): void {
  database.pragma('trusted_schema = OFF');
  database.pragma('cell_size_check = ON');
  if (database.pragma('application_id', { simple: true }) !== INDEX_APPLICATION_ID) throw new IndexUnfit('is of another program');
  if (readSchema(database) !== expectedSchema()) throw new IndexUnfit('has other tables than devs makes');
  for (const [table, rows] of SCANNED) {
    const found = database.prepare<[], number>(`SELECT count(*) FROM (SELECT 1 FROM ${table} LIMIT ${rows + 1})`).pluck().get() ?? 0;
    if (found > rows) throw new IndexUnfit(`has more rows in ${table} than devs makes`);
  }
}

/** Tables that are read from end to end, and how many rows they may have: pages that lead in a circle have rows without end. */
const SCANNED: readonly (readonly [table: string, rows: number])[] = [['state', 1], ['words_config', 16]];

function readSchema(database: Database.Database): string {
  return JSON.stringify(database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name').raw().all());
}

function expectedSchema(): string {
  const database = new Database(':memory:');
  try {
    for (const statement of INDEX_SCHEMA) database.exec(statement);
    return readSchema(database);
  } finally {
    database.close();
  }
}

function configure(database: Database.Database): void {
  database.pragma(`cache_size = -${CACHE_KIBIBYTES}`);
  // What a page held is overwritten before the page is free. A journal is deleted with its transaction.
  database.pragma('secure_delete = ON');
  database.pragma('journal_mode = DELETE');
  // After a power cut an index may be broken, and is made anew; the log is never written here.
  database.pragma('synchronous = NORMAL');
  database.pragma('temp_store = MEMORY');
}
