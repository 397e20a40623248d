import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { AgentLogRecord } from '@devs/core';
import Database from 'better-sqlite3';
import { openSqliteAgentLogs } from '../index.ts';
import { RefusalFloods } from '../sqlite/refusal-flood.ts';
import { callId, createTempFolder, recordOf } from './fixtures.ts';

function refusal(number: number, change: Partial<AgentLogRecord> = {}): AgentLogRecord {
  const timestamp = `2026-01-01T00:00:00.${String(number % 1_000).padStart(3, '0')}Z`;
  return recordOf({ id: callId(number), status: 'denied', isError: true, code: 'UNKNOWN_TOOL', timestamp, ...change });
}

/** Facts and refusals, as they stand in the file. */
function readFlood(file: string) {
  const database = new Database(file, { readonly: true });
  const count = (kind: string) => database.prepare<[string], number>('SELECT count(*) FROM records WHERE kind = ?').pluck().get(kind);
  const headers = database.prepare<[], string>("SELECT header FROM records WHERE kind = 'call.coalesced' ORDER BY seq").pluck().all();
  const read = { denied: count('call.denied'), started: count('call.started'), facts: headers.map((header) => JSON.parse(header) as Record<string, unknown>) };
  database.close();
  return read;
}

describe('a flood of refusals', () => {
  it('is written one by one up to a hundred a minute, then counted, by principal and reason', async () => {
    using folder = createTempFolder();
    {
      await using logs = openSqliteAgentLogs({ file: folder.log, durability: 'process' });
      for (let number = 1; number <= 250; number += 1) await logs.append(refusal(number));
      expect(await logs.append(refusal(251))).toBeUndefined();
      expect(await logs.append(refusal(252, { code: 'POLICY_DENIED' }))).toMatchObject({ leaf: expect.any(String) });
      expect(await logs.append(refusal(253, { principal: 'other' }))).toMatchObject({ leaf: expect.any(String) });
    }
    const { denied, facts } = readFlood(folder.log);
    expect(denied).toBe(102);
    expect(facts).toMatchObject([{ principal: 'local', code: 'UNKNOWN_TOOL', count: 151, from: '2026-01-01T00:00:00.101Z', to: '2026-01-01T00:00:00.251Z' }]);
  });

  it('is written down by itself, without a close', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log, durability: 'process' });
    for (let number = 1; number <= 101; number += 1) await logs.append(refusal(number));
    // Not for ever: where nothing is counted, the test has to be red, not to hang.
    for (let looks = 0; looks < 1_000 && readFlood(folder.log).facts.length === 0; looks += 1) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(readFlood(folder.log).facts).toMatchObject([{ count: 1 }]);
  });

  it('keeps no call that ran from being written', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log, durability: 'process' });
    for (let number = 1; number <= 150; number += 1) await logs.append(recordOf({ id: callId(number), status: 'error', code: 'TOOL_TIMEOUT' }));
    expect(await logs.list({ limit: 1_000 })).toHaveLength(150);
  });
});

describe('a log that cannot be written', () => {
  it('counts nothing: a refusal that nobody writes down is not answered as if somebody had', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log, durability: 'process', busyTimeoutMs: 0 });
    for (let number = 1; number <= 120; number += 1) await logs.append(refusal(number));
    const other = new Database(folder.log);
    other.exec('BEGIN IMMEDIATE');
    await expect(logs.append(recordOf({ id: callId(900) }))).rejects.toMatchObject({ failure: 'busy' });
    await expect(logs.append(refusal(901))).rejects.toMatchObject({ failure: 'busy' });
    other.close();
  });

  it('says at the close what it has counted and could not write', async () => {
    using folder = createTempFolder();
    const problems: string[] = [];
    const logs = openSqliteAgentLogs({ file: folder.log, durability: 'process', busyTimeoutMs: 0, onProblem: (sentence) => problems.push(sentence) });
    for (let number = 1; number <= 120; number += 1) await logs.append(refusal(number));
    const other = new Database(folder.log);
    other.exec('BEGIN IMMEDIATE');
    await logs.close();
    other.close();
    expect(problems).toEqual([expect.stringContaining('20 refusals that were counted are lost')]);
  });
});

describe('what had begun', () => {
  it('is written to its end, whatever it ended with: a tool may be refused something in the midst of its work', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log, durability: 'process' });
    for (let number = 1; number <= 150; number += 1) {
      await logs.begin(refusal(number));
      expect(await logs.append(refusal(number, { code: 'PATH_PROTECTED' }))).toMatchObject({ seq: expect.any(Number) });
    }
    expect(await logs.list({ limit: 1_000, status: 'started' })).toEqual([]);
    expect(readFlood(folder.log)).toEqual({ denied: 150, started: 150, facts: [] });
  });
});

describe('a flood of refusals in the midst of tools that change nothing', () => {
  const READS = { mayWait: true };
  /** Calls that begin at once and are then refused. */
  async function refuse(logs: ReturnType<typeof openSqliteAgentLogs>, from: number, to: number): Promise<void> {
    const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
    for (const number of numbers) await logs.begin(refusal(number), READS);
    for (const number of numbers) await logs.append(refusal(number, { code: 'PATH_OUTSIDE_ROOT' }));
  }

  afterEach(() => {
    jest.useRealTimers();
  });

  it('is written up to a hundred a minute, start and end, then counted', async () => {
    // A start that is held is written after 50 ms, and its end with it. On a machine with no time to spare that is one of these.
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    using folder = createTempFolder();
    {
      await using logs = openSqliteAgentLogs({ file: folder.log, durability: 'process' });
      for (let from = 1; from < 2_000; from += 20) {
        await refuse(logs, from, from + 19);
        // A call of somebody else's makes the log write between.
        await logs.begin(recordOf({ id: callId(5_000 + from), principal: 'other' }));
        await logs.append(recordOf({ id: callId(5_000 + from), principal: 'other' }));
      }
      expect(await logs.list({ limit: 1_000, status: 'started' })).toEqual([]);
    }
    const { denied, facts, started } = readFlood(folder.log);
    expect([denied, started]).toEqual([100, 200]);
    expect(facts.reduce((sum, { count }) => sum + Number(count), 0)).toBe(1_900);
    expect(facts).toMatchObject([{ principal: 'local', code: 'PATH_OUTSIDE_ROOT' }]);
  });

  it('shows a call that goes on, and writes the end of one whose start it has shown', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log, durability: 'process' });
    for (let number = 1; number <= 120; number += 1) await logs.append(refusal(number));
    await logs.begin(refusal(500), READS);
    while ((await logs.list({ limit: 10, status: 'started' })).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await logs.append(refusal(500))).toMatchObject({ seq: expect.any(Number) });
    expect(await logs.get(callId(500))).toMatchObject({ status: 'denied' });
  });

  it('takes nothing from calls that end otherwise, and loses none at the close', async () => {
    using folder = createTempFolder();
    {
      await using logs = openSqliteAgentLogs({ file: folder.log, durability: 'process' });
      for (let number = 1; number <= 150; number += 1) {
        await logs.begin(recordOf({ id: callId(number) }), READS);
        if (number <= 140) await logs.append(recordOf({ id: callId(number), status: 'error', code: 'TOOL_TIMEOUT' }));
      }
      logs.abandon(callId(150));
    }
    await using again = openSqliteAgentLogs({ file: folder.log, durability: 'process' });
    const statuses = (await again.list({ limit: 1_000 })).map(({ status }) => status);
    expect([statuses.filter((status) => status === 'error').length, statuses.length]).toEqual([140, 149]);
  });
});

describe('counting', () => {
  it('begins anew after a minute', () => {
    let now = 0;
    const floods = new RefusalFloods(() => now);
    const counted = () => Array.from({ length: 150 }, (_, number) => floods.counts(refusal(number))).filter(Boolean).length;
    expect(counted()).toBe(50);
    now = 59_999;
    expect(counted()).toBe(150);
    now = 60_000;
    expect(counted()).toBe(50);
    expect(floods.take()).toMatchObject([{ count: 250 }]);
    expect(floods.take()).toEqual([]);
  });

  it('goes on with what could not be written', () => {
    const floods = new RefusalFloods(() => 0);
    for (let number = 0; number < 110; number += 1) floods.counts(refusal(number));
    const [taken] = floods.take();
    floods.counts(refusal(900));
    if (taken !== undefined) floods.putBack(taken);
    expect(floods.take()).toMatchObject([{ count: 11, from: '2026-01-01T00:00:00.100Z', to: '2026-01-01T00:00:00.900Z' }]);
  });

  it('forgets principals of minutes ago, and counts together those for whom it has no room', () => {
    let now = 0;
    const floods = new RefusalFloods(() => now);
    const flood = (principal: string) => Array.from({ length: 101 }, (_, number) => floods.counts(refusal(number, { principal }))).filter(Boolean).length;
    for (let number = 0; number < 1_000; number += 1) floods.counts(refusal(1, { principal: `principal ${number}` }));
    expect([flood('one more'), flood('another')]).toEqual([1, 101]);
    expect(floods.take()).toMatchObject([{ principal: '(others)', code: null, count: 102 }]);
    now = 60_000;
    expect([flood('one more'), flood('another')]).toEqual([1, 1]);
    expect(floods.take()).toMatchObject([{ principal: 'one more' }, { principal: 'another' }]);
  });

  it('names no principal at length', () => {
    const floods = new RefusalFloods(() => 0);
    for (let number = 0; number < 101; number += 1) floods.counts(refusal(number, { principal: 'x'.repeat(10_000_000) }));
    expect(floods.take()[0]?.principal).toHaveLength(200);
  });
});
