import fs from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { ChainWriter } from '../../sqlite/chain-writer.ts';
import { openLogDatabase } from '../../sqlite/open-database.ts';
import { dayAt } from './archiver.ts';
import { createArchivePlace, outcomeOf, type ArchivePlace } from './fixtures.ts';

const POLICY = { payloadDays: 0, keepDays: 60 };

describe('a process that has the log open', () => {
  it.each([true, false])('goes on when the last record that it knows has left (signed: %s)', async (isSigned) => {
    using place = createArchivePlace({ isSigned });
    await using idle = place.open(0);
    await idle.append(outcomeOf(1, 0));
    await place.write(1, [2, 9]);
    expect(await place.archiver(100).run({ ...POLICY, unsigned: true })).toMatchObject({ archives: [{ from: 1 }], problems: [] });
    await idle.append(outcomeOf(10, 100));
    await idle.append(outcomeOf(11, 100));
    await idle.close();
    expect(await place.verifyAll()).toMatchObject({ verdict: 'intact' });
    expect(await place.answered()).toHaveLength(11);
  });

  it('does not when they were taken away by somebody else', async () => {
    using place = createArchivePlace({ isSigned: false });
    await using idle = place.open(0);
    await idle.append(outcomeOf(1, 0));
    await place.write(1, [2, 9]);
    const [trigger] = place.query<{ sql: string }>("SELECT sql FROM sqlite_schema WHERE name = 'records_no_delete'");
    place.tamper(`DROP TRIGGER records_no_delete; DELETE FROM records WHERE seq <= 6; ${trigger?.sql ?? ''}`);
    await expect(idle.append(outcomeOf(10, 100))).rejects.toMatchObject({ failure: 'rolled-back' });
  });

  it('does not when more was taken away than was archived', async () => {
    using place = createArchivePlace({ isSigned: false });
    await place.write(0, [1, 2]);
    await using idle = place.open(50);
    await idle.append(outcomeOf(3, 50));
    await place.write(51, [4, 9]);
    await place.archiver(100).run({ ...POLICY, unsigned: true });
    const [trigger] = place.query<{ sql: string }>("SELECT sql FROM sqlite_schema WHERE name = 'records_no_delete'");
    place.tamper(`DROP TRIGGER records_no_delete; DELETE FROM records WHERE seq <= 14; ${trigger?.sql ?? ''}`);
    await expect(idle.append(outcomeOf(10, 100))).rejects.toMatchObject({ failure: 'rolled-back' });
  });

  it('does not when the log is not the one that is remembered', async () => {
    using place = createArchivePlace();
    const heads = place.keeper();
    await using idle = place.open(0, { heads });
    await idle.append(outcomeOf(1, 0));
    await place.write(1, [2, 9]);
    await place.archiver(100).run(POLICY);
    heads.check = () => {
      throw new Error('not in the chain');
    };
    await expect(idle.append(outcomeOf(10, 100))).rejects.toMatchObject({ failure: 'failed' });
  });
});

describe('a process that signs', () => {
  it('while the log is looked at does not make it one whose end was cut off', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const heads = place.keeper();
    const examine = heads.examine.bind(heads);
    let signed = 0;
    heads.examine = (chain) => {
      signed += signNow(place);
      const { store } = chain;
      // And between what is read of the log and what is remembered of it.
      signed += signNow(place);
      return examine({ store, last: () => chain.last(), leafAt: (seq) => chain.leafAt(seq), carried: () => chain.carried(), flush: () => undefined });
    };
    expect(await place.archiver(100, { heads }).plan(POLICY)).toMatchObject({ forbidden: null });
    expect(await place.archiver(100, { heads }).run(POLICY)).toMatchObject({ problems: [], archives: [{ from: 1 }] });
    expect(signed).toBe(4);
  });
});

/** One more session, which writes and signs; gives the number of heads. */
function signNow(place: ArchivePlace): number {
  const database = openLogDatabase({ file: place.log, durability: 'process', busyTimeoutMs: 1_000 });
  try {
    using writer = new ChainWriter(database, { opening: { version: '', mode: 'strict', durability: 'process' }, now: () => dayAt(100), heads: place.keeper() });
    writer.writeFacts(() => []);
    return writer.signHead() === undefined ? 0 : 1;
  } finally {
    database.close();
  }
}

describe('a run', () => {
  it('leaves no session open, however it ends', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const sessions = () => fs.readdirSync(place.path).filter((name) => name.includes('-session-'));
    await place.archiver(100).run({ payloadDays: 90 });
    expect(sessions()).toEqual([]);
    const onStep = (step: string) => {
      if (step === 'exported') throw new TypeError('a fault');
    };
    await expect(place.archiver(100, { onStep }).run(POLICY)).rejects.toThrow('a fault');
    expect(sessions()).toEqual([]);
    expect(await place.archiver(100).run(POLICY)).toMatchObject({ problems: [], archives: [{}] });
  });

  it('waits for the lock of another process to say that it has ended', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    let other: Database.Database | undefined;
    const onStep = (step: string) => {
      if (step !== 'emptied') return;
      other = new Database(place.log);
      other.exec('BEGIN IMMEDIATE');
      // Ended by a turn of the event loop that comes while the run waits, however long that takes.
      setTimeout(() => other?.close(), 5);
    };
    expect(await place.archiver(100, { onStep, busyTimeoutMs: 60_000 }).run({ payloadDays: 90 })).toMatchObject({ erased: 4, problems: [] });
    expect(other?.open).toBe(false);
    expect(place.query('SELECT kind FROM records ORDER BY seq DESC LIMIT 2')).toEqual([{ kind: 'audit.head' }, { kind: 'audit.closed' }]);
  });
});
