import fs from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { openSqliteAgentLogs } from '../index.ts';
import { BYTES_OF_A_CALL, freePageBytes, LogRoom, measureLog, type LogLimits, type LogUse } from '../sqlite/log-room.ts';
import { callId, createTempFolder, intentOf, recordOf } from './fixtures.ts';

const MIB = 1_048_576;

/** A log whose size and disk are what the test says. */
function createRoom(limits: LogLimits, use: LogUse) {
  const world = { use, now: 0, measured: 0 };
  const measure = () => {
    world.measured += 1;
    return world.use;
  };
  const room = new LogRoom({ limits, measure, now: () => world.now });
  const failureOf = (open = 0): unknown => {
    try {
      room.check(open);
      return undefined;
    } catch (cause) {
      return Object(cause).failure;
    }
  };
  return { world, failureOf };
}

describe('whether there is room for another call', () => {
  it.each<[string, LogLimits, LogUse, number, string | undefined]>([
    ['no limit', { maxBytes: 0, minFreeBytes: 0 }, { bytes: 1e15, freeBytes: 0 }, 9, undefined],
    ['far from both', { maxBytes: 100 * MIB, minFreeBytes: 256 * MIB }, { bytes: 10 * MIB, freeBytes: 999 * MIB }, 3, undefined],
    ['the log is full', { maxBytes: 100 * MIB, minFreeBytes: 0 }, { bytes: 100 * MIB, freeBytes: 999 * MIB }, 0, 'quota'],
    ['room for just one', { maxBytes: 100 * MIB, minFreeBytes: 0 }, { bytes: 100 * MIB - BYTES_OF_A_CALL, freeBytes: 0 }, 0, undefined],
    ['that one is for a call that has begun', { maxBytes: 100 * MIB, minFreeBytes: 0 }, { bytes: 100 * MIB - BYTES_OF_A_CALL, freeBytes: 0 }, 1, 'quota'],
    ['the disk is at its reserve', { maxBytes: 0, minFreeBytes: 256 * MIB }, { bytes: 0, freeBytes: 256 * MIB }, 0, undefined],
    ['the disk is below it', { maxBytes: 0, minFreeBytes: 256 * MIB }, { bytes: 0, freeBytes: 256 * MIB - 1 }, 0, 'reserve'],
    ['the disk does not say', { maxBytes: 0, minFreeBytes: 256 * MIB }, { bytes: 0, freeBytes: undefined }, 0, undefined],
  ])('%s', (_name, limits, use, open, failure) => {
    expect(createRoom(limits, use).failureOf(open)).toBe(failure);
  });

  it('is measured now and then where there is much, and each time where there is little', () => {
    const limits = { maxBytes: 0, minFreeBytes: 256 * MIB };
    const much = createRoom(limits, { bytes: 0, freeBytes: 10_000 * MIB });
    for (let call = 0; call < 100; call += 1) much.failureOf();
    expect(much.world.measured).toBe(1);
    much.world.now += 250;
    much.failureOf();
    expect(much.world.measured).toBe(2);
    const little = createRoom(limits, { bytes: 0, freeBytes: 257 * MIB });
    for (let call = 0; call < 100; call += 1) little.failureOf();
    expect(little.world.measured).toBe(100);
  });

  it('is there again as soon as somebody makes some', () => {
    const { world, failureOf } = createRoom({ maxBytes: 0, minFreeBytes: 256 * MIB }, { bytes: 0, freeBytes: 1 });
    expect([failureOf(), failureOf()]).toEqual(['reserve', 'reserve']);
    world.use = { bytes: 0, freeBytes: 999 * MIB };
    expect(failureOf()).toBeUndefined();
  });
});

describe('a log with limits', () => {
  it('refuses calls and refusals beyond them, ends those that have begun, and goes on when there is room', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log, durability: 'process', limits: { maxBytes: 3 * MIB, minFreeBytes: 0 } });
    await logs.begin(intentOf({ id: callId(1) }));
    // Another file of the log has taken the room.
    fs.writeFileSync(`${folder.log}-search`, Buffer.alloc(3 * MIB));
    await expect(logs.begin(intentOf({ id: callId(2) }))).rejects.toMatchObject({ failure: 'quota' });
    await expect(logs.append(recordOf({ id: callId(3), status: 'denied' }))).rejects.toMatchObject({ failure: 'quota' });
    await expect(logs.append(recordOf({ id: callId(1) }))).resolves.toMatchObject({ seq: expect.any(Number) });
    fs.rmSync(`${folder.log}-search`);
    await logs.begin(intentOf({ id: callId(4) }));
    await expect(logs.append(recordOf({ id: callId(4) }))).resolves.toMatchObject({ seq: expect.any(Number) });
  });

  it('stays below them with its journal', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log, durability: 'process', limits: { maxBytes: 5 * MIB, minFreeBytes: 0 } });
    let written = 0;
    const write = async () => {
      await logs.begin(intentOf({ id: callId(written), input: { text: 'x'.repeat(200_000) } }));
      await logs.append(recordOf({ id: callId(written), input: { text: 'x'.repeat(200_000) } }));
      written += 1;
    };
    await expect((async () => {
      for (;;) await write();
    })()).rejects.toMatchObject({ failure: 'quota' });
    // A start and an outcome of 200 KB each, once in the journal.
    expect(written).toBeGreaterThan(5);
    const sizes = ['', '-wal', '-shm'].map((suffix) => fs.statSync(`${folder.log}${suffix}`).size);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(5 * MIB);
  });

  it('has room where pages are free, though its file does not shrink', () => {
    using folder = createTempFolder();
    const database = new Database(folder.log);
    database.exec("CREATE TABLE t (a); INSERT INTO t SELECT zeroblob(2000) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) SELECT i FROM n); DELETE FROM t");
    const free = freePageBytes(database);
    expect(free).toBeGreaterThan(2_000_000);
    expect(measureLog(folder.log, free).bytes).toBeLessThan(100_000);
    database.close();
  });

  it('refuses where the disk has less free than is to stay', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log, durability: 'process', limits: { maxBytes: 0, minFreeBytes: Number.MAX_SAFE_INTEGER } });
    await expect(logs.begin(intentOf())).rejects.toMatchObject({ failure: 'reserve' });
  });
});
