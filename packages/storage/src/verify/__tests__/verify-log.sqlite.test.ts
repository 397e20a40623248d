import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type Database from 'better-sqlite3';
import { openSqliteAgentLogs } from '../../index.ts';
import { leafOf } from '../../chain/record.ts';
import { callId, createTempFolder, intentOf, recordOf } from '../../__tests__/fixtures.ts';
import { day, LogBuilder, STORE, tamper } from './log-builder.ts';
import { openSqliteSource } from '../sqlite-source.ts';
import { verifyLog } from '../verify-log.ts';
import { judgement, verified } from './verified.ts';

type Change = (database: Database.Database, log: LogBuilder) => void;

const sql = (statement: string) => (database: Database.Database) => void database.exec(statement);

/** Replaces a header, and its leaf with it: what somebody does who knows how a leaf is made. */
function rewrite(seq: number, from: string | RegExp, to: string): Change {
  return (database, log) => {
    const header = log.records[seq - 1]?.header.replace(from, to) ?? '';
    database.prepare('UPDATE records SET header = ?, leaf = ? WHERE seq = ?').run(header, Buffer.from(leafOf(header), 'hex'), seq);
  };
}

/** Ten calls, one of them open: records 1 to 20. */
function build(): LogBuilder {
  const log = new LogBuilder().calls(9, day(1));
  log.start(day(1));
  return log;
}

async function judgeAfter(change: Change, log = build()): Promise<string> {
  using folder = createTempFolder();
  log.toSqlite(folder.log);
  tamper(folder.log, (database) => change(database, log));
  return judgement(await verified(folder.log));
}

describe('an intact log', () => {
  it('is said to be, with its ends, and not anchored', async () => {
    using folder = createTempFolder();
    const log = build();
    const { header } = log.last;
    const last = { seq: 20, leaf: log.leafAt(20), timestamp: (JSON.parse(header) as { timestamp: string }).timestamp };
    expect(await verified(log.toSqlite(folder.log))).toEqual({
      verdict: 'intact',
      records: 20,
      first: { seq: 1, leaf: log.leafAt(1), timestamp: day(0) },
      last,
      problem: undefined,
      problems: 0,
      heads: { given: 0, checked: 0 },
      anchor: 'none',
      unanchored: 20,
      store: STORE,
      erased: 0,
      ownHeads: 0,
      keyHead: null,
      adopted: [],
    });
  });

  it('is what devs writes, while it writes it', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log, durability: 'process' });
    await logs.begin(intentOf());
    await logs.append(recordOf());
    await logs.append(recordOf({ id: callId(2), status: 'denied' }));
    await logs.begin(intentOf({ id: callId(3) }));
    expect(judgement(await verified(folder.log))).toBe('intact');
  });

  it('is read as it was at one moment, whatever is written meanwhile', async () => {
    using folder = createTempFolder();
    await using source = openSqliteSource({ file: build().toSqlite(folder.log) });
    tamper(folder.log, sql('DELETE FROM records'));
    expect(await verifyLog(source)).toMatchObject({ verdict: 'intact', records: 20 });
  });
});

describe('a change of one column', () => {
  it.each<[string, Change, string]>([
    ['the header', sql("UPDATE records SET header = replace(header, 'read_file', 'read_life') WHERE seq = 7"), 'tampered, chain at 7'],
    ['the header of the last record', sql("UPDATE records SET header = replace(header, 'read_file', 'read_life') WHERE seq = 20"), 'tampered, chain at 20'],
    ['a letter outside ASCII in the header', sql("UPDATE records SET header = replace(header, 'agent-1', 'agent-ı') WHERE seq = 7"), 'tampered, chain at 7'],
    ['a NUL at the end of the header', sql('UPDATE records SET header = header || char(0) WHERE seq = 7'), 'tampered, chain at 7'],
    ['the header and its leaf', rewrite(7, 'read_file', 'read_life'), 'tampered, chain at 7'],
    ['the link in the header and its leaf', rewrite(7, '"prev":"', '"prev":"0'), 'tampered, chain at 7'],
    ['the leaf', sql("UPDATE records SET leaf = zeroblob(32) WHERE seq = 7"), 'tampered, chain at 7'],
    ['the leaf of the last record', sql("UPDATE records SET leaf = zeroblob(32) WHERE seq = 20"), 'tampered, chain at 20'],
    ['the payload', sql(`UPDATE records SET payload = '{"input":{"number":9}}' WHERE seq = 4`), 'tampered, payload at 4'],
    ['the payload, by a space', sql(`UPDATE records SET payload = payload || ' ' WHERE seq = 20`), 'tampered, payload at 20'],
    ['the salt', sql('UPDATE records SET salt = zeroblob(16) WHERE seq = 4'), 'tampered, payload at 4'],
    ['the payload, moved into the salt', sql("UPDATE records SET salt = CAST(salt || CAST(payload AS BLOB) AS BLOB), payload = '' WHERE seq = 4"), 'tampered, form at 4'],
    ['the first byte of the payload, moved into the salt', sql("UPDATE records SET salt = CAST(salt || CAST(substr(payload, 1, 1) AS BLOB) AS BLOB), payload = substr(payload, 2) WHERE seq = 4"), 'tampered, form at 4'],
    ['the end of the salt, moved into the payload', sql("UPDATE records SET salt = substr(salt, 1, 15), payload = 'x' || payload WHERE seq = 4"), 'tampered, form at 4'],
    ['the salt is emptied', sql("UPDATE records SET salt = x'' WHERE seq = 4"), 'tampered, form at 4'],
    ['the leaf is cut', sql('UPDATE records SET leaf = substr(leaf, 1, 31) WHERE seq = 4'), 'tampered, form at 4'],
    ['a leaf of 300 megabytes', sql('UPDATE records SET leaf = zeroblob(300000000) WHERE seq = 4'), 'tampered, form at 4'],
    ['a salt of 300 megabytes', sql('UPDATE records SET salt = zeroblob(300000000) WHERE seq = 4'), 'tampered, form at 4'],
    ['the payload is taken away', sql('UPDATE records SET payload = NULL, salt = NULL WHERE seq = 4'), 'tampered, payload at 4'],
    ['the payload alone is taken away', sql('UPDATE records SET payload = NULL WHERE seq = 4'), 'tampered, payload at 4'],
    ['a payload is given to a record without one', sql("UPDATE records SET payload = '{}', salt = zeroblob(16) WHERE seq = 1"), 'tampered, payload at 1'],
    ['a payload that is no text', sql("UPDATE records SET payload = CAST(x'7bff7d' AS TEXT) WHERE seq = 4"), 'tampered, form at 4'],
    ['a header that is no text', (database, log) => {
      const header = Buffer.from(log.records[3]?.header ?? '');
      header[header.indexOf('read_file')] = 0xff;
      const leaf = createHash('sha256').update(Buffer.concat([Buffer.of(0), header])).digest();
      database.prepare('UPDATE records SET header = CAST(? AS TEXT), leaf = ? WHERE seq = 4').run(header, leaf);
    }, 'tampered, form at 4'],
    ['a header that is no object', rewrite(4, /^.*$/, '[]'), 'tampered, form at 4'],
    ['a header with a member twice', rewrite(4, '{"v":1,', '{"v":1,"v":1,'), 'tampered, form at 4'],
    ['a header with a hidden member', rewrite(4, '"toolName":', '"toolName":"x","toolName":'), 'tampered, form at 4'],
    ['a header with a letter spelled otherwise', rewrite(4, 'read_file', '\\u0072ead_file'), 'tampered, form at 4'],
    ['a header with a space', rewrite(4, '{"v":1,', '{ "v":1,'), 'tampered, form at 4'],
    ['a header with a number spelled otherwise', rewrite(5, '"durationMs":1.5', '"durationMs":1.50'), 'tampered, form at 5'],
    ['a header in another order', rewrite(4, /("kind":"[^"]*"),("timestamp":"[^"]*")/, '$2,$1'), 'tampered, form at 4'],
    ['a header of another record', rewrite(4, '"seq":4', '"seq":5'), 'tampered, form at 4'],
    ['an outcome without a status', rewrite(5, '"status":"ok",', ''), 'tampered, form at 5'],
    ['a start of another call', rewrite(5, '"started":4', '"started":2'), 'tampered, calls at 5'],
    ['a payload of ten megabytes', sql("UPDATE records SET payload = printf('%.*c', 10000000, 'x') WHERE seq = 4"), 'tampered, limit at 4'],
    ['a newer version', rewrite(4, '"v":1', '"v":2'), 'unknown, newer at 4'],
  ])('%s', async (_name, change, expected) => {
    expect(await judgeAfter(change)).toBe(expected);
  });

  it('the link of the first record', async () => {
    expect(await judgeAfter(rewrite(1, '"prev":"0', '"prev":"1'), new LogBuilder())).toBe('tampered, chain at 1');
  });

  it('is told in words', async () => {
    using folder = createTempFolder();
    tamper(build().toSqlite(folder.log), sql("UPDATE records SET header = replace(header, 'read_file', 'read_life') WHERE seq = 17"));
    const { problem, records, last } = await verified(folder.log);
    expect(problem?.what).toBe('record 17 was changed: its hash is not the one that record 18 names');
    expect([records, last?.seq]).toEqual([16, 16]);
  });
});

describe('a change of rows', () => {
  const renumber = sql('UPDATE records SET seq = -seq WHERE seq > 7; UPDATE records SET seq = -seq - 1 WHERE seq < 0');
  it.each<[string, Change, string]>([
    ['one is deleted', sql('DELETE FROM records WHERE seq = 7'), 'tampered, gap at 7'],
    ['one is deleted and those after it move up', (database) => [sql('DELETE FROM records WHERE seq = 7'), renumber].forEach((step) => step(database)), 'tampered, form at 7'],
    ['the first is deleted', sql('DELETE FROM records WHERE seq = 1'), 'tampered, start at 1'],
    ['the first ten are deleted', sql('DELETE FROM records WHERE seq <= 10'), 'tampered, start at 1'],
    ['two change places', sql('UPDATE records SET seq = 99 WHERE seq = 7; UPDATE records SET seq = 7 WHERE seq = 11; UPDATE records SET seq = 11 WHERE seq = 99'), 'tampered, form at 7'],
    ['one is repeated at the end', sql("INSERT INTO records SELECT 21, leaf, header, salt, payload FROM records WHERE seq = 1"), 'tampered, form at 21'],
    ['one is put in between', sql("UPDATE records SET seq = -seq WHERE seq > 7; UPDATE records SET seq = -seq + 1 WHERE seq < 0; INSERT INTO records SELECT 8, leaf, header, salt, payload FROM records WHERE seq = 1"), 'tampered, form at 8'],
    ['a foreign one at the end', sql("INSERT INTO records VALUES (21, zeroblob(32), '{}', NULL, NULL)"), 'tampered, chain at 21'],
    ['one from another log at the end', (database) => {
      const other = new LogBuilder('0a'.repeat(16));
      for (let count = 1; count <= 20; count += 1) other.fact('audit.closed', day(1), { session: STORE });
      const { leaf, header } = other.last;
      database.prepare('INSERT INTO records (seq, leaf, header) VALUES (21, ?, ?)').run(leaf, header);
    }, 'tampered, chain at 20'],
    ['all are deleted', sql('DELETE FROM records'), 'tampered, calls at 20'],
    ['a call is taken from the open ones', sql('DELETE FROM open_calls'), 'tampered, calls at 20'],
    ['a call is said to be open', sql("INSERT INTO open_calls VALUES ('x', 4, 'y')"), 'tampered, calls at 4'],
    ['an open call is said to be of another session', sql(`UPDATE open_calls SET session = '${'0'.repeat(32)}'`), 'tampered, calls at 20'],
    ['an open call is said to be another', sql('UPDATE open_calls SET seq = 4'), 'tampered, calls at 4'],
  ])('%s', async (_name, change, expected) => {
    expect(await judgeAfter(change)).toBe(expected);
  });

  it('is not found where the end is cut off whole: that takes an anchor', async () => {
    expect(await judgeAfter(sql('DELETE FROM records WHERE seq > 15; DELETE FROM open_calls'))).toBe('intact');
    expect(await judgeAfter(sql('DELETE FROM records; DELETE FROM open_calls'))).toBe('intact');
  });
});

describe('a log that says what is not so', () => {
  it.each<[string, (log: LogBuilder) => void, string]>([
    ['a fact of another log', (log) => log.add({ header: { kind: 'audit.closed', timestamp: day(2), store: '00'.repeat(16) }, payload: null }), 'tampered, fact at 21'],
    ['a fact without a log', (log) => log.fact('audit.closed', day(2), { store: 'x' }), 'tampered, form at 21'],
    ['a fact with a call', (log) => log.fact('audit.closed', day(2), { callId: callId(1) }), 'tampered, form at 21'],
    ['a kind that nobody knows', (log) => log.fact('audit.dreamt', day(2)), 'unknown, newer at 21'],
    ['a pruning of what is there', (log) => log.prune(day(2), 10), 'tampered, fact at 21'],
    ['a head that is none', (log) => log.fact('audit.head', day(2), { head: '{}', signature: '' }), 'tampered, fact at 21'],
    ['a pruning with a head that is none', (log) => log.prune(day(2), 10, { head: {} }), 'tampered, fact at 21'],
    ['an adoption of what was not', (log) => log.fact('audit.adopted', day(2), { from: null, at: { seq: 19, leaf: log.leafAt(19) } }), 'tampered, fact at 21'],
  ])('%s', async (_name, change, expected) => {
    using folder = createTempFolder();
    const log = build();
    change(log);
    expect(judgement(await verified(log.toSqlite(folder.log)))).toBe(expected);
  });

  it('an adoption of what was is none', async () => {
    using folder = createTempFolder();
    const log = build();
    log.fact('audit.adopted', day(2), { from: null, at: { seq: 20, leaf: log.leafAt(20) } });
    expect(judgement(await verified(log.toSqlite(folder.log)))).toBe('intact');
  });
});
