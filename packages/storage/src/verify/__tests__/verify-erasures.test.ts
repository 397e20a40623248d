import { describe, expect, it } from '@jest/globals';
import type Database from 'better-sqlite3';
import { createTempFolder } from '../../__tests__/fixtures.ts';
import { toLine } from '../../export/line.ts';
import { day, LogBuilder, tamper } from './log-builder.ts';
import { judgement, verified } from './verified.ts';

/** Records 2 to 11 of day 1, 12 to 21 of day 50, then what `then` adds. */
function build(then: (log: LogBuilder) => void): LogBuilder {
  const log = new LogBuilder().calls(5, day(1)).calls(5, day(50));
  then(log);
  return log;
}

const erased = () => build((log) => log.erase(day(100), { before: day(10), days: 90 }).calls(2, day(100)));

/** The verdicts on the database and on its export. */
async function judge(log: LogBuilder, change: (database: Database.Database) => void = () => undefined): Promise<readonly string[]> {
  using folder = createTempFolder();
  log.toSqlite(folder.log);
  tamper(folder.log, change);
  const file = log.toExport(`${folder.path}/log.jsonl`);
  return [judgement(await verified(folder.log)), judgement(await verified(file))];
}

describe('an erasure', () => {
  it('that is recorded leaves the log intact', async () => {
    using folder = createTempFolder();
    expect(await verified(erased().toSqlite(folder.log))).toMatchObject({ verdict: 'intact', erased: 10 });
  });

  it.each<[string, LogBuilder]>([
    ['two, one after the other', build((log) => log.erase(day(100), { before: day(10), days: 90 }).erase(day(150), { before: day(60), days: 90 }))],
    ['one of each half', build((log) => log.erase(day(100), { before: day(10), days: 90, upTo: 5 }).erase(day(100), { before: day(10), days: 90, from: 6 }))],
    ['two, of which the second reaches further back', build((log) => log.erase(day(100), { before: day(10), days: 90, from: 6, upTo: 11 }).erase(day(101), { before: day(10), days: 90 }))],
    ['of nothing', build((log) => log.erase(day(80), { before: day(-10), days: 90 }))],
    ['of all, at once', build((log) => log.erase(day(51), { before: day(51), days: 0 }))],
  ])('%s: intact too', async (_name, log) => {
    expect(await judge(log)).toEqual(['intact', 'intact']);
  });

  it.each<[string, LogBuilder, string]>([
    ['too young by a second', build((log) => log.erase(day(100), { before: day(10, 1), days: 90 })), 'tampered, fact at 22'],
    ['before a time that is none', build((log) => log.fact('audit.erased', day(100), { from: 1, upTo: 5, before: '2026', days: 90, count: 0 })), 'tampered, fact at 22'],
    ['by a clock that is none', build((log) => log.fact('audit.erased', 'now', { from: 1, upTo: 5, before: day(1), days: 90, count: 0 })), 'tampered, fact at 22'],
    ['of a negative age', build((log) => log.fact('audit.erased', day(100), { from: 1, upTo: 5, before: day(110), days: -90, count: 0 })), 'tampered, fact at 22'],
    ['of what is to come', build((log) => log.fact('audit.erased', day(100), { from: 1, upTo: 22, before: day(1), days: 90, count: 0 })), 'tampered, fact at 22'],
    ['that counts more than it erased', build((log) => log.fact('audit.erased', day(100), { from: 1, upTo: 5, before: day(0), days: 90, count: 1 })), 'tampered, fact at 22'],
    ['that counts what another erased', build((log) => log.erase(day(100), { before: day(10), days: 90 }).fact('audit.erased', day(101), { from: 1, upTo: 5, before: day(10), days: 90, count: 5 })), 'tampered, fact at 23'],
  ])('%s', async (_name, log, expected) => {
    expect(await judge(log)).toEqual([expected, expected]);
  });
});

describe('a payload', () => {
  it('that is put back is found', async () => {
    const [before, after] = [build(() => undefined), erased()];
    const kept = before.records[6];
    const put = (database: Database.Database) => void database.prepare('UPDATE records SET payload = ?, salt = ? WHERE seq = 7').run(kept?.payload, kept?.salt);
    const [verdict] = await judge(after, put);
    expect(verdict).toBe('tampered, payload at 7');
  });

  it('that another log brings back is found in an export too', async () => {
    using folder = createTempFolder();
    const log = build(() => undefined);
    const kept = log.lines()[6] ?? '';
    log.erase(day(100), { before: day(10), days: 90 });
    const file = log.toExport(`${folder.path}/log.jsonl`, log.lines().with(6, kept));
    expect(judgement(await verified(file))).toBe('tampered, payload at 7');
  });

  it('that is gone as recorded, and its salt not, is found', async () => {
    const [verdict] = await judge(erased(), (database) => database.exec('UPDATE records SET salt = zeroblob(16) WHERE seq = 7'));
    expect(verdict).toBe('tampered, payload at 7');
  });

  it.each<[string, string, string]>([
    ['was too young for what is recorded', 'seq = 15', 'tampered, payload at 15'],
    ['is of no erasure, after it', 'seq = 24', 'tampered, payload at 24'],
  ])('that is gone and %s is found', async (_name, where, expected) => {
    const [verdict] = await judge(erased(), (database) => database.exec(`UPDATE records SET payload = NULL, salt = NULL WHERE ${where}`));
    expect(verdict).toBe(expected);
  });

  it('that is gone from an export is missing, since a later part could say why', async () => {
    using folder = createTempFolder();
    const log = erased();
    const lines = log.records.map((record) => toLine(record.seq === 15 ? { ...record, salt: null, payload: null } : record));
    expect(judgement(await verified(log.toExport(`${folder.path}/log.jsonl`, lines)))).toBe('incomplete, payload at 15');
  });
});

describe('an erasure that was taken out of the index of facts', () => {
  it('is found', async () => {
    const log = erased();
    const [verdict] = await judge(log, (database) => {
      // Taken for a record without one, so that the index that SQLite writes does not have it.
      const sql = database.prepare<[], string>("SELECT sql FROM sqlite_schema WHERE name = 'records_facts'").pluck().get() ?? '';
      database.unsafeMode();
      database.pragma('writable_schema = ON');
      const change = database.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = 'records_facts'");
      change.run(sql.replace('call_id IS NULL', "call_id IS NULL AND kind <> 'audit.erased'"));
      database.pragma('schema_version = 900');
      database.exec('REINDEX records_facts');
      change.run(sql);
      database.pragma('schema_version = 901');
    });
    expect(verdict).toMatch(/^tampered, (?:payload at 2|database at 22)$/);
  });
});
