import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { DevsError } from '@devs/core';
import { openSqliteAgentLogReader, openSqliteAgentLogs } from '../index.ts';
import { assertSettings, openLogDatabase } from '../sqlite/open-database.ts';
import { MIGRATIONS } from '../sqlite/schema.ts';
import { entryOf } from './entry-of.ts';
import { createTempFolder, intentOf, recordOf } from './fixtures.ts';

interface Obstacle {
  readonly name: string;
  readonly create: (file: string) => void;
  readonly sentence: string;
  /** What a reader says; absent: the same. Null: a reader may read it. */
  readonly forReaders?: string | null;
}

function createDatabase(file: string, ...statements: readonly string[]): void {
  const database = new Database(file);
  // As other programs are: the schema may be edited.
  database.unsafeMode();
  for (const statement of statements) database.exec(statement);
  database.close();
  fs.chmodSync(file, 0o600);
}

/** A log with one call in it, closed, then changed by whoever can write the file. */
function createLog(file: string, ...statements: readonly string[]): void {
  openLogDatabase({ file, durability: 'process', busyTimeoutMs: 0 }).close();
  createDatabase(file, ...statements);
}

function damage(file: string): void {
  createLog(file);
  const bytes = fs.readFileSync(file);
  bytes.fill(0xa5, 100, 4_096);
  fs.writeFileSync(file, bytes);
}

const PRIVATE = { mode: 0o600 };

const OBSTACLES: readonly Obstacle[] = [
  { name: 'a folder', create: (file) => fs.mkdirSync(file), sentence: 'is not a regular file' },
  { name: 'a FIFO', create: (file) => execFileSync('mkfifo', ['-m', '600', file]), sentence: 'is not a regular file' },
  {
    name: 'a symbolic link to a log',
    create: (file) => {
      createLog(`${file}.real`);
      fs.symlinkSync(`${file}.real`, file);
    },
    sentence: 'is a symbolic link',
  },
  {
    name: 'a file with a second name',
    create: (file) => {
      createLog(file);
      fs.linkSync(file, `${file}.other`);
    },
    sentence: 'has a second name',
    forReaders: null,
  },
  {
    name: 'a journal that is a link',
    create: (file) => {
      createLog(file);
      fs.symlinkSync('elsewhere', `${file}-wal`);
    },
    sentence: 'is a symbolic link',
  },
  {
    name: 'a log that others can read',
    create: (file) => {
      createLog(file);
      fs.chmodSync(file, 0o640);
    },
    sentence: 'is accessible to other users',
    forReaders: null,
  },
  {
    name: 'a log that others can write',
    create: (file) => {
      createLog(file);
      fs.chmodSync(file, 0o602);
    },
    sentence: 'is accessible to other users',
    forReaders: null,
  },
  {
    name: 'a journal without its log',
    create: (file) => fs.writeFileSync(`${file}-wal`, 'the journal of a log that was removed', PRIVATE),
    sentence: 'is missing, but its journal',
    forReaders: 'There is no call log yet.',
  },
  { name: 'text', create: (file) => fs.writeFileSync(file, 'hello'.repeat(2_000), PRIVATE), sentence: 'is not a database' },
  { name: 'short text', create: (file) => fs.writeFileSync(file, 'hello', PRIVATE), sentence: 'is not a database' },
  { name: 'a damaged log', create: damage, sentence: 'is damaged', forReaders: 'is damaged' },
  {
    name: 'a log that lost its tail',
    create: (file) => {
      createLog(file);
      fs.truncateSync(file, 8_192);
    },
    sentence: 'is damaged',
    forReaders: 'is damaged',
  },
  { name: 'another program', create: (file) => createDatabase(file, 'CREATE TABLE t (a)'), sentence: 'of another program' },
  {
    name: 'another program with versions',
    create: (file) => createDatabase(file, 'CREATE TABLE t (a)', 'PRAGMA user_version = 1'),
    sentence: 'of another program',
  },
  {
    name: 'another program that names itself',
    create: (file) => createDatabase(file, 'PRAGMA application_id = 7'),
    sentence: 'of another program',
  },
  {
    name: 'a log in WAL of another program',
    create: (file) => createDatabase(file, 'PRAGMA journal_mode = WAL', 'CREATE TABLE agent_log_records (a)'),
    sentence: 'of another program',
  },
  { name: 'a newer log', create: (file) => createLog(file, 'PRAGMA user_version = 99'), sentence: 'newer devs (version 99)' },
  {
    name: 'a log without its triggers',
    create: (file) => createLog(file, 'DROP TRIGGER records_no_delete'),
    sentence: 'that devs did not make',
  },
  {
    name: 'a log with a trigger too many',
    create: (file) =>
      createLog(file, 'CREATE TRIGGER x BEFORE INSERT ON records BEGIN SELECT RAISE(IGNORE); END'),
    sentence: 'that devs did not make',
  },
  {
    name: 'a log with a trigger that calls itself statistics',
    create: (file) =>
      createLog(
        file,
        'CREATE TRIGGER x AFTER INSERT ON records BEGIN DELETE FROM open_calls; END',
        'PRAGMA writable_schema = ON',
        "UPDATE sqlite_schema SET name = 'sqlite_stat4', sql = replace(sql, 'TRIGGER x', 'TRIGGER sqlite_stat4') WHERE name = 'x'",
      ),
    sentence: 'that devs did not make',
  },
  {
    name: 'a log with a table that calls itself statistics',
    create: (file) =>
      createLog(
        file,
        'CREATE TABLE x (y)',
        'PRAGMA writable_schema = ON',
        "UPDATE sqlite_schema SET name = 'sqlite_stat1', tbl_name = 'sqlite_stat1', sql = 'CREATE TABLE sqlite_stat1 (y)' WHERE name = 'x'",
      ),
    sentence: 'that devs did not make',
  },
  {
    name: 'a log whose view lies',
    create: (file) => createLog(file, 'DROP VIEW agent_logs', 'CREATE VIEW agent_logs AS SELECT 1 AS seq'),
    sentence: 'that devs did not make',
  },
];

function refusal(open: () => unknown): DevsError {
  try {
    open();
  } catch (error) {
    if (error instanceof DevsError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

function bytesOf(file: string): Buffer | undefined {
  return fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() === true ? fs.readFileSync(file) : undefined;
}

describe('what is there and is not a log of ours', () => {
  it.each(OBSTACLES)('$name: no writer, and it is left as it is', ({ create, sentence }) => {
    using folder = createTempFolder();
    create(folder.log);
    const before = bytesOf(folder.log);
    const error = refusal(() => openSqliteAgentLogs({ file: folder.log }));
    expect(error).toMatchObject({ code: 'STATE_UNUSABLE', sentence: expect.stringContaining(sentence) });
    expect(error.sentence).not.toContain(folder.path);
    if (before !== undefined) expect(fs.readFileSync(folder.log).equals(before)).toBe(true);
  });

  it.each(OBSTACLES)('$name: what a reader says', async ({ create, sentence, forReaders = sentence }) => {
    using folder = createTempFolder();
    create(folder.log);
    const open = () => openSqliteAgentLogReader({ file: folder.log });
    if (forReaders === null) await open().close();
    else expect(refusal(open).sentence).toContain(forReaders);
  });

  it.each(['agent_logs.db ', 'agent\0logs.db', 'agent_logs.db\n'])('refuses the name %j', (name) => {
    using folder = createTempFolder();
    expect(refusal(() => openSqliteAgentLogs({ file: path.join(folder.path, name) })).code).toBe('STATE_UNUSABLE');
    expect(fs.readdirSync(folder.path)).toEqual([]);
  });

  it('refuses a log that belongs to another user', () => {
    using folder = createTempFolder();
    createLog(folder.log);
    // Only root can give a file away; for others the same check runs against root's own file.
    if (process.getuid?.() === 0) fs.chownSync(folder.log, 65_534, 65_534);
    const file = process.getuid?.() === 0 ? folder.log : '/etc/hostname';
    expect(refusal(() => openSqliteAgentLogs({ file })).sentence).toContain('belongs to another user');
  });

  it('says that the folder is missing', () => {
    using folder = createTempFolder();
    const file = path.join(folder.path, 'missing', 'agent_logs.db');
    expect(refusal(() => openSqliteAgentLogs({ file })).sentence).toContain('folder is missing');
  });
});

describe('what `ANALYZE` leaves', () => {
  it('is no obstacle', async () => {
    using folder = createTempFolder();
    openLogDatabase({ file: folder.log, durability: 'process', busyTimeoutMs: 0 }).close();
    createDatabase(folder.log, 'ANALYZE');
    await openSqliteAgentLogs({ file: folder.log }).close();
  });
});

describe('a new log', () => {
  it('is private from the start, with its journals, whatever the umask', async () => {
    using folder = createTempFolder();
    const umask = process.umask(0);
    try {
      await using logs = openSqliteAgentLogs({ file: folder.log });
      await logs.begin(intentOf());
      const modes = fs.readdirSync(folder.path).map((name) => [name.replace(/[0-9a-f]{32}$/, 'id'), fs.statSync(path.join(folder.path, name)).mode & 0o777]);
      expect(modes).toEqual(['', '-session-id', '-shm', '-wal'].map((suffix) => [`agent_logs.db${suffix}`, 0o600]));
    } finally {
      process.umask(umask);
    }
  });

  it.each<[name: string, create: (file: string) => void]>([
    ['an empty file', (file) => fs.writeFileSync(file, '', PRIVATE)],
    ['an empty database', (file) => createDatabase(file, 'PRAGMA journal_mode = WAL')],
  ])('may begin as %s, left by a process that was killed', async (_name, create) => {
    using folder = createTempFolder();
    create(folder.log);
    expect(refusal(() => openSqliteAgentLogReader({ file: folder.log })).code).toBe('LOG_NOT_FOUND');
    await using logs = openSqliteAgentLogs({ file: folder.log });
    await logs.append(recordOf());
    expect(await logs.list({ limit: 1 })).toEqual([entryOf(recordOf())]);
  });

  it('is not made by a reader', () => {
    using folder = createTempFolder();
    const error = refusal(() => openSqliteAgentLogReader({ file: folder.log }));
    expect(error).toMatchObject({ code: 'LOG_NOT_FOUND', suggestion: expect.stringContaining('devs serve') });
    expect(fs.readdirSync(folder.path)).toEqual([]);
  });
});

describe('settings', () => {
  it.each([
    ['power', 2],
    ['process', 1],
  ] as const)('%s means synchronous = %i, and still does after a write', (durability, synchronous) => {
    using folder = createTempFolder();
    const database = openLogDatabase({ file: folder.log, durability, busyTimeoutMs: 0 });
    database.exec("INSERT INTO records (seq, leaf, header) VALUES (1, zeroblob(32), '{}')");
    expect(database.pragma('synchronous', { simple: true })).toBe(synchronous);
    expect(database.pragma('application_id', { simple: true })).toBe(1_684_371_059);
    expect(database.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
    assertSettings(database, durability);
    database.close();
  });

  it('are checked after a write, also on a log that is there already', () => {
    using folder = createTempFolder();
    createLog(folder.log);
    const database = openLogDatabase({ file: folder.log, durability: 'power', busyTimeoutMs: 0 });
    expect(fs.statSync(`${folder.log}-wal`).size).toBeGreaterThan(0);
    database.close();
  });

  it.each(['synchronous = OFF', 'trusted_schema = ON', 'cell_size_check = OFF', 'foreign_keys = OFF', 'secure_delete = OFF'])(
    'a connection with %s is not used',
    (pragma) => {
      using folder = createTempFolder();
      const database = openLogDatabase({ file: folder.log, durability: 'power', busyTimeoutMs: 0 });
      database.pragma(pragma);
      expect(() => assertSettings(database, 'power')).toThrow(/^PRAGMA/);
      database.close();
    },
  );
});
