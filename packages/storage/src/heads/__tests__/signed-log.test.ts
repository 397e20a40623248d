import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { callId, outputOf, recordOf } from '../../__tests__/fixtures.ts';
import { adoptSqliteAgentLogs, AgentLogError, examineSqliteLog, openSqliteAgentLogs, type AgentLogs } from '../../index.ts';
import { leafOf } from '../../chain/record.ts';
import { toHead } from '../signed-head.ts';
import { createHeadPlace, type HeadPlace } from './fixtures.ts';
import { expectConsistent, headsIn, rowsOf, startWriter, writeCalls } from './signed-rows.ts';

/** A copy as a backup makes it: the log is closed, so its journal is empty or gone. */
function copyLog(from: string, to: string): void {
  for (const suffix of ['-wal', '-shm']) fs.rmSync(to + suffix, { force: true });
  fs.copyFileSync(from, to);
  fs.chmodSync(to, 0o600);
}

function removeLog(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) fs.rmSync(file + suffix, { force: true });
}

/** What somebody can do who writes to the file: the triggers are no obstacle. */
function tamper(file: string, ...statements: readonly string[]): void {
  const database = new Database(file);
  const triggers = database.prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
  for (const statement of statements) database.exec(statement);
  for (const { sql } of triggers) database.exec(sql);
  database.close();
}

describe('a log that is signed', () => {
  it('is signed when it is closed, over the record that says so, and goes on', async () => {
    using place = createHeadPlace();
    await writeCalls(place, 1, 3);
    await writeCalls(place, 4, 3);
    const rows = rowsOf(place.log);
    expect(rows.at(-1)?.header['kind']).toBe('audit.head');
    expect(rows.at(-2)?.header['kind']).toBe('audit.closed');
    expect(toHead(headsIn(rows).at(-1)?.head ?? '')).toMatchObject({ seq: rows.at(-2)?.seq, leaf: rows.at(-2)?.leaf });
    expectConsistent(place);
  });

  const obstacles: readonly [string, (place: HeadPlace, backup: string) => void, string][] = [
    ['an older copy was put in its place', ({ log }, backup) => copyLog(backup, log), 'its end was cut off, or an older copy was put in its place'],
    ['its end was cut off', ({ log }) => tamper(log, 'DELETE FROM records WHERE seq > 5'), 'its end was cut off'],
    ['it was deleted', ({ log }) => removeLog(log), 'it is gone or empty'],
    ['its records were deleted', ({ log }) => tamper(log, 'DELETE FROM records'), 'it is gone or empty'],
    ['its file is empty', ({ log }) => {
      removeLog(log);
      fs.writeFileSync(log, '', { mode: 0o600 });
    }, 'it is gone or empty'],
  ];

  it.each(obstacles)('is refused when %s, and nothing is written to it; adopted, it goes on', async (_name, change, said) => {
    using place = createHeadPlace();
    await writeCalls(place, 1, 3);
    const backup = path.join(place.path, 'backup.db');
    copyLog(place.log, backup);
    await writeCalls(place, 4, 3);
    const lost = rowsOf(place.log);
    const last = toHead(headsIn(lost).at(-1)?.head ?? '');
    change(place, backup);
    const before = examineSqliteLog({ file: place.log, heads: place.keeper() });
    expect(() => openSqliteAgentLogs({ file: place.log, heads: place.keeper() })).toThrow(said);
    expect(examineSqliteLog({ file: place.log, heads: place.keeper() })).toEqual(before);
    expect(before.problem).toEqual({ what: expect.stringContaining(said), from: { seq: last?.seq, leaf: last?.leaf } });

    const wrong = adoptSqliteAgentLogs({ file: place.log, heads: place.keeper(), expected: { seq: before.at.seq + 1 } });
    await expect(wrong).rejects.toMatchObject({ code: 'LOG_QUERY_REFUSED' });
    const adoption = await adoptSqliteAgentLogs({ file: place.log, heads: place.keeper(), expected: { seq: before.at.seq } });
    // The session that adopts says first that it is there.
    expect(adoption).toEqual({ from: before.problem?.from, at: { seq: before.at.seq + 1, leaf: expect.any(String) } });
    const adopted = rowsOf(place.log).find(({ header }) => header['kind'] === 'audit.adopted');
    expect(adopted?.header).toMatchObject({ from: adoption.from, at: adoption.at, prev: adoption.at.leaf, payload: null });
    await writeCalls(place, 7, 3);
    expectConsistent(place);
    expect(examineSqliteLog({ file: place.log, heads: place.keeper() }).problem).toBeUndefined();
    await expect(adoptSqliteAgentLogs({ file: place.log, heads: place.keeper(), expected: { seq: 1 } })).rejects.toThrow('nothing to adopt');
  });

  it('is refused each time when all that was remembered is gone, though it says that it was adopted before', async () => {
    using place = createHeadPlace();
    await writeCalls(place, 1, 3);
    for (const first of [4, 7]) {
      fs.rmSync(place.folder, { recursive: true });
      expect(() => openSqliteAgentLogs({ file: place.log, heads: place.keeper() })).toThrow('the log says that it was signed up to record');
      const { at } = examineSqliteLog({ file: place.log, heads: place.keeper() });
      expect(await adoptSqliteAgentLogs({ file: place.log, heads: place.keeper(), expected: { seq: at.seq } })).toMatchObject({ from: null });
      await writeCalls(place, first, 3);
      expectConsistent(place);
    }
    // What an adoption says nobody has signed: one that somebody has written, behind the last head, lifts nothing.
    fs.rmSync(place.folder, { recursive: true });
    const last = rowsOf(place.log).findLast(({ header }) => header['kind'] === 'audit.head');
    tamper(place.log, `DELETE FROM records WHERE seq >= ${last?.seq}`);
    forgeAdoption(place.log);
    expect(() => openSqliteAgentLogs({ file: place.log, heads: place.keeper() })).toThrow('the log says that it was signed up to record');
  });

  it('is refused when all of it was written anew, hashes and all, and keeps its name', async () => {
    using place = createHeadPlace();
    await writeCalls(place, 1, 6);
    const [first] = rowsOf(place.log);
    removeLog(place.log);
    const forged = openSqliteAgentLogs({ file: place.log });
    for (let number = 1; number <= 20; number += 1) await forged.append(recordOf({ id: callId(number), toolName: 'another' }));
    await forged.close();
    expect(() => openSqliteAgentLogs({ file: place.log, heads: place.keeper() })).toThrow('another one lies in its place');
    reforge(place.log, String(first?.header['store']));
    expect(() => openSqliteAgentLogs({ file: place.log, heads: place.keeper() })).toThrow('is not the one that devs signed');
  });

  /** Gives a log another name, and all its records the hashes that fit. */
  function forgeAdoption(file: string): void {
    const { seq = 0, leaf = '', header } = rowsOf(file).at(-1) ?? {};
    const members = { store: header?.['store'], from: null, at: { seq, leaf }, payload: null };
    const text = JSON.stringify({ v: 1, seq: seq + 1, prev: leaf, kind: 'audit.adopted', timestamp: '2026-01-01T00:00:00.000Z', ...members });
    tamper(file, `INSERT INTO records (seq, leaf, header) VALUES (${seq + 1}, x'${leafOf(text)}', '${text}')`);
  }

  function reforge(file: string, store: string): void {
    let prev = '0'.repeat(64);
    const statements = rowsOf(file).map(({ seq, header }) => {
      const text = JSON.stringify({ ...header, prev, ...('store' in header && { store }) });
      prev = leafOf(text);
      return `UPDATE records SET header = '${text.replaceAll("'", "''")}', leaf = x'${prev}' WHERE seq = ${seq}`;
    });
    tamper(file, ...statements);
  }

  it('takes no call any more once another process has signed what is not in it, and says so at its end too', async () => {
    using place = createHeadPlace();
    await writeCalls(place, 1, 3);
    const logs = openSqliteAgentLogs({ file: place.log, heads: place.keeper({ everyRecords: 1 }) });
    await logs.append(recordOf({ id: callId(4) }));
    await untilHeadsAre(place, 2);
    signAhead(place);
    await expect(appendOften(logs)).rejects.toMatchObject({ failure: 'rolled-back' });
    await logs.close();
    expect(place.problems).toEqual([expect.stringMatching(/ends with record \d+, and record 99 was in it.*devs logs adopt/)]);
    expect(() => openSqliteAgentLogs({ file: place.log, heads: place.keeper() })).toThrow('ends with record');
  });

  it('says at its end that another process has signed what is not in it', async () => {
    using place = createHeadPlace();
    await writeCalls(place, 1, 3);
    const logs = openSqliteAgentLogs({ file: place.log, heads: place.keeper() });
    await logs.append(recordOf({ id: callId(4) }));
    signAhead(place);
    await logs.close();
    expect(place.problems).toEqual([expect.stringContaining('record 99 was in it')]);
  });

  /** A head is signed between two of them. */
  async function appendOften(logs: AgentLogs): Promise<void> {
    for (let number = 5; number < 20; number += 1) {
      await logs.append(recordOf({ id: callId(number) }));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async function untilHeadsAre(place: HeadPlace, count: number): Promise<void> {
    while (headsIn(rowsOf(place.log)).length < count) await new Promise((resolve) => setImmediate(resolve));
  }

  /** As another process does that has a longer copy of the log. */
  function signAhead(place: HeadPlace): void {
    const rows = rowsOf(place.log);
    const store = String(rows[0]?.header['store']);
    const longer = { store, last: () => ({ seq: 99, leaf: 'f'.repeat(64) }), leafAt: (seq: number) => rows[seq - 1]?.leaf, carried: () => [], flush: () => undefined };
    expect(place.keeper().sign(longer)).toBeDefined();
  }

  it('keeps taking calls while heads cannot be remembered, and signs when they can', async () => {
    using place = createHeadPlace();
    await writeCalls(place, 1, 1);
    fs.chmodSync(place.folder, 0o777);
    await writeCalls(place, 2, 5);
    expect(place.problems).toEqual([expect.stringContaining('cannot be remembered')]);
    expect(rowsOf(place.log).filter(({ header }) => header['kind'] === 'call.finished')).toHaveLength(6);
    expect(headsIn(rowsOf(place.log))).toHaveLength(1);
    fs.chmodSync(place.folder, 0o700);
    await writeCalls(place, 7, 1);
    expect(headsIn(rowsOf(place.log))).toHaveLength(2);
    expectConsistent(place);
  });

  it('a key that others can read is no key to go on with', async () => {
    using place = createHeadPlace();
    await writeCalls(place, 1, 1);
    fs.chmodSync(place.keyFile, 0o640);
    expect(() => place.keeper()).toThrow('is accessible to other users');
  });
});

describe('several processes', () => {
  it('write and sign one new log at once, and no head is beside another', async () => {
    using place = createHeadPlace();
    const printed = await Promise.all(['a', 'b', 'c'].map(async (name) => outputOf(startWriter(place, name, '30'))));
    expect(printed.flatMap((text) => text.trim().split('\n'))).toHaveLength(90);
    expectConsistent(place);
    const seqs = headsIn(rowsOf(place.log)).map(({ head }) => toHead(head)?.seq ?? 0);
    expect(seqs.length).toBeGreaterThan(3);
    expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
    await writeCalls(place, 500, 1);
  });
});

it('a log is opened without heads as before', async () => {
  using place = createHeadPlace();
  await using logs = openSqliteAgentLogs({ file: place.log });
  await logs.append(recordOf());
  expect(place.remembered()).toEqual({});
  await expect(logs.append(recordOf())).rejects.toBeInstanceOf(AgentLogError);
});
