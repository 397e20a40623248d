import fs from 'node:fs';
import Database from 'better-sqlite3';
import { DevsError } from '@devs/core';
import { inspect } from './inspect.ts';
import { prepareLogFile } from './log-file.ts';
import { migrate, readVersion } from './migrate.ts';
import { isBusy } from '../database/sqlite-failure.ts';
import { unusable } from './unusable.ts';
import { whileBusyBlocking } from '../database/while-busy.ts';

/**
 * What a resolved write survives: `power` a power cut (each commit is flushed), `process` a crash or
 * `kill -9` of devs, not of the machine.
 */
export type Durability = 'power' | 'process';

export interface LogDatabaseOptions {
  readonly file: string;
  readonly durability: Durability;
  /** Milliseconds. */
  readonly busyTimeoutMs: number;
}

const SYNCHRONOUS: Readonly<Record<Durability, number>> = { process: 1, power: 2 };

/** In pages of 4 KiB. Fewer, larger checkpoints: each one stalls the call that meets it. */
const CHECKPOINT_PAGES = 10_000;

function configure(database: Database.Database, { durability, busyTimeoutMs }: LogDatabaseOptions): void {
  database.pragma('trusted_schema = OFF');
  database.pragma('cell_size_check = ON');
  database.pragma('foreign_keys = ON');
  // What is erased or dropped must not stay in a free page for whoever reads the file.
  database.pragma('secure_delete = ON');
  whileBusyBlocking(() => database.pragma('journal_mode = WAL'), busyTimeoutMs);
  // better-sqlite3 is built to fall back to NORMAL at the first write in WAL unless told otherwise.
  database.pragma(`synchronous = ${SYNCHRONOUS[durability]}`);
  // macOS: without it a flush stops at the drive's cache.
  database.pragma(`fullfsync = ${durability === 'power' ? 'ON' : 'OFF'}`);
  database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
}

/** A write that changes nothing: a full or read-only disk is found at the start, not at the first call. */
function writeOnce(database: Database.Database): void {
  database.transaction(() => database.pragma(`user_version = ${readVersion(database)}`)).immediate();
}

/** Settings that a build of SQLite may silently not honour. @throws Error naming the one that is not. */
export function assertSettings(database: Database.Database, durability: Durability): void {
  const expected = {
    journal_mode: 'wal',
    synchronous: SYNCHRONOUS[durability],
    trusted_schema: 0,
    cell_size_check: 1,
    foreign_keys: 1,
    secure_delete: 1,
  };
  for (const [name, value] of Object.entries(expected)) {
    const actual = database.pragma(name, { simple: true });
    if (actual !== value) throw new Error(`PRAGMA ${name} is ${String(actual)}, not ${value}`);
  }
}

function prepare(database: Database.Database, options: LogDatabaseOptions): void {
  configure(database, options);
  migrate(database);
  writeOnce(database);
  assertSettings(database, options.durability);
  // From here on nobody waits on the main thread: see whileBusy.
  database.pragma('busy_timeout = 0');
}

export function toUnusable(file: string, cause: unknown): DevsError {
  if (cause instanceof DevsError) return cause;
  if (isBusy(cause)) return unusable(file, 'is locked by another process.', cause);
  return unusable(file, 'cannot be opened for writing: it is damaged, read-only, or its disk is full.', cause);
}

function openPrepared(options: LogDatabaseOptions): Database.Database {
  const { file, busyTimeoutMs } = options;
  const database = new Database(file, { fileMustExist: true, timeout: busyTimeoutMs });
  try {
    prepare(database, options);
    return database;
  } catch (cause) {
    database.close();
    throw cause;
  }
}

/**
 * Opens the log for writing, makes it when there is none, and brings an older one up to date.
 * @throws DevsError `STATE_UNUSABLE`; a file that is not ours, or from a newer devs, is left as it is
 */
export function openLogDatabase(options: LogDatabaseOptions): Database.Database {
  const file = prepareLogFile(options.file);
  try {
    if (fs.lstatSync(file).size > 0) inspect(file, options.busyTimeoutMs);
    return openPrepared({ ...options, file });
  } catch (cause) {
    throw toUnusable(file, cause);
  }
}
