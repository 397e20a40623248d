import { hash } from 'node:crypto';
import fs from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createTempFolder } from '../../__tests__/fixtures.ts';
import { exportRecords } from '../export-records.ts';
import { toLine } from '../../export/line.ts';
import { readHeads } from '../../heads/read-heads.ts';
import { openLogFiles, openLogWithArchives } from '../../archive/open-files.ts';
import { openLogFile } from '../open-log-file.ts';
import type { RecordSource } from '../record-source.ts';
import type { VerifyReport } from '../report.ts';
import { joinSources } from '../series-source.ts';
import { openSqliteSource } from '../sqlite-source.ts';
import { verifyLog } from '../verify-log.ts';
import { day, LogBuilder, tamper } from './log-builder.ts';
import { judgement, verified } from './verified.ts';

/** Records 1 to 22, the last one a call that is open. */
function build(): LogBuilder {
  const log = new LogBuilder().calls(10, day(1));
  log.start(day(1));
  return log;
}

async function exported(file: string, range = {}): Promise<string> {
  await using source = openSqliteSource({ file });
  const parts: string[] = [];
  await exportRecords(source, async (lines) => void parts.push(lines), range);
  return parts.join('');
}

describe('an export', () => {
  it('is byte for byte what is stored', async () => {
    using folder = createTempFolder();
    const log = build();
    const text = await exported(log.toSqlite(folder.log));
    expect(text).toBe(log.lines().map((line) => `${line}\n`).join(''));
    expect(await exported(folder.log, { from: 3, upTo: 4 })).toBe(log.lines().slice(2, 4).map((line) => `${line}\n`).join(''));
  });

  it.each(['log.jsonl', 'log.jsonl.gz'])('%s is verified as the log is', async (name) => {
    using folder = createTempFolder();
    const log = build();
    const [own, its] = [await verified(log.toSqlite(folder.log)), await verified(log.toExport(`${folder.path}/${name}`))];
    expect(its).toEqual(own);
    expect(its.verdict).toBe('intact');
  });

  it('of a part is incomplete, and right as far as it goes', async () => {
    using folder = createTempFolder();
    const log = build();
    const report = await verified(log.toExport(`${folder.path}/part.jsonl`, log.lines().slice(10)));
    expect(judgement(report)).toBe('incomplete, start at 1');
    expect(report.records).toBe(12);
  });
});

type Edit = (lines: readonly string[], log: LogBuilder) => readonly string[];

/** Bytes of the payload become bytes of the salt: together they have the same hash. */
function movePayload(log: LogBuilder, index: number, bytes: number): readonly string[] {
  const records = log.records.map((record, at) => {
    if (at !== index || record.payload === null || record.salt === null) return record;
    const payload = Buffer.from(record.payload);
    return { ...record, salt: Buffer.concat([record.salt, payload.subarray(0, bytes)]), payload: payload.subarray(bytes).toString() };
  });
  return records.map(toLine);
}

describe('an export that was changed', () => {
  it.each<[string, Edit, string]>([
    ['two lines change places', (lines) => lines.with(6, lines[7] ?? '').with(7, lines[6] ?? ''), 'tampered, gap at 7'],
    ['a line is missing', (lines) => lines.toSpliced(6, 1), 'tampered, gap at 7'],
    ['a line is there twice', (lines) => lines.toSpliced(7, 0, lines[6] ?? ''), 'tampered, gap at 7'],
    ['lines end as on Windows', (lines) => lines.map((line) => `${line}\r`), 'tampered, form at 1'],
    ['one line ends as on Windows', (lines) => lines.with(6, `${lines[6]}\r`), 'tampered, form at 7'],
    ['it begins with a byte order mark', (lines) => lines.with(0, `\uFEFF${lines[0]}`), 'tampered, form at 1'],
    ['an empty line', (lines) => lines.toSpliced(6, 0, ''), 'tampered, form at 7'],
    ['an empty line at the end', (lines) => [...lines, ''], 'tampered, form at 23'],
    ['a member more', (lines) => lines.with(6, (lines[6] ?? '').replace(/\}$/, ',"note":1}')), 'tampered, form at 7'],
    ['a member twice', (lines) => lines.with(6, (lines[6] ?? '').replace('{"seq":7', '{"seq":1,"seq":7')), 'tampered, form at 7'],
    ['a member less', (lines) => lines.with(6, (lines[6] ?? '').replace(/,"payload":.*/, '}')), 'tampered, form at 7'],
    ['a leaf in capitals', (lines) => lines.with(6, (lines[6] ?? '').replace(/"leaf":"[^"]*"/, (leaf) => leaf.toUpperCase().replace('LEAF', 'leaf'))), 'tampered, form at 7'],
    ['a letter as an escape', (lines) => lines.with(6, (lines[6] ?? '').replace('read_file', '\\u0072ead_file')), 'tampered, form at 7'],
    ['half a surrogate pair', (lines) => lines.with(6, (lines[6] ?? '').replace('answer', '\\ud800')), 'tampered, form at 7'],
    ['a bad number', (lines) => lines.with(6, (lines[6] ?? '').replace('"seq":7', '"seq":7e0')), 'tampered, form at 7'],
    ['a huge number', (lines) => lines.with(6, (lines[6] ?? '').replace('"seq":7', '"seq":99999999999999999999')), 'tampered, form at 7'],
    ['wrong types', (lines) => lines.with(6, '{"seq":[],"leaf":{},"header":1,"salt":true,"payload":[]}'), 'tampered, form at 7'],
    ['deep JSON', (lines) => lines.with(6, '['.repeat(200_000)), 'tampered, form at 7'],
    ['a deep header', (lines) => lines.with(6, (lines[6] ?? '').replace(/"header":"/, `"header":"${'['.repeat(200_000)}`)), 'tampered, chain at 7'],
    ['a salt that is short', (lines) => lines.with(6, (lines[6] ?? '').replace(/"salt":"../, '"salt":"')), 'tampered, form at 7'],
    ['a payload moved into the salt', (_lines, log) => movePayload(log, 6, Infinity), 'tampered, form at 7'],
    ['the first byte of a payload moved into the salt', (_lines, log) => movePayload(log, 6, 1), 'tampered, form at 7'],
    ['a leaf that is short', (lines) => lines.with(6, (lines[6] ?? '').replace(/"leaf":"../, '"leaf":"')), 'tampered, form at 7'],
    ['two logs, one after the other', (lines) => [...lines, ...new LogBuilder('0a'.repeat(16)).calls(20).lines().slice(22)], 'tampered, chain at 22'],
    ['it begins anew', (lines) => [...lines, ...lines], 'tampered, gap at 1'],
    ['a second outcome', (lines, log) => {
      log.repeat(3);
      return [...lines, ...log.lines().slice(-1)];
    }, 'tampered, calls at 23'],
    ['a second outcome that never began', (lines, log) => {
      log.repeat(3, { started: null });
      return [...lines, ...log.lines().slice(-1)];
    }, 'tampered, calls at 23'],
    ['a start of a call that has ended', (lines, log) => {
      log.repeat(2);
      return [...lines, ...log.lines().slice(-1)];
    }, 'tampered, calls at 23'],
    ['a second start', (lines, log) => {
      log.repeat(22);
      return [...lines, ...log.lines().slice(-1)];
    }, 'tampered, calls at 23'],
  ])('%s', async (_name, edit, expected) => {
    using folder = createTempFolder();
    const log = build();
    const report = await verified(log.toExport(`${folder.path}/log.jsonl`, edit(log.lines(), log)));
    expect(judgement(report)).toBe(expected);
  });

  it.each([1, 60, 200])('and ends in the middle of a line, %i bytes early, is incomplete', async (bytes) => {
    using folder = createTempFolder();
    const file = build().toExport(`${folder.path}/log.jsonl`);
    fs.truncateSync(file, fs.statSync(file).size - bytes);
    expect(judgement(await verified(file))).toBe('incomplete, cut at 22');
  });

  it('is not UTF-8', async () => {
    using folder = createTempFolder();
    const file = build().toExport(`${folder.path}/log.jsonl`);
    const bytes = fs.readFileSync(file);
    bytes[bytes.indexOf('answer 3')] = 0xff;
    fs.writeFileSync(file, bytes);
    expect(judgement(await verified(file))).toBe('tampered, form at 7');
  });
});

describe('a compressed export', () => {
  it.each<[string, (bytes: Buffer) => Buffer, RegExp]>([
    ['that ends early is incomplete', (bytes) => bytes.subarray(0, -12), /^incomplete, cut at \d+$/],
    ['with a changed byte is found', (bytes) => bytes.fill(bytes[200] === 0 ? 1 : 0, 200, 201), /^tampered, /],
    ['with a changed checksum is found', (bytes) => bytes.fill(0, bytes.length - 8, bytes.length - 4), /^tampered, damaged at \d+$/],
    ['of lines that were changed is found', (bytes) => gzipSync(gunzipSync(bytes).toString().replace('answer 3', 'answer 4')), /^tampered, payload at 7$/],
    ['of line feeds is refused at the first, whatever follows', () => gzipSync(Buffer.alloc(200_000_000, '\n')), /^tampered, /],
    ['of one endless line is refused', () => gzipSync(`{${'x'.repeat(40_000_000)}`), /^tampered, limit at 1$/],
  ])('%s', async (_name, change, expected) => {
    using folder = createTempFolder();
    const file = build().toExport(`${folder.path}/log.jsonl.gz`);
    fs.writeFileSync(file, change(fs.readFileSync(file)));
    expect(judgement(await verified(file))).toMatch(expected);
  });
});

describe('any one byte of an export', () => {
  const log = build();
  const bytes = Buffer.from(log.lines().map((line) => `${line}\n`).join(''));
  const heads = readHeads(JSON.stringify({ seq: 22, leaf: log.leafAt(22) })).found;

  it('that is changed is found', async () => {
    using folder = createTempFolder();
    const file = `${folder.path}/log.jsonl`;
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (offset, difference) => {
        const changed = Buffer.from(bytes);
        changed[offset] = (changed[offset] ?? 0) ^ difference;
        fs.writeFileSync(file, changed);
        expect((await verified(file, { heads })).verdict).not.toBe('intact');
      }),
      { numRuns: 400 },
    );
  });
});

describe('archives and the log that goes on', () => {
  interface Parts {
    readonly folder: string;
    readonly log: string;
    readonly archive: string;
  }

  /** Records 1 to 11 in an archive, 12 to 27 in the log, which says why payloads of the archive are gone. */
  async function judge(change: (parts: Parts) => void = () => undefined, open = openBoth): Promise<VerifyReport> {
    using folder = createTempFolder();
    const built = new LogBuilder().calls(5, day(1)).calls(5, day(50)).erase(day(100), { before: day(10), days: 90, upTo: 5 });
    fs.mkdirSync(`${folder.path}/archives`);
    const archive = built.toExport(`${folder.path}/archives/a.jsonl.gz`, built.lines().slice(0, 11));
    const sha256 = hash('sha256', fs.readFileSync(archive), 'hex');
    built.prune(day(101), 11, { archive: { file: 'a.jsonl.gz', sha256, bytes: fs.statSync(archive).size } }).calls(2, day(101));
    const parts = { folder: folder.path, log: built.toSqlite(folder.log, 12), archive };
    change(parts);
    await using source = await open(parts);
    return await verifyLog(source);
  }

  const openBoth = async ({ log, archive }: Parts) => joinSources([await openLogFile(archive), await openLogFile(log)]);

  it('are one log', async () => {
    expect(await judge()).toMatchObject({ verdict: 'intact', records: 27, first: { seq: 1 }, erased: 4 });
  });

  it.each<[string, (parts: Parts) => Promise<RecordSource>]>([
    ['are found where devs puts them', async ({ log }) => openLogWithArchives(log)],
    ['are found in another folder', async ({ log, folder }) => openLogWithArchives(log, `${folder}/archives`)],
    ['are put in order', async ({ log, archive }) => openLogFiles([log, archive])],
  ])('%s', async (_name, open) => {
    expect(await judge(undefined, open)).toMatchObject({ verdict: 'intact', records: 27 });
  });

  it.each<[string, (log: LogBuilder) => LogBuilder, string]>([
    ['fewer records left than were there', (log) => log.prune(day(2), 11, { records: 10 }), 'tampered, fact at 22'],
    ['more records left than since the last time', (log) => log.prune(day(2), 5).prune(day(2), 11, { records: 11 }), 'tampered, fact at 23'],
    ['they left into no archive', (log) => log.prune(day(2), 11, { archive: null }), 'tampered, fact at 22'],
    ['they left into an archive without a hash', (log) => log.prune(day(2), 11, { archive: { file: 'a', sha256: 'x', bytes: 1 } }), 'tampered, fact at 22'],
    ['those since the last time left', (log) => log.prune(day(2), 5).prune(day(2), 11, { records: 6 }), 'intact'],
  ])('and a record that says that %s', async (_name, change, expected) => {
    using folder = createTempFolder();
    const log = change(new LogBuilder().calls(10, day(1)));
    expect(judgement(await verified(log.toExport(`${folder.path}/all.jsonl`)))).toBe(expected);
  });

  it('are missed where one is missing', async () => {
    const report = await judge(({ archive }) => fs.rmSync(archive), async ({ log }) => openLogWithArchives(log));
    expect(judgement(report)).toBe('incomplete, start at no record');
    expect(report.problem?.what).toContain('a.jsonl.gz is missing');
  });

  it('and the log alone are intact, and begin where the archive ends', async () => {
    expect(await judge(undefined, async ({ log }) => openLogFiles([log]))).toMatchObject({ verdict: 'intact', first: { seq: 12 } });
  });

  it('and the archive alone lacks what says why payloads are gone', async () => {
    expect(judgement(await judge(undefined, async ({ archive }) => openLogFiles([archive])))).toBe('incomplete, payload at 2');
  });

  it('and what is only missing hides nothing that is wrong', async () => {
    using folder = createTempFolder();
    const log = new LogBuilder().calls(2, day(1)).erase(day(100), { before: day(10), days: 90 });
    log.start(day(100));
    log.fact('audit.closed', day(100), { store: '00'.repeat(16) });
    const file = log.toExport(`${folder.path}/part.jsonl`, log.lines());
    expect(judgement(await verified(file))).toBe('tampered, fact at 8');
    const part = log.toExport(`${folder.path}/part.jsonl`, log.lines().slice(0, 5));
    expect(judgement(await verified(part))).toBe('incomplete, payload at 2');
    expect((await verified(part)).records).toBe(5);
  });

  it('and what is missing of a record does not keep an anchor from being held against it', async () => {
    using folder = createTempFolder();
    const log = new LogBuilder().calls(2, day(1)).erase(day(100), { before: day(10), days: 90 });
    const { found: heads } = readHeads(JSON.stringify({ seq: 2, leaf: log.leafAt(3) }));
    const part = log.toExport(`${folder.path}/part.jsonl`, log.lines().slice(0, 5));
    expect(judgement(await verified(part, { heads }))).toBe('tampered, anchor at 2');
  });

  it('and a log that does not follow them are found', async () => {
    using folder = createTempFolder();
    const log = new LogBuilder().calls(10, day(1)).prune(day(2), 11, { leaf: 'ff'.repeat(32) });
    expect(judgement(await verified(log.toSqlite(folder.log, 12)))).toBe('tampered, start at 12');
  });

  it.each<[string, Pick<RecordSource, 'facts'>]>([
    ['that came later', { facts: async function* () { yield build().records.slice(0, 1); } }],
    ['that is not there any more', { facts: async function* () { yield new LogBuilder().calls(20).erase(day(9), { before: day(0), days: 1 }).records; } }],
  ])('are read twice, and an erasure %s is found', async (_name, change) => {
    using folder = createTempFolder();
    const log = build().erase(day(100), { before: day(0), days: 90 });
    await using source = await openLogFile(log.toExport(`${folder.path}/log.jsonl`));
    source.facts = change.facts;
    expect(judgement(await verifyLog(source))).toBe('tampered, database at 23');
  });

  it('say of the log around them what is wrong with it', async () => {
    const change = ({ log }: Parts) => tamper(log, (database) => database.exec("INSERT INTO open_calls VALUES ('x', 13, 'y')"));
    expect(judgement(await judge(change))).toBe('tampered, calls at 13');
  });

  it('that were compressed anew are not the file that was made', async () => {
    const report = await judge(({ archive }) => fs.writeFileSync(archive, gzipSync(gunzipSync(fs.readFileSync(archive)), { level: 1 })));
    expect(judgement(report)).toBe('tampered, fact at no record');
  });

  it('of another log are found', async () => {
    const report = await judge(({ archive }) => {
      const other = new LogBuilder().calls(5, day(1)).erase(day(100), { before: day(10), days: 90, upTo: 5 });
      other.toExport(archive, other.lines().slice(0, 11));
    });
    expect(judgement(report)).toBe('tampered, fact at 11');
  });
});
