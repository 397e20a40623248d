import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, it } from '@jest/globals';
import { callId } from '../../__tests__/fixtures.ts';
import { ChainWriter } from '../../sqlite/chain-writer.ts';
import { openLogDatabase } from '../../sqlite/open-database.ts';
import { draftName, removeDrafts } from '../archive-folder.ts';
import { eraseSpan } from '../erase.ts';
import { dayAt } from './archiver.ts';
import { callOf, createArchivePlace, outcomeOf, plantedIn } from './fixtures.ts';

const SIXTY = { payloadDays: 60, keepDays: 60 };
const KEEP_PAYLOADS = { payloadDays: 0, keepDays: 60 };

describe('pruning', () => {
  it('moves old records into an archive, which with the log is still one whole', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 5]);
    await place.write(50, [6, 9]);
    const before = await place.verify();
    const report = await place.archiver(100).run(SIXTY);
    const [archive] = place.archiveFiles();
    const upTo = report.plan.pruning.upTo?.seq ?? 0;
    expect(report).toMatchObject({ erased: 10, problems: [], archives: [{ from: 1, upTo, records: upTo, file: `agent_logs.db.1-${upTo}.jsonl.gz` }] });
    expect(place.archiveFiles()).toEqual([`agent_logs.db.1-${upTo}.jsonl.gz`]);
    expect(fs.statSync(path.join(place.archives, archive ?? '')).mode & 0o777).toBe(0o600);
    expect(fs.statSync(place.archives).mode & 0o777).toBe(0o700);
    expect(fs.readdirSync(place.archives)).toHaveLength(1);
    // What is old enough to leave is erased before: no archive keeps it.
    expect(plantedIn(place.path)).toEqual([6, 7, 8, 9]);
    expect(await place.verify()).toMatchObject({ verdict: 'intact', first: { seq: upTo + 1 } });
    expect(await place.verifyAll()).toMatchObject({ verdict: 'intact', first: { seq: 1 }, store: before.store, erased: 10 });
    const [fact] = place.query<{ header: string }>("SELECT header FROM records WHERE kind = 'audit.pruned'");
    expect(JSON.parse(fact?.header ?? '')).toMatchObject({ upTo, records: upTo, archive: { file: archive }, head: { head: expect.any(String), signature: expect.any(String) } });
  });

  it('goes on for as long as the log does', async () => {
    using place = createArchivePlace();
    for (const day of [0, 30, 60, 90, 120, 150]) {
      await place.write(day, [day + 1, day + 3]);
      expect((await place.archiver(day).run({ payloadDays: 20, keepDays: 40 })).problems).toEqual([]);
      expect(await place.verify()).toMatchObject({ verdict: 'intact' });
      expect(await place.verifyAll()).toMatchObject({ verdict: 'intact', first: { seq: 1 } });
    }
    expect(place.archiveFiles().length).toBeGreaterThan(2);
    expect(plantedIn(place.path)).toEqual([151, 152, 153]);
  });

  it('leaves the log as it is where nothing is old', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    expect(await place.archiver(60).run(KEEP_PAYLOADS)).toMatchObject({ archives: [], problems: [] });
    expect(fs.existsSync(place.archives)).toBe(false);
    expect(place.query("SELECT count(*) AS prunings FROM records WHERE kind = 'audit.pruned'")).toEqual([{ prunings: 0 }]);
  });

  it('does not change what the plan says', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const before = place.query('SELECT max(seq) AS last FROM records');
    const { pruning } = await place.archiver(100).plan(KEEP_PAYLOADS);
    expect(pruning).toMatchObject({ records: 8, from: { seq: 1 }, upTo: { seq: 8, timestamp: dayAt(0) }, heldAt: null, forbidden: null, archives: [{ file: 'agent_logs.db.1-8.jsonl.gz' }] });
    expect(place.query('SELECT max(seq) AS last FROM records')).toEqual(before);
    expect(fs.existsSync(place.archives)).toBe(false);
    expect(await place.archiver(100).run(KEEP_PAYLOADS)).toMatchObject({ plan: { pruning } });
  });
});

describe('only whole calls leave', () => {
  it('not one that has not ended, nor what comes after it', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    await using logs = place.open(0);
    await logs.begin(callOf(3, 0));
    await logs.append(outcomeOf(4, 0));
    const report = await place.archiver(100).run(KEEP_PAYLOADS);
    const [open] = place.query<{ seq: number }>('SELECT seq FROM open_calls');
    expect(report.plan.pruning.heldAt).toBe(open?.seq);
    expect(report.archives.at(-1)?.upTo).toBeLessThan(open?.seq ?? 0);
    expect(await logs.get(callId(3))).toMatchObject({ status: 'started' });
    expect(await logs.get(callId(4))).toMatchObject({ status: 'ok' });
    await logs.append(outcomeOf(3, 0));
    expect(await place.verifyAll()).toMatchObject({ verdict: 'intact' });
  });

  it('not one whose outcome is younger, or lies behind a younger record', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    await using logs = place.open(0);
    await logs.begin(callOf(3, 0));
    await logs.append(outcomeOf(4, 50));
    await logs.append(outcomeOf(3, 0));
    await logs.close();
    const [start] = place.query<{ seq: number }>(`SELECT seq FROM records WHERE kind = 'call.started' AND call_id = '${callId(3)}'`);
    const report = await place.archiver(100).run(KEEP_PAYLOADS);
    expect(report.plan.pruning).toMatchObject({ heldAt: start?.seq, upTo: { seq: (start?.seq ?? 0) - 1 } });
    expect(await place.verifyAll()).toMatchObject({ verdict: 'intact' });
  });

  it('nothing where a call has been open since the first record', async () => {
    using place = createArchivePlace({ isSigned: false });
    await using logs = place.open(0);
    await logs.begin(callOf(1, 0));
    await logs.append(outcomeOf(2, 0));
    const report = await place.archiver(100).run({ ...KEEP_PAYLOADS, unsigned: true });
    // The record that opens the session stands before it.
    expect(report).toMatchObject({ archives: [{ from: 1, upTo: 1 }], plan: { pruning: { heldAt: 2 } } });
    expect(await place.verifyAll()).toMatchObject({ verdict: 'intact' });
  });
});

describe('heads', () => {
  it('cover all that leaves: without them nothing does, unless somebody says so, and the log says it', async () => {
    using place = createArchivePlace({ isSigned: false });
    await place.write(0, [1, 2]);
    const expected = expect.stringMatching(/^No record may leave the log: it is not signed here/);
    expect((await place.archiver(100).plan(KEEP_PAYLOADS)).pruning.forbidden).toEqual(expected);
    expect(await place.archiver(100).run(KEEP_PAYLOADS)).toMatchObject({ archives: [], problems: [expected] });
    expect(await place.archiver(100).run({ ...KEEP_PAYLOADS, unsigned: true })).toMatchObject({ archives: [{ from: 1 }], problems: [] });
    const [fact] = place.query<{ head: string }>("SELECT header -> '$.head' AS head FROM records WHERE kind = 'audit.pruned'");
    expect(fact).toEqual({ head: 'null' });
    expect(await place.verifyAll()).toMatchObject({ verdict: 'intact' });
  });

  it('that cannot be remembered let nothing leave', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const heads = place.keeper();
    heads.sign = () => undefined;
    expect(await place.archiver(100, { heads }).run(KEEP_PAYLOADS)).toMatchObject({ archives: [], problems: ['The log cannot be signed now, so no record can be removed from it.'] });
    expect(await place.verify()).toMatchObject({ verdict: 'intact', first: { seq: 1 } });
  });

  it('that are remembered are still found in the log', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 5]);
    await place.archiver(100).run(KEEP_PAYLOADS);
    await place.write(101, [6, 7]);
    await place.archiver(300).run(KEEP_PAYLOADS);
    await place.write(301, [8, 9]);
    expect(await place.verifyAll()).toMatchObject({ verdict: 'intact' });
  });
});

describe('an archive that is there already', () => {
  it('is never written over', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    fs.mkdirSync(place.archives, { mode: 0o700 });
    const file = path.join(place.archives, 'agent_logs.db.1-8.jsonl.gz');
    fs.writeFileSync(file, 'mine');
    const expected = expect.stringMatching(/^There is already a file "agent_logs.db.1-8.jsonl.gz"/);
    expect((await place.archiver(100).plan(KEEP_PAYLOADS)).forbidden).toEqual(expected);
    expect(await place.archiver(100).run(KEEP_PAYLOADS)).toMatchObject({ archives: [], problems: [expected] });
    expect(fs.readFileSync(file, 'utf8')).toBe('mine');
    expect(await place.verify()).toMatchObject({ verdict: 'intact', first: { seq: 1 } });
  });

  it('is not waited for when it is a pipe', async () => {
    if (process.platform === 'win32') return;
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    fs.mkdirSync(place.archives, { mode: 0o700 });
    expect(spawnSync('mkfifo', [path.join(place.archives, 'agent_logs.db.1-8.jsonl.gz')]).status).toBe(0);
    expect((await place.archiver(100).plan(KEEP_PAYLOADS)).forbidden).toMatch(/^There is already a file/);
  });

  it('is not taken away while another log of the same name writes it to the same folder', () => {
    using place = createArchivePlace();
    const other = path.join(place.path, 'other', 'agent_logs.db');
    fs.mkdirSync(place.archives, { mode: 0o700 });
    const [own, foreign] = [place.log, other].map((log) => draftName(log, randomUUID()));
    for (const name of [own, foreign]) fs.writeFileSync(path.join(place.archives, name ?? ''), '');
    removeDrafts(place.log, place.archives);
    expect(fs.readdirSync(place.archives)).toEqual([foreign]);
  });

  it('is not written over when it comes at the last moment', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const file = path.join(place.archives, 'agent_logs.db.1-8.jsonl.gz');
    const archiver = place.archiver(100, { onStep: (step) => step === 'checked' && fs.writeFileSync(file, 'mine') });
    expect(await archiver.run(KEEP_PAYLOADS)).toMatchObject({ archives: [], problems: [expect.stringMatching(/already exists where devs would write/)] });
    expect(fs.readdirSync(place.archives)).toEqual(['agent_logs.db.1-8.jsonl.gz']);
    expect(fs.readFileSync(file, 'utf8')).toBe('mine');
    expect(await place.verify()).toMatchObject({ verdict: 'intact', first: { seq: 1 } });
    expect(place.query("SELECT count(*) AS triggers FROM sqlite_schema WHERE name = 'records_no_delete'")).toEqual([{ triggers: 1 }]);
  });
});

describe('an archive', () => {
  it('that is changed on the disk before the records leave keeps them in the log', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const onStep = (step: string) => {
      if (step !== 'exported') return;
      const [draft = ''] = fs.readdirSync(place.archives);
      fs.truncateSync(path.join(place.archives, draft), fs.statSync(path.join(place.archives, draft)).size - 4);
    };
    expect(await place.archiver(100, { onStep }).run(KEEP_PAYLOADS)).toMatchObject({ archives: [], problems: [expect.stringMatching(/differs from what devs wrote/)] });
    expect(fs.readdirSync(place.archives)).toEqual([]);
    expect(await place.verify()).toMatchObject({ verdict: 'intact', first: { seq: 1 } });
  });

  it('with payloads that were erased since is not taken', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const store = place.query<{ store: string }>("SELECT header ->> '$.store' AS store FROM records LIMIT 1").at(0)?.store;
    const onStep = (step: string) => {
      if (step !== 'checked') return;
      const database = openLogDatabase({ file: place.log, durability: 'process', busyTimeoutMs: 1_000 });
      const writer = new ChainWriter(database, { opening: { version: '', mode: 'strict', durability: 'process' }, now: () => dayAt(100) });
      const order = { from: 1, upTo: 8, before: dayAt(10), days: 90, now: dayAt(100), ignored: 0 };
      writer.writeFacts(() => eraseSpan({ database, file: place.log }, order).map((fact) => ['audit.erased', fact]));
      writer.close();
      database.close();
    };
    expect(await place.archiver(100, { onStep }).run(KEEP_PAYLOADS)).toMatchObject({ archives: [], problems: [expect.stringMatching(/^The log has changed since its records were exported/)] });
    expect(await place.verify()).toMatchObject({ verdict: 'intact', store, first: { seq: 1 }, erased: 4 });
    expect(fs.readdirSync(place.archives)).toEqual([]);
  });

  it('that is changed or missing later is found', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 5]);
    await place.write(10, [6, 8]);
    await place.archiver(65).run(KEEP_PAYLOADS);
    await place.archiver(100).run(KEEP_PAYLOADS);
    const [first = '', second = ''] = place.archiveFiles();
    expect(second).not.toBe('');
    expect(await place.verifyAll()).toMatchObject({ verdict: 'intact' });
    const file = path.join(place.archives, first);
    const bytes = fs.readFileSync(file);
    fs.writeFileSync(file, Buffer.concat([bytes.subarray(0, 9), Buffer.of((bytes[9] ?? 0) ^ 255), bytes.subarray(10)]));
    expect((await place.verifyAll()).verdict).toBe('tampered');
    fs.rmSync(path.join(place.archives, second));
    fs.writeFileSync(file, bytes);
    expect((await place.verifyAll()).verdict).toBe('tampered');
  });

  it('may hold no other fact than one that is not about the log', async () => {
    using place = createArchivePlace();
    let day = 0;
    {
      const database = openLogDatabase({ file: place.log, durability: 'process', busyTimeoutMs: 1_000 });
      using _closed = { [Symbol.dispose]: () => database.close() };
      using writer = new ChainWriter(database, { opening: { version: '', mode: 'strict', durability: 'process' }, now: () => dayAt(day) });
      writer.writeFacts(() => []);
      day = 10;
      const counted = { principal: 'local', code: 'UNKNOWN_TOOL', count: 3, from: dayAt(10), to: dayAt(10) };
      writer.writeFacts(() => [['call.coalesced', counted]]);
      writer.writeFacts(() => [['call.coalesced', counted]]);
    }
    expect(await place.archiver(65).run(KEEP_PAYLOADS)).toMatchObject({ archives: [{ from: 1, upTo: 1 }], problems: [] });
    expect(await place.archiver(75).run(KEEP_PAYLOADS)).toMatchObject({ archives: [{ from: 2, upTo: 3 }], problems: [] });
    expect(await place.verifyAll()).toMatchObject({ verdict: 'intact', first: { seq: 1 } });
  });

  it('of more records than one transaction should hold is several', async () => {
    using place = createArchivePlace();
    await using logs = place.open(0);
    const [from, upTo] = [1, 10_400];
    for (let number = from; number <= upTo; number += 400) {
      await Promise.all(Array.from({ length: 400 }, async (_, index) => logs.append(outcomeOf(number + index, 0, { output: { content: [] } }))));
    }
    await logs.close();
    const { archives, problems } = await place.archiver(100).run(KEEP_PAYLOADS);
    expect(problems).toEqual([]);
    expect(archives.map(({ records }) => records)).toEqual([10_000, expect.any(Number)]);
    expect(archives[1]?.from).toBe(10_001);
    expect(await place.verifyAll()).toMatchObject({ verdict: 'intact', first: { seq: 1 } });
  });
});
