import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import fs from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createTempFolder } from '../../__tests__/fixtures.ts';
import type { StoredRecord } from '../../chain/record.ts';
import { toKeyId } from '../../heads/public-key.ts';
import { signHead, type Head } from '../../heads/signed-head.ts';
import { openExportSource } from '../export-source.ts';
import { mergeRecords } from '../merge-records.ts';
import { openLogFiles, openLogWithArchives } from '../../archive/open-files.ts';
import { openLogFile } from '../open-log-file.ts';
import { SourceFailure, type Batches } from '../record-source.ts';
import { joinSources } from '../series-source.ts';
import { verifyLog } from '../verify-log.ts';
import { day, LogBuilder, tamper } from './log-builder.ts';
import { judgement, verified } from './verified.ts';

/** Records 1 to 27: payloads up to 5 are erased by 22. */
const build = () => new LogBuilder().calls(5, day(1)).calls(5, day(50)).erase(day(100), { before: day(10), days: 90, upTo: 5 }).calls(2, day(101));

/** An export of the lines from one to another, counted from 1. */
function part(log: LogBuilder, file: string, [from, upTo]: readonly [number, number]): string {
  return log.toExport(file, log.lines().slice(from - 1, upTo));
}

describe('parts of a log that overlap', () => {
  it.each<[string, readonly (readonly [number, number])[]]>([
    ['one of them twice', [[1, 26], [1, 26]]],
    ['the end of one is the beginning of the other', [[1, 15], [10, 26]]],
    ['one within the other', [[1, 26], [5, 9]]],
    ['one within the other, and one behind', [[1, 20], [5, 9], [8, 24], [24, 26]]],
    ['in a wrong order', [[20, 26], [1, 9], [8, 24]]],
    ['none', [[1, 9], [10, 20], [21, 26]]],
  ])('are one log: %s', async (_name, ranges) => {
    using folder = createTempFolder();
    const log = build();
    const files = ranges.map((range, index) => part(log, `${folder.path}/${index}.jsonl`, range));
    await using source = await openLogFiles(files);
    expect(await verifyLog(source)).toMatchObject({ verdict: 'intact', records: 26, erased: 4, problems: 0 });
  });

  it.each([true, false])('are one log: a database and its own export, named first: %s', async (isFirst) => {
    using folder = createTempFolder();
    const log = build();
    const files = [log.toSqlite(folder.log), log.toExport(`${folder.path}/own.jsonl.gz`)];
    await using source = await openLogFiles(isFirst ? files : files.toReversed());
    expect(source.isWhole).toBe(true);
    expect(judgement(await verifyLog(source))).toBe('intact');
  });

  const edit = (from: string, to: string) => (lines: readonly string[]) => lines.with(14, (lines[14] ?? '').replace(from, to));
  it.each<[string, (lines: readonly string[]) => readonly string[], string]>([
    ['another header', edit('read_file', 'read_life'), 'tampered, gap at 15'],
    ['another leaf', edit('"leaf":"', '"leaf":"0'), 'tampered, form at 15'],
    ['another payload', edit('answer', 'Answer'), 'tampered, payload at 15'],
    ['a payload in one of them', (lines) => lines.with(14, (lines[14] ?? '').replace(/"salt":.*/, '"salt":null,"payload":null}')), 'incomplete, payload at 15'],
    ['what is no record in one of them', (lines) => lines.with(14, '{}'), 'tampered, form at 15'],
    ['a record less in one of them', (lines) => lines.toSpliced(14, 1), 'tampered, gap at 15'],
    ['two that changed places in one of them', (lines) => lines.with(14, lines[15] ?? '').with(15, lines[14] ?? ''), 'tampered, gap at 15'],
    ['another log', () => new LogBuilder('0a'.repeat(16)).calls(13).lines(), 'tampered, gap at 1'],
  ])('and hold %s are found', async (_name, change, expected) => {
    using folder = createTempFolder();
    const log = build();
    const files = [log.toExport(`${folder.path}/a.jsonl`), log.toExport(`${folder.path}/b.jsonl`, change(log.lines()))];
    for (const order of [files, files.toReversed()]) {
      await using source = await openLogFiles(order);
      expect(judgement(await verifyLog(source))).toBe(expected);
    }
  });

  it('and a log that still holds what has left it are found, also beside the archive', async () => {
    using folder = createTempFolder();
    const log = build().prune(day(102), 11);
    const archive = part(log, `${folder.path}/a.jsonl.gz`, [1, 11]);
    await using source = await openLogFiles([archive, log.toSqlite(folder.log)]);
    expect(judgement(await verifyLog(source))).toBe('tampered, fact at 1');
  });

  it('and a copy from before the records left are one log', async () => {
    using folder = createTempFolder();
    const log = build();
    const copy = log.toSqlite(`${folder.path}/copy.db`);
    log.prune(day(102), 11);
    await using source = await openLogFiles([copy, log.toSqlite(folder.log, 12)]);
    expect(judgement(await verifyLog(source))).toBe('intact');
  });

  it('give each record once, in order, however they are cut into batches', async () => {
    const { records } = new LogBuilder().calls(10);
    const cut = fc.record({ from: fc.nat(20), count: fc.nat(21), size: fc.integer({ min: 1, max: 5 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(cut, { maxLength: 6 }), async (cuts) => {
        const parts = [{ from: 0, count: 21, size: 4 }, ...cuts].toSorted((one, other) => one.from - other.from);
        const read: number[] = [];
        for await (const batch of mergeRecords(parts.map(({ from, count, size }) => batches(records.slice(from, from + count), size)))) {
          read.push(...batch.map(({ seq }) => seq));
        }
        expect(read).toEqual(records.map(({ seq }) => seq));
      }),
    );
  });
});

async function* batches(records: readonly StoredRecord[], size: number): Batches {
  for (let at = 0; at < records.length; at += size) {
    yield records.slice(at, at + size);
    yield [];
  }
}

async function readAll(batchesOf: Batches, onBatch: () => void = () => undefined): Promise<void> {
  for await (const _batch of batchesOf) onBatch();
}

describe('the first reading', () => {
  it('ends at what is no record, and the second says where that is', async () => {
    using folder = createTempFolder();
    const log = build();
    const file = log.toExport(`${folder.path}/a.jsonl`, log.lines().with(9, ''));
    await using source = await openExportSource({ file, isCompressed: false });
    await expect(readAll(source.facts())).rejects.toBeInstanceOf(SourceFailure);
    expect(judgement(await verified(file))).toBe('tampered, form at 10');
  });

  it('accuses nobody of an erasure that it did not come to', async () => {
    using folder = createTempFolder();
    const log = build();
    fs.mkdirSync(`${folder.path}/parts`);
    const broken = log.toExport(`${folder.path}/parts/a.jsonl`, log.lines().slice(0, 24).with(9, ''));
    const late = new LogBuilder().toSqlite(folder.log);
    tamper(late, (database) => database.exec('DELETE FROM records'));
    await using source = joinSources([await openLogFile(broken), await openLogFile(late)]);
    expect(judgement(await verifyLog(source))).toBe('tampered, form at 10');
  });

  it('hears what other parts say of what stands before the place where one broke', async () => {
    using folder = createTempFolder();
    const log = build();
    const kept = new LogBuilder().calls(5, day(1));
    kept.fact('audit.closed', day(1));
    const before = kept.lines();
    kept.erase(day(100), { before: day(10), days: 90, upTo: 5 });
    const broken = log.toExport(`${folder.path}/a.jsonl`, before.with(9, ''));
    const late = kept.toExport(`${folder.path}/b.jsonl`, kept.lines().slice(12));
    await using source = joinSources([await openLogFile(broken), await openLogFile(late)]);
    expect(judgement(await verifyLog(source))).toBe('tampered, payload at 2');
  });

  it('is not passed over where it fails and the second does not', async () => {
    using folder = createTempFolder();
    await using source = await openLogFile(build().toExport(`${folder.path}/a.jsonl`));
    const facts = source.facts();
    source.facts = async function* () {
      yield* facts;
      throw new SourceFailure({ code: 'damaged', what: 'read error', verdict: 'incomplete' });
    };
    expect(judgement(await verifyLog(source))).toBe('tampered, damaged at no record');
  });

  it('obeys its signal', async () => {
    using folder = createTempFolder();
    await using source = await openLogFile(build().toExport(`${folder.path}/a.jsonl`));
    const stop = new AbortController();
    let batchesAfter = 0;
    source.facts = async function* () {
      for (;;) {
        yield [];
        if (stop.signal.aborted && (batchesAfter += 1) > 3) throw new Error('it goes on');
        stop.abort(new Error('stopped'));
      }
    };
    await expect(verifyLog(source, { signal: stop.signal })).rejects.toThrow('stopped');
  });
});

describe('what is not a file', () => {
  const makers: readonly (readonly [string, (file: string) => void])[] = [
    ['a pipe', (file) => execFileSync('mkfifo', [file])],
    ['a device', (file) => fs.symlinkSync('/dev/zero', file)],
    ['a folder', (file) => fs.mkdirSync(file)],
  ];

  it.each(makers)('%s in the place of an archive is an archive that is missing', async (_name, make) => {
    using folder = createTempFolder();
    const log = build().prune(day(102), 11);
    fs.mkdirSync(`${folder.path}/archives`);
    make(`${folder.path}/archives/a.jsonl.gz`);
    await using source = await openLogWithArchives(log.toSqlite(folder.log, 12), `${folder.path}/archives`);
    expect(judgement(await verifyLog(source))).toBe('incomplete, start at no record');
  });

  it.each(makers)('%s that takes the place of an export while it is read is not waited for', async (_name, make) => {
    using folder = createTempFolder();
    const file = build().toExport(`${folder.path}/a.jsonl`);
    await using source = await openLogFile(file);
    fs.rmSync(file);
    make(file);
    expect(judgement(await verifyLog(source))).toBe('incomplete, damaged at 1');
  });

  it.each(makers)('%s is not opened as a log', async (_name, make) => {
    using folder = createTempFolder();
    make(`${folder.path}/x`);
    await expect(openLogFile(`${folder.path}/x`)).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
  });

  it('an archive that vanishes while it is read is not hashed', async () => {
    using folder = createTempFolder();
    const log = build();
    const archive = log.toExport(`${folder.path}/a.jsonl.gz`, log.lines().slice(0, 11));
    log.prune(day(102), 11);
    await using first = await openLogFile(archive);
    await using log2 = await openLogFile(log.toSqlite(folder.log, 12));
    const records = first.records();
    first.records = async function* () {
      yield* records;
      fs.rmSync(archive);
      execFileSync('mkfifo', [archive]);
    };
    expect(judgement(await verifyLog(joinSources([first, log2])))).toBe('incomplete, damaged at no record');
  });
});

describe('the head in the record of a pruning', () => {
  const signer = generateKeyPairSync('ed25519');
  const id = toKeyId(signer.publicKey);
  const sign = (log: LogBuilder, change: Partial<Head> = {}) =>
    signHead({ store: log.store, seq: 20, leaf: log.leafAt(20), ...change }, { privateKey: signer.privateKey, id }, new Date(day(101)));

  it.each<[string, (log: LogBuilder) => unknown, string]>([
    ['is right', sign, 'intact'],
    ['is null', () => null, 'intact'],
    ['is left out', () => undefined, 'tampered, fact at 27'],
    ['is none', () => ({ head: '{}', signature: '' }), 'tampered, fact at 27'],
    ['has a member more', (log) => ({ ...sign(log), more: 1 }), 'tampered, fact at 27'],
    ['has a signature of another form', (log) => ({ ...sign(log), signature: 'AAAA' }), 'tampered, fact at 27'],
    ['has another signature', (log) => ({ ...sign(log), signature: sign(log, { seq: 19 }).signature }), 'tampered, fact at 27'],
    ['does not cover what left', (log) => sign(log, { seq: 10, leaf: log.leafAt(10) }), 'tampered, fact at 27'],
    ['is of what was not written yet', (log) => sign(log, { seq: 27 }), 'tampered, fact at 27'],
    ['is of another log', (log) => sign(log, { store: '00'.repeat(16) }), 'tampered, fact at 27'],
    ['is of another record', (log) => sign(log, { leaf: log.leafAt(19) }), 'tampered, fact at 20'],
  ])('%s', async (_name, head, expected) => {
    using folder = createTempFolder();
    const log = build();
    log.prune(day(102), 11, { head: head(log) });
    expect(judgement(await verified(log.toExport(`${folder.path}/a.jsonl`)))).toBe(expected);
  });
});

describe('a record of any source', () => {
  it.each<[string, (record: StoredRecord) => StoredRecord, string]>([
    ['with a salt that holds the payload', (record) => ({ ...record, salt: Buffer.concat([record.salt ?? Buffer.of(), Buffer.from(record.payload ?? '')]), payload: '' }), 'tampered, payload at 14'],
    ['with a leaf of another size', (record) => ({ ...record, leaf: Buffer.alloc(33) }), 'tampered, form at 14'],
  ])('%s is found', async (_name, change, expected) => {
    using folder = createTempFolder();
    const log = build();
    await using source = await openLogFile(log.toExport(`${folder.path}/a.jsonl`));
    source.records = async function* () {
      yield log.records.map((record) => (record.seq === 14 ? change(record) : record));
    };
    expect(judgement(await verifyLog(source))).toBe(expected);
  });

  it('is named, and what is before it is not called right', async () => {
    using folder = createTempFolder();
    const log = new LogBuilder().calls(10, day(1));
    const forged = new LogBuilder().calls(7, day(1));
    const file = log.toExport(`${folder.path}/a.jsonl`, [...forged.lines().slice(0, 14), ...log.lines().slice(14)]);
    const { problem } = await verified(file);
    expect(problem).toMatchObject({ seq: 14, what: 'record 14 is not the one that record 15 names: it, or any record before it, was written anew' });
  });
});

describe('an archive that is compressed', () => {
  it('and holds line feeds ends at the first', async () => {
    using folder = createTempFolder();
    fs.writeFileSync(`${folder.path}/nl.jsonl.gz`, gzipSync(Buffer.alloc(50_000_000, '\n')));
    await using source = await openExportSource({ file: `${folder.path}/nl.jsonl.gz`, isCompressed: true });
    let count = 0;
    await expect(readAll(source.facts(), () => (count += 1))).rejects.toBeInstanceOf(SourceFailure);
    expect(count).toBe(1);
  });
});
