import fs from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, it } from '@jest/globals';
import { callId } from '../../__tests__/fixtures.ts';
import { openSqliteAgentLogReader } from '../../index.ts';
import { dayAt } from './archiver.ts';
import { callOf, createArchivePlace, outcomeOf, plantedIn } from './fixtures.ts';

const NINETY = { payloadDays: 90 };

describe('erasing', () => {
  it('takes what is old out of every file, says so in the log, and leaves the chain whole', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 5]);
    await place.write(50, [6, 9]);
    // The words of payloads lie in the search index too.
    await using reader = openSqliteAgentLogReader({ file: place.log });
    expect((await reader.search('planted3word', { limit: 5 })).hits).toHaveLength(1);
    await reader.close();
    expect(plantedIn(place.path)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const report = await place.archiver(100).run(NINETY);
    expect(report).toMatchObject({ erased: 10, archives: [], problems: [], isJournalEmpty: true });
    expect(plantedIn(place.path)).toEqual([6, 7, 8, 9]);
    expect(await place.verify()).toMatchObject({ verdict: 'intact', erased: 10 });
    expect(place.query("SELECT header ->> '$.from' AS \"from\", header ->> '$.upTo' AS upTo, header ->> '$.days' AS days, header ->> '$.before' AS before, header ->> '$.count' AS count FROM records WHERE kind = 'audit.erased'")).toEqual([
      { from: 2, upTo: 12, days: 90, before: dayAt(10), count: 10 },
    ]);
  });

  it('lets what is erased be found no more, and what is not be found', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    await place.write(50, [3, 3]);
    await place.archiver(100).run(NINETY);
    await using reader = openSqliteAgentLogReader({ file: place.log });
    expect((await reader.search('planted1word', { limit: 5 })).hits).toEqual([]);
    expect((await reader.search('planted3word', { limit: 5 })).hits).toHaveLength(1);
    expect(await reader.get(callId(1))).toMatchObject({ isErased: true, toolName: 'read_file', status: 'ok' });
  });

  it('takes away an index that a search has made meanwhile', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const onStep = (step: string) => {
      if (step === 'erased') fs.writeFileSync(`${place.log}-search`, 'planted1word');
    };
    expect(await place.archiver(100, { onStep }).run(NINETY)).toMatchObject({ erased: 4, problems: [] });
    expect(plantedIn(place.path)).toEqual([]);
  });

  it('does nothing twice, and nothing before its time', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    expect(await place.archiver(90).run(NINETY)).toMatchObject({ erased: 0, problems: [] });
    expect(await place.archiver(91).run(NINETY)).toMatchObject({ erased: 4 });
    expect(await place.archiver(92).run(NINETY)).toMatchObject({ erased: 0, problems: [] });
    expect(await place.archiver(92).run({ payloadDays: 0 })).toMatchObject({ erased: 0, problems: [] });
    expect(place.query("SELECT count(*) AS facts FROM records WHERE kind = 'audit.erased'")).toEqual([{ facts: 1 }]);
    expect(await place.verify()).toMatchObject({ verdict: 'intact' });
  });

  it('learns nothing from a clock that was ahead once, in an earlier run', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const days = [5_000];
    const archiver = place.archiver(0, { now: () => dayAt(days.shift() ?? 10) });
    expect(await archiver.plan(NINETY)).toMatchObject({ erasure: { payloads: 4 } });
    expect(await archiver.run(NINETY)).toMatchObject({ erased: 0, problems: [] });
  });

  it('takes payloads that are large, and stand on pages of their own', async () => {
    using place = createArchivePlace();
    await using logs = place.open(0);
    await logs.append(outcomeOf(1, 0, { output: { content: [{ type: 'text', text: 'planted1word '.repeat(8_000) }] } }));
    await logs.append(outcomeOf(2, 50, { output: { content: [{ type: 'text', text: 'planted2word '.repeat(8_000) }] } }));
    await logs.close();
    await place.archiver(100).run(NINETY);
    expect(plantedIn(place.path)).toEqual([2]);
  });

  it('says it in several facts where it is much', async () => {
    using place = createArchivePlace();
    await using logs = place.open(0);
    await Promise.all(Array.from({ length: 2_300 }, async (_, index) => logs.append(outcomeOf(index + 1, 0))));
    await logs.close();
    expect(await place.archiver(100).run(NINETY)).toMatchObject({ erased: 2_300 });
    expect(place.query("SELECT header ->> '$.count' AS count FROM records WHERE kind = 'audit.erased'")).toEqual([{ count: 1_000 }, { count: 1_000 }, { count: 300 }]);
    expect(await place.verify()).toMatchObject({ verdict: 'intact', erased: 2_300 });
  });
});

describe('what is old and stays', () => {
  it('is the start of a call that has not ended, and goes once it has', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    await using logs = place.open(0);
    await logs.begin(callOf(3, 0));
    await logs.append(outcomeOf(4, 0));
    expect((await place.archiver(100).plan(NINETY)).erasure).toMatchObject({ payloads: 5, held: 1 });
    expect(await place.archiver(100).run(NINETY)).toMatchObject({ erased: 5, problems: [] });
    expect(plantedIn(place.path)).toEqual([3]);
    // A fact over it would say that it is gone.
    expect(place.query("SELECT count(*) AS facts FROM records WHERE kind = 'audit.erased'")).toEqual([{ facts: 2 }]);
    expect(await place.verify()).toMatchObject({ verdict: 'intact', erased: 5 });
    await logs.append(outcomeOf(3, 0));
    await logs.close();
    expect(await place.archiver(101).run(NINETY)).toMatchObject({ erased: 2, problems: [] });
    expect(plantedIn(place.path)).toEqual([]);
    expect(await place.verify()).toMatchObject({ verdict: 'intact', erased: 7 });
  });

  it('is the start of a call whose outcome is younger', async () => {
    using place = createArchivePlace();
    await using logs = place.open(0);
    await logs.begin(callOf(1, 0));
    await logs.append(outcomeOf(1, 0, { timestamp: dayAt(50) }));
    await logs.append(outcomeOf(2, 0));
    await logs.close();
    expect(await place.archiver(100).run(NINETY)).toMatchObject({ erased: 1, plan: { erasure: { held: 1 } } });
    expect(plantedIn(place.path)).toEqual([1]);
    expect(await place.verify()).toMatchObject({ verdict: 'intact' });
  });

  it('is what does not say when it was written', async () => {
    using place = createArchivePlace();
    await using logs = place.open(0);
    await logs.append(outcomeOf(1, 0, { timestamp: '0' }));
    await logs.append(outcomeOf(2, 0, { timestamp: '+012026-01-01T00:00:00.000Z' }));
    await logs.append(outcomeOf(3, 0));
    await logs.close();
    expect(await place.archiver(100).run(NINETY)).toMatchObject({ erased: 1, plan: { erasure: { held: 2 } } });
    expect(plantedIn(place.path)).toEqual([1, 2]);
    expect(await place.verify()).toMatchObject({ verdict: 'intact' });
  });

  it('is the start of a call for as long as the devs lives that runs it', async () => {
    using place = createArchivePlace();
    await using logs = place.open(0);
    await logs.begin(callOf(1, 0));
    expect(await place.archiver(100).run(NINETY)).toMatchObject({ erased: 0 });
    await logs.close();
    // Gone without an outcome: the archiver says so of it first, and then it is as old as any.
    expect(await place.archiver(100).run(NINETY)).toMatchObject({ erased: 2, problems: [] });
    expect(await place.verify()).toMatchObject({ verdict: 'intact' });
  });
});

describe('nothing is erased', () => {
  it.each([
    ['when the clock is before the last record', -5, [0, 0] as const],
    ['when a record is from the future', 200, [0, 300] as const],
  ])('%s', async (_, now, [first, second]) => {
    using place = createArchivePlace();
    await place.write(first, [1, 2]);
    await using logs = place.open(100);
    await logs.append(outcomeOf(3, second));
    await logs.append(outcomeOf(4, 0));
    await logs.close();
    const expected = expect.stringMatching(/^Record \d+ says that it was written at .* the clock is wrong, or was/);
    expect((await place.archiver(now).plan({ payloadDays: 1 })).forbidden).toEqual(expected);
    expect(await place.archiver(now).run({ payloadDays: 1, keepDays: 1 })).toMatchObject({ erased: 0, archives: [], problems: [expected] });
    expect(plantedIn(place.path)).toEqual([1, 2, 3, 4]);
  });

  it('when the clock is set back while it works', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    let day = 100;
    const archiver = place.archiver(100, {
      now: () => dayAt(day),
      onStep: (step) => {
        if (step === 'planned') day = 99;
      },
    });
    expect(await archiver.run(NINETY)).toMatchObject({ erased: 4 });
    // Dated by the latest time that it has seen: else a fact would be too young for what it says.
    expect(await place.verify()).toMatchObject({ verdict: 'intact' });
  });

  it('of a log whose tables were changed', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    place.tamper("DROP TRIGGER records_erase_only; UPDATE records SET payload = '{}' WHERE seq = 2");
    await expect(place.archiver(100).plan(NINETY)).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
    await expect(place.archiver(100).run(NINETY)).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
    expect(plantedIn(place.path)).toEqual([1, 2]);
  });

  it('of a log that was changed: the traces would go with it', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const [trigger] = place.query<{ sql: string }>("SELECT sql FROM sqlite_schema WHERE name = 'records_erase_only'");
    place.tamper(`DROP TRIGGER records_erase_only; UPDATE records SET payload = '{}' WHERE seq = 2; ${trigger?.sql ?? ''}`);
    expect(await place.archiver(100).run(NINETY)).toMatchObject({ erased: 0, problems: [expect.stringMatching(/record 2 was changed/)] });
    expect(plantedIn(place.path)).toEqual([1, 2]);
  });

  it('of a log that is not the one that is remembered', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    fs.copyFileSync(place.log, `${place.log}.old`);
    await place.write(1, [3, 4]);
    fs.copyFileSync(`${place.log}.old`, place.log);
    expect((await place.archiver(100).plan(NINETY)).forbidden).toMatch(/its end was cut off, or an older copy/);
    await expect(place.archiver(100).run(NINETY)).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
    expect(place.query("SELECT count(*) AS erased FROM records WHERE payload IS NULL AND header ->> '$.payload' IS NOT NULL")).toEqual([{ erased: 0 }]);
  });

  it('when its words cannot be taken out of the search index', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    // Cannot be deleted, whoever one is.
    fs.mkdirSync(`${place.log}-search/inside`, { recursive: true });
    expect(await place.archiver(100).run(NINETY)).toMatchObject({ erased: 0, problems: [expect.any(String)] });
    expect(plantedIn(place.path)).toEqual([1, 2]);
    expect(await place.verify()).toMatchObject({ erased: 0 });
  });

  it.each([{ payloadDays: -1 }, { payloadDays: 1.5 }, { payloadDays: 40_000 }, { payloadDays: 0, keepDays: 0 }, { payloadDays: 90, keepDays: 30 }])(
    'by a policy that cannot be: %j',
    async (policy) => {
      using place = createArchivePlace();
      await place.write(0, [1, 1]);
      await expect(place.archiver(100).plan(policy)).rejects.toMatchObject({ code: 'LOG_QUERY_REFUSED' });
      await expect(place.archiver(100).run(policy)).rejects.toMatchObject({ code: 'LOG_QUERY_REFUSED' });
    },
  );

  it('where there is no log, and none is made', async () => {
    using place = createArchivePlace();
    await expect(place.archiver(100).plan(NINETY)).rejects.toMatchObject({ code: 'LOG_NOT_FOUND' });
    await expect(place.archiver(100).run(NINETY)).rejects.toMatchObject({ code: 'LOG_NOT_FOUND' });
    expect(fs.readdirSync(place.path)).not.toContain('agent_logs.db');
  });
});

describe('the journal', () => {
  it('is emptied by the next run where somebody reads just now', async () => {
    using place = createArchivePlace();
    await using logs = place.open(0);
    await logs.append(outcomeOf(1, 0));
    await logs.append(outcomeOf(2, 50));
    const reader = new Database(place.log, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM records').get();
    expect(await place.archiver(100, { busyTimeoutMs: 20 }).run(NINETY)).toMatchObject({ erased: 1, isJournalEmpty: false, problems: [] });
    expect(plantedIn(place.path)).toEqual([1, 2]);
    reader.exec('COMMIT');
    reader.close();
    expect(await place.archiver(100).run(NINETY)).toMatchObject({ erased: 0, isJournalEmpty: true });
    expect(plantedIn(place.path)).toEqual([2]);
  });
});
