import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { DevsError } from '@devs/core';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { createTempFolder } from '../../__tests__/fixtures.ts';
import { exportRecords } from '../export-records.ts';
import { readHeads } from '../../heads/read-heads.ts';
import { createScene, textOf } from '../../search/__tests__/scene.ts';
import { openLogFile } from '../open-log-file.ts';
import { verifyLog } from '../verify-log.ts';
import { day, LogBuilder } from './log-builder.ts';
import { judgement, verified } from './verified.ts';

const PAGE_BYTES = 4_096;

/** More than fits a page, in the table and in its indexes. */
const log = new LogBuilder().calls(60, day(1));

/** What a reader gets of a file, and what `verify` says of it. */
async function look(file: string): Promise<{ readonly verdict: string; readonly text: string }> {
  try {
    await using source = await openLogFile(file);
    const { verdict } = await verifyLog(source);
    const parts: string[] = [];
    if (verdict === 'intact') await exportRecords(source, async (lines) => void parts.push(lines));
    return { verdict, text: parts.join('') };
  } catch (cause) {
    if (!DevsError.is(cause)) throw cause;
    return { verdict: cause.code, text: '' };
  }
}

function flip(file: string, offset: number, difference: number): void {
  const handle = fs.openSync(file, 'r+');
  const byte = Buffer.alloc(1);
  fs.readSync(handle, byte, 0, 1, offset);
  fs.writeSync(handle, Buffer.of((byte[0] ?? 0) ^ difference), 0, 1, offset);
  fs.closeSync(handle);
}

describe('any one byte of the database', () => {
  it('that is changed is found, or changes nothing that a reader gets', async () => {
    using folder = createTempFolder();
    const original = log.toSqlite(`${folder.path}/original.db`);
    const whole = log.lines().map((line) => `${line}\n`).join('');
    const { size } = fs.statSync(original);
    const counts = { found: 0, harmless: 0 };
    await fc.assert(
      fc.asyncProperty(fc.nat(size - 1), fc.integer({ min: 1, max: 255 }), async (offset, difference) => {
        for (const suffix of ['', '-wal', '-shm']) fs.rmSync(folder.log + suffix, { force: true });
        fs.copyFileSync(original, folder.log);
        flip(folder.log, offset, difference);
        const { verdict, text } = await look(folder.log);
        if (verdict === 'intact') expect(text).toBe(whole);
        counts[verdict === 'intact' ? 'harmless' : 'found'] += 1;
      }),
      { numRuns: 400 },
    );
    // Free space within pages is what may change.
    expect(counts.found).toBeGreaterThan(counts.harmless);
  });

  it('that is in the journal takes the end away, which an anchor finds', async () => {
    using folder = createTempFolder();
    const grown = new LogBuilder().calls(5, day(1));
    const writer = new Database(grown.toSqlite(folder.log));
    writer.pragma('wal_autocheckpoint = 0');
    const { seq, leaf, header } = grown.fact('audit.closed', day(2));
    writer.prepare('INSERT INTO records (seq, leaf, header) VALUES (?, ?, ?)').run(seq, leaf, header);
    const copy = `${folder.path}/copy.db`;
    for (const suffix of ['', '-wal']) fs.copyFileSync(folder.log + suffix, copy + suffix);
    writer.close();
    const { found: heads } = readHeads(JSON.stringify({ seq, leaf: Buffer.from(leaf).toString('hex') }));
    expect(await verified(copy, { heads })).toMatchObject({ verdict: 'intact', records: 12 });
    fs.rmSync(`${copy}-shm`, { force: true });
    flip(`${copy}-wal`, 100, 1);
    expect(await verified(copy)).toMatchObject({ verdict: 'intact', records: 11, anchor: 'none' });
    expect(judgement(await verified(copy, { heads }))).toBe('tampered, cut at 12');
  });
});

describe('an index that does not say what the headers say', () => {
  it.each([
    ['records_tool', 'read_file', 'hides a call from a search by tool'],
    ['records_phase', 'phase-2', 'hides a call from a search by phase'],
    ['records_start', '00000007-', 'hides a start'],
    ['records_facts', 'audit.opened', 'hides a fact'],
  ])('%s, one letter of %s: it %s', async (index, word) => {
    using folder = createTempFolder();
    log.toSqlite(folder.log);
    const database = new Database(folder.log, { readonly: true });
    const root = database.prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(index) ?? 0;
    database.close();
    const page = fs.readFileSync(folder.log).subarray((root - 1) * PAGE_BYTES, root * PAGE_BYTES);
    const at = page.indexOf(word);
    expect(at).toBeGreaterThan(0);
    flip(folder.log, (root - 1) * PAGE_BYTES + at + 2, 1);
    const { verdict, problem } = await verified(folder.log);
    expect([verdict, problem?.code]).toEqual(['tampered', 'database']);
    expect(problem?.what).toContain(index);
  });
});

describe('a search index that hides a call', () => {
  it('is found, and names its record', async () => {
    using scene = createScene();
    await scene.write(textOf('alpha beta'), textOf('gamma'));
    const { hits } = await scene.search('alpha');
    const seq = hits[0]?.entry.receipt.seq ?? 0;
    expect(judgement(await verified(scene.log))).toBe('intact');
    scene.tamper(`INSERT INTO words (words, rowid, text) VALUES ('delete', ${seq}, 'alpha')`);
    expect(judgement(await verified(scene.log))).toBe(`tampered, search at ${seq}`);
  });
});

describe('a database', () => {
  it.each<[string, (database: Database.Database) => void, string]>([
    ['that a newer devs wrote', (database) => database.pragma('user_version = 99'), 'unknown, newer at no record'],
    ['of another program', (database) => database.pragma('application_id = 7'), 'unknown, newer at no record'],
    ['with a trigger less', (database) => database.exec('DROP TRIGGER records_erase_only'), 'tampered, database at no record'],
    ['with an index less', (database) => database.exec('DROP INDEX records_tool'), 'tampered, database at no record'],
    ['with a table more', (database) => database.exec('CREATE TABLE extra (x)'), 'tampered, database at no record'],
    ['with a trigger that lies', (database) => database.exec('CREATE TRIGGER quiet BEFORE INSERT ON records BEGIN SELECT RAISE(IGNORE); END'), 'tampered, database at no record'],
    ['with another table of records', (database) => database.exec('DROP VIEW agent_logs; DROP TABLE records; CREATE VIEW records AS SELECT 1 AS seq'), 'tampered, database at no record'],
    ['with a trigger less and a record less', (database) => database.exec('DROP TRIGGER records_no_delete; DELETE FROM records WHERE seq = 9'), 'tampered, gap at 9'],
  ])('%s', async (_name, change, expected) => {
    using folder = createTempFolder();
    const database = new Database(log.toSqlite(folder.log));
    change(database);
    database.close();
    expect(judgement(await verified(folder.log))).toBe(expected);
  });

  it.each([
    ['that is none', (bytes: Buffer) => bytes.fill('no database ', 0, 100), 'tampered, damaged at no record'],
    ['that ends early', (bytes: Buffer) => bytes.subarray(0, 5 * PAGE_BYTES), 'tampered, damaged at'],
    ['without its first page', (bytes: Buffer) => bytes.fill(0, 100, PAGE_BYTES), 'tampered, damaged at'],
  ])('%s is damaged', async (_name, change, expected) => {
    using folder = createTempFolder();
    log.toSqlite(folder.log);
    fs.writeFileSync(folder.log, change(fs.readFileSync(folder.log)));
    expect(judgement(await verified(folder.log))).toContain(expected);
  });

  it('that is not there is not tampered with', async () => {
    using folder = createTempFolder();
    await expect(verified(folder.log)).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
    fs.writeFileSync(folder.log, '');
    await expect(verified(folder.log)).rejects.toMatchObject({ code: 'LOG_NOT_FOUND' });
  });

  it('that is a pipe is not waited for', async () => {
    using folder = createTempFolder();
    execFileSync('mkfifo', [folder.log]);
    await expect(verified(folder.log)).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
  });

  it('can be read where nothing can be written', async () => {
    using folder = createTempFolder();
    log.toSqlite(folder.log);
    fs.chmodSync(folder.path, 0o500);
    expect(judgement(await verified(folder.log))).toBe('intact');
  });
});
