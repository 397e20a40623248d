import fs from 'node:fs';
import process from 'node:process';
import { describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { callId } from '../../__tests__/fixtures.ts';
import { NO_LEAF } from '../../chain/header.ts';
import { hasBeenPruned } from '../../sqlite/chain-writer.ts';
import { CHAIN } from '../../sqlite/records-schema.ts';
import { eraseSpan } from '../erase.ts';
import { pruneRecords, type PruningOrder } from '../prune.ts';
import { dayAt } from './archiver.ts';
import { callOf, createArchivePlace, outcomeOf, type ArchivePlace } from './fixtures.ts';

const STORE = 'ab'.repeat(16);

/** What is looked at once more under the lock: the log is not any more what it was when the plan was made. */
function attempt(place: ArchivePlace, work: (database: Database.Database) => void): void {
  const database = new Database(place.log);
  try {
    database.exec('BEGIN IMMEDIATE');
    work(database);
  } finally {
    database.close();
  }
}

describe('under the lock', () => {
  const ORDER: PruningOrder = { from: 1, upTo: 8, records: 8, erasure: 0, now: dayAt(100), ignored: 0 };

  it.each<[string, Partial<PruningOrder>, RegExp]>([
    ['others have pruned', { from: 2 }, /has changed since its records were exported/],
    ['others have erased', { erasure: 5 }, /has changed since its records were exported/],
    ['there are more records than were exported', { records: 7 }, /has changed since its records were exported/],
    ['a call has come that has not ended', { upTo: 11, records: 11 }, /has changed since its records were exported/],
    ['the clock has been set back', { now: dayAt(-1) }, /the clock is wrong, or was/],
    ['the clock has been set back, and records before the last are left out', { now: dayAt(-1), ignored: 9 }, /the clock is wrong, or was/],
  ])('nothing leaves where %s', async (_, change, expected) => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    await using logs = place.open(0);
    await logs.begin(callOf(3, 0));
    attempt(place, (database) => expect(() => pruneRecords({ database, file: place.log }, { ...ORDER, ...change })).toThrow(expected));
    attempt(place, (database) => expect(() => pruneRecords({ database, file: place.log }, ORDER)).not.toThrow());
    await logs.append(outcomeOf(3, 0));
  });

  it('nothing is erased where the clock has been set back, or a call has not ended', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 1]);
    await using logs = place.open(0);
    await logs.begin(callOf(2, 0));
    const order = { from: 1, upTo: 99, before: dayAt(10), days: 90, now: dayAt(100), ignored: 0 };
    attempt(place, (database) => expect(() => eraseSpan({ database, file: place.log }, { ...order, now: dayAt(-1) })).toThrow(/the clock is wrong, or was/));
    attempt(place, (database) => {
      expect(eraseSpan({ database, file: place.log }, order)).toMatchObject([{ from: 2, count: 2 }]);
      expect(database.prepare(`SELECT payload IS NULL AS isGone FROM records WHERE call_id = '${callId(2)}'`).get()).toEqual({ isGone: 0 });
    });
    await logs.append(outcomeOf(2, 0));
  });

  it('what SQLite sets aside for undoing is in no file', async () => {
    // Elsewhere nothing lists them.
    if (process.platform !== 'linux') return;
    using place = createArchivePlace();
    await using logs = place.open(0);
    await Promise.all(Array.from({ length: 900 }, async (_, index) => logs.append(outcomeOf(index + 1, 0))));
    await logs.close();
    const open: string[] = [];
    // Asked for each fact too, which is written after the payloads are gone and before that is committed.
    const now = () => {
      open.push(...openFiles());
      return dayAt(100);
    };
    expect(await place.archiver(100, { now }).run({ payloadDays: 60 })).toMatchObject({ problems: [], erased: 900 });
    expect(open.join('\n')).toContain('agent_logs.db-wal');
    // Without a name from the start, or with one that was taken away.
    expect(open.filter((file) => /etilqs|\/#\d+ \(deleted\)$/.test(file))).toEqual([]);
  });
});

function openFiles(): readonly string[] {
  return fs.readdirSync('/proc/self/fd').map((name) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      // The one that listed them.
      return '';
    }
  });
}

describe('hasBeenPruned', () => {
  function createLog(fact: object, prev = 'cd'.repeat(32)): Database.Database {
    const database = new Database(':memory:');
    for (const sql of CHAIN) database.exec(sql);
    const insert = database.prepare('INSERT INTO records (seq, leaf, header) VALUES (?, zeroblob(32), ?)');
    insert.run(11, JSON.stringify({ seq: 11, prev, kind: 'audit.opened', store: STORE }));
    insert.run(12, JSON.stringify({ seq: 12, prev: NO_LEAF, kind: 'audit.pruned', store: STORE, upTo: 10, leaf: 'cd'.repeat(32), ...fact }));
    return database;
  }

  it.each([
    ['of what the log says', {}, 5, true],
    ['of what is still there', {}, 11, false],
    ['where more is gone than it says', { upTo: 9 }, 5, false],
    ['where something else follows', { leaf: 'ce'.repeat(32) }, 5, false],
    ['where another log says so', { store: 'ef'.repeat(16) }, 5, false],
    ['where nothing says so', { kind: 'audit.erased' }, 5, false],
  ])('%s', (_, fact, seq, expected) => {
    const database = createLog(fact);
    expect(hasBeenPruned(database, { seq, store: STORE })).toBe(expected);
    database.close();
  });
});
