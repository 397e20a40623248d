import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { describeBlock, DevsError } from '@devs/core';
import Database from 'better-sqlite3';
import { openSqliteAgentLogs } from '../index.ts';
import { ChainWriter } from '../sqlite/chain-writer.ts';
import { openLogDatabase } from '../sqlite/open-database.ts';
import { SqliteAgentLogs } from '../sqlite/sqlite-agent-logs.ts';
import { entryOf } from './entry-of.ts';
import { toAgentLogError } from '../database/sqlite-failure.ts';
import { callId, createTempFolder, intentOf, recordOf } from './fixtures.ts';

/** A log whose connection the test can put into a bad state. */
function openWithConnection(file: string, busyTimeoutMs = 0) {
  const database = openLogDatabase({ file, durability: 'process', busyTimeoutMs });
  const opening = { version: '', mode: 'strict', durability: 'process' };
  const writer = new ChainWriter(database, { opening, now: () => '2026-01-02T03:04:05.678Z' });
  return { database, logs: new SqliteAgentLogs({ database, writer, mode: 'strict', busyTimeoutMs, heads: undefined }) };
}

/** In a process of its own: to close a file here would let go of SQLite's locks on it. */
function overwrite(file: string, bytes: Buffer, position: number): void {
  const script = "const fs = require('fs'); const f = fs.openSync(process.argv[1], 'r+'); fs.writeSync(f, fs.readFileSync(0), 0, undefined, Number(process.argv[2]));";
  execFileSync(process.execPath, ['-e', script, file, String(position)], { input: bytes });
}

describe('conditions that pass: refused, then written again without a restart', () => {
  it('a full disk', async () => {
    using folder = createTempFolder();
    const { database, logs } = openWithConnection(folder.log);
    await using _closing = logs;
    await logs.begin(intentOf());
    database.pragma(`max_page_count = ${Number(database.pragma('page_count', { simple: true }))}`);
    const large = recordOf({ output: { content: [{ type: 'text', text: 'x'.repeat(50_000) }] } });
    await expect(logs.append(large)).rejects.toMatchObject({ name: 'AgentLogError', failure: 'full' });
    expect((await logs.get(callId(1)))?.status).toBe('started');
    database.pragma('max_page_count = 1000000');
    await logs.append(large);
    expect((await logs.get(callId(1)))?.status).toBe('ok');
  });

  it('a read-only file', async () => {
    using folder = createTempFolder();
    const { database, logs } = openWithConnection(folder.log);
    await using _closing = logs;
    database.pragma('query_only = ON');
    await expect(logs.begin(intentOf())).rejects.toMatchObject({ failure: 'read-only' });
    database.pragma('query_only = OFF');
    await logs.begin(intentOf());
  });

  it('a lock that another process keeps', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log, busyTimeoutMs: 20 });
    const other = new Database(folder.log);
    other.exec('BEGIN IMMEDIATE');
    await expect(logs.begin(intentOf())).rejects.toMatchObject({ failure: 'busy' });
    expect(await logs.list({ limit: 1 })).toEqual([]);
    other.exec('ROLLBACK');
    other.close();
    await logs.begin(intentOf());
  });

  it('a lock that another process gives back in time, while this one does other things', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log, busyTimeoutMs: 60_000 });
    const other = new Database(folder.log);
    other.exec('BEGIN IMMEDIATE');
    const write = logs.begin(intentOf());
    await pause(5);
    other.exec('ROLLBACK');
    other.close();
    await write;
    expect(await logs.list({ limit: 1 })).toHaveLength(1);
  });

  it('a lock that is given back while the log closes: what was asked for is written first', async () => {
    using folder = createTempFolder();
    const logs = openSqliteAgentLogs({ file: folder.log, busyTimeoutMs: 60_000 });
    const other = new Database(folder.log);
    other.exec('BEGIN IMMEDIATE');
    const write = logs.begin(intentOf());
    const closed = logs.close();
    await pause(5);
    other.exec('ROLLBACK');
    await Promise.all([write, closed]);
    expect(other.prepare('SELECT count(*) FROM agent_logs').pluck().get()).toBe(1);
    other.close();
  });

  it('a file that was moved away and comes back', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log });
    fs.renameSync(folder.log, `${folder.log}.moved`);
    await expect(logs.begin(intentOf())).rejects.toMatchObject({ failure: 'moved' });
    fs.renameSync(`${folder.log}.moved`, folder.log);
    await logs.begin(intentOf());
  });
});

describe('what the system says of the files beside the log', () => {
  it.each([
    ['ENOSPC', 'full'],
    ['EROFS', 'read-only'],
    ['EMFILE', 'disk'],
    ['EWHATEVER', 'failed'],
  ])('%s is told as %s', (code, failure) => {
    expect(toAgentLogError(Object.assign(new Error('x'), { code }))).toMatchObject({ failure });
  });

  it('what was signed and is not there any more is told as such', () => {
    expect(toAgentLogError(new DevsError('STATE_UNUSABLE'))).toMatchObject({ failure: 'rolled-back' });
  });
});

describe('conditions that do not pass by themselves', () => {
  it.each(['', '-wal', '-shm'])('agent_logs.db%s deleted under us: nothing is written into the void', async (suffix) => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log });
    await logs.begin(intentOf());
    fs.rmSync(folder.log + suffix);
    await expect(logs.append(recordOf())).rejects.toMatchObject({ failure: 'moved' });
  });

  it('another file in its place', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log });
    openLogDatabase({ file: `${folder.log}.new`, durability: 'process', busyTimeoutMs: 0 }).close();
    fs.renameSync(`${folder.log}.new`, folder.log);
    await expect(logs.append(recordOf())).rejects.toMatchObject({ failure: 'moved' });
  });

  it('an insert that changes no row is no success', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log });
    const other = new Database(folder.log);
    other.exec('CREATE TRIGGER x BEFORE INSERT ON records BEGIN SELECT RAISE(IGNORE); END');
    other.close();
    await expect(logs.append(recordOf())).rejects.toMatchObject({ failure: 'failed' });
  });

  it('a lock that is kept while the log is opened', () => {
    using folder = createTempFolder();
    openLogDatabase({ file: folder.log, durability: 'process', busyTimeoutMs: 0 }).close();
    const other = new Database(folder.log);
    other.exec('BEGIN IMMEDIATE');
    const open = () => openSqliteAgentLogs({ file: folder.log, busyTimeoutMs: 0 });
    expect(open).toThrow('is locked by another process');
    other.close();
  });
});

describe('what is damaged', () => {
  it('is written again once it is mended, without a restart', async () => {
    using folder = createTempFolder();
    {
      await using logs = openSqliteAgentLogs({ file: folder.log });
      for (let number = 1; number <= 20; number += 1) await logs.append(recordOf({ id: callId(number) }));
    }
    const { database, logs } = openWithConnection(folder.log);
    await using _closing = logs;
    const root = Number(database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'records_outcome'").pluck().get());
    const whole = fs.readFileSync(folder.log);
    overwrite(folder.log, Buffer.alloc(4_096, 0xa5), (root - 1) * 4_096);
    await expect(logs.append(recordOf({ id: callId(30) }))).rejects.toMatchObject({ failure: 'damaged' });
    overwrite(folder.log, whole.subarray((root - 1) * 4_096, root * 4_096), (root - 1) * 4_096);
    await logs.append(recordOf({ id: callId(30) }));
  });

  it('is shown as such and hides no other call', async () => {
    using folder = createTempFolder();
    const { database, logs } = openWithConnection(folder.log);
    await using _closing = logs;
    await logs.append(recordOf());
    await logs.append(recordOf({ id: callId(2) }));
    database.exec('DROP TRIGGER records_erase_only');
    database.exec(`UPDATE records SET payload = '{"input":{' WHERE seq = 2`);
    const [whole, damaged] = await logs.list({ limit: 10 });
    expect(whole).toEqual(entryOf(recordOf({ id: callId(2) })));
    expect(damaged).toMatchObject({ input: expect.stringContaining('[not readable'), sanitization: { truncated: false } });
    expect(damaged?.output?.content.map(describeBlock)[0]).toContain('[not readable');
  });

  it('the form of what is stored stands in a column that no argument can forge', async () => {
    using folder = createTempFolder();
    const { database, logs } = openWithConnection(folder.log);
    await using _closing = logs;
    await logs.append(recordOf({ input: { 'devs/stored': { form: 'truncated' } } }));
    await logs.append(recordOf({ id: callId(2), input: 'x'.repeat(300_000) }));
    await logs.append(recordOf({ id: callId(3), input: 1n }));
    const forms = database.prepare('SELECT input_form FROM agent_logs ORDER BY seq').pluck().all();
    expect(forms).toEqual(['exact', 'truncated', 'described']);
  });

  it('an input that start and outcome share is stored once', async () => {
    using folder = createTempFolder();
    const { database, logs } = openWithConnection(folder.log);
    await using _closing = logs;
    await logs.begin(intentOf());
    await logs.append(recordOf());
    const inputs = database.prepare("SELECT payload -> '$.input' FROM records WHERE call_id IS NOT NULL ORDER BY seq").pluck().all();
    expect(inputs).toEqual(['{"path":"README.md"}', null]);
  });
});
