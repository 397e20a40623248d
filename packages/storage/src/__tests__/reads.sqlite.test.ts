import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AgentLogQuery, AgentLogRecord } from '@devs/core';
import fc from 'fast-check';
import { openSqliteAgentLogReader, openSqliteAgentLogs } from '../index.ts';
import { overwrite, settle } from './damage.ts';
import { callId, createTempFolder, intentOf, recordOf } from './fixtures.ts';

let folder: ReturnType<typeof createTempFolder>;
beforeEach(() => {
  folder = createTempFolder();
});
afterEach(() => folder[Symbol.dispose]());

async function write(...records: readonly Partial<AgentLogRecord>[]): Promise<void> {
  await using logs = openSqliteAgentLogs({ file: folder.log, durability: 'process' });
  for (const record of records) {
    if (record.status !== 'denied') await logs.begin(intentOf({ id: record.id ?? callId(1), ...record }));
    await logs.append(recordOf(record));
  }
}

const FIELDS = {
  toolName: fc.constantFrom('a', 'b'),
  agentId: fc.constantFrom('x', 'y'),
  phaseId: fc.constantFrom('p', 'q'),
  epicId: fc.constantFrom('e', 'f'),
  status: fc.constantFrom('ok', 'error', 'denied', 'withheld'),
} as const;

/** A clock that goes backwards and stands still: the order is that of the records. */
const TIME = fc.integer({ min: 0, max: 9 }).map((second) => `2026-01-02T03:04:0${second}.000Z`);

describe('list, in a file', () => {
  it('gives what a look at every call would give, on every page', async () => {
    const calls = fc.sample(fc.record({ ...FIELDS, timestamp: TIME }), { numRuns: 300, seed: 6 });
    await write(...calls.map((call, index) => ({ ...call, id: callId(index + 1) })));
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    const all = await reader.list({ limit: 1_000 });
    expect(all).toHaveLength(300);
    const query = fc.record({ ...FIELDS, since: TIME, until: TIME, before: fc.integer({ min: 1, max: 700 }) }, { requiredKeys: [] });
    const law = fc.asyncProperty(query, fc.integer({ min: 1, max: 70 }), async (asked, limit) => {
      const expected = all.filter((entry) => isAsked(entry, asked)).slice(0, limit);
      expect(await reader.list({ ...asked, limit })).toEqual(expected);
    });
    await fc.assert(law, { numRuns: 150, seed: 6 });
  });

  it('shows a call whose devs has gone as unknown, and finds it so', async () => {
    {
      await using logs = openSqliteAgentLogs({ file: folder.log, durability: 'process' });
      await logs.begin(intentOf());
    }
    {
      await using again = openSqliteAgentLogs({ file: folder.log, durability: 'process' });
      await again.append(recordOf({ id: callId(2) }));
    }
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    const [unknown] = await reader.list({ limit: 10, status: 'unknown' });
    expect(unknown).toMatchObject({ id: callId(1), status: 'unknown', input: intentOf().input, output: null, isErased: false });
    expect(await reader.list({ limit: 10, status: 'started' })).toEqual([]);
  });
});

function isAsked(entry: { readonly receipt: { readonly seq: number }; readonly timestamp: string }, asked: Partial<AgentLogQuery>): boolean {
  const { since = '', until = '9', before = Number.MAX_SAFE_INTEGER, ...same } = asked;
  const isSame = Object.entries(same).every(([name, value]) => Object.entries(entry).some(([key, held]) => key === name && held === value));
  return isSame && entry.timestamp >= since && entry.timestamp < until && entry.receipt.seq < before;
}

describe('a damaged header', () => {
  const tools = { [callId(1)]: 'one', [callId(2)]: 'two', [callId(3)]: 'three' };
  beforeEach(async () => {
    await write(...Object.entries(tools).map(([id, toolName]) => ({ id, toolName, agentId: 'agent', phaseId: 'phase', status: 'denied' as const })));
    settle(folder.log);
    // No JSON any more: SQLite fails to take it apart.
    overwrite(folder.log, `"callId":"${callId(2)}"`, `"callId";"${callId(2)}"`);
  });

  it.each<[string, Partial<AgentLogQuery>]>([
    ['no filter', {}],
    ['agent', { agentId: 'agent' }],
    ['status', { status: 'denied' }],
    ['phase and agent', { phaseId: 'phase', agentId: 'agent' }],
    ['time', { since: '2026-01-01T00:00:00.000Z', agentId: 'agent' }],
  ])('hides no other call and is shown as damaged: %s', async (_name, query) => {
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    const found = await reader.list({ limit: 10, ...query });
    const calls = found.filter(({ toolName }) => !toolName.startsWith('[not readable'));
    expect(calls.map(({ toolName }) => toolName)).toEqual(['three', 'one']);
    expect(found.filter(({ status }) => status === 'unknown')).toMatchObject([{ status: 'unknown', agentId: expect.stringContaining('not readable') }]);
  });

  it('is under no status that the index knows it did not have', async () => {
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    expect(await reader.list({ limit: 10, status: 'ok', agentId: 'agent' })).toEqual([]);
  });

  it('is shown once where it is that of a call which has not ended', async () => {
    {
      await using logs = openSqliteAgentLogs({ file: folder.log, durability: 'process' });
      await logs.begin(intentOf({ id: callId(4) }));
    }
    settle(folder.log);
    overwrite(folder.log, `"callId":"${callId(4)}"`, `"callId";"${callId(4)}"`);
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    expect((await reader.list({ limit: 10 })).filter(({ toolName }) => toolName.startsWith('[not readable'))).toHaveLength(2);
  });

  it('is found by the id that the index still has, and is in stats, search and tail no stone in the way', async () => {
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    expect(await reader.get(callId(2))).toMatchObject({ id: callId(2), status: 'unknown' });
    expect((await reader.records(callId(2))).map(({ header }) => header)).toEqual([undefined]);
    expect((await reader.stats({})).total.calls).toBe(3);
    expect((await reader.search('hello', { limit: 10 })).hits.map(({ entry }) => entry.toolName)).toEqual(['three', 'one']);
    expect((await reader.tail(0, 100)).filter(({ header }) => header === undefined)).toHaveLength(1);
  });
});

describe('a start that names itself wrongly', () => {
  it('lends its input to no other call', async () => {
    await write({ id: callId(1), input: { secret: 'of another' } }, { id: callId(2), input: { own: true } });
    settle(folder.log);
    // The outcome of the second call names the start of the first.
    const [first, second] = [await seqOfStart(callId(1)), await seqOfStart(callId(2))];
    expect(overwrite(folder.log, `"started":${second},`, `"started":${first},`)).toBe(1);
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    expect(await reader.get(callId(2))).toMatchObject({ input: null });
  });
});

async function seqOfStart(id: string): Promise<number> {
  await using reader = openSqliteAgentLogReader({ file: folder.log });
  return (await reader.records(id))[0]?.seq ?? 0;
}

describe('records', () => {
  it('gives all of one call, oldest first, with what they hold', async () => {
    await write({ id: callId(1) }, { id: callId(2) });
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    const records = await reader.records(callId(2));
    expect(records.map(({ header }) => header?.['kind'])).toEqual(['call.started', 'call.finished']);
    expect(records.map(({ header }) => header?.['callId'])).toEqual([callId(2), callId(2)]);
    expect(records).toMatchObject([{ payload: { input: { path: 'README.md' } }, isErased: false }, { payload: { output: {} } }]);
    expect(await reader.records('00000099')).toEqual([]);
  });
});

describe('tail', () => {
  it('gives what is new, once, and nothing while nothing is', async () => {
    await using logs = openSqliteAgentLogs({ file: folder.log, durability: 'process' });
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    await logs.append(recordOf({ id: callId(1) }));
    const first = await reader.tail(0, 100);
    expect(first.map(({ header }) => header?.['kind'])).toEqual(['audit.opened', 'call.finished']);
    const after = await reader.newest();
    expect(first.at(-1)?.seq).toBe(after);
    expect(await reader.tail(after, 100)).toEqual([]);
    expect(await reader.tail(after, 100)).toEqual([]);
    await logs.append(recordOf({ id: callId(2) }));
    expect((await reader.tail(after, 100)).map(({ header }) => header?.['callId'])).toEqual([callId(2)]);
    for (const seq of [1, 2, 3]) expect((await reader.tail(seq - 1, 1)).map((record) => record.seq)).toEqual([seq]);
    expect((await reader.tail(0, 1)).map(({ seq }) => seq)).toEqual([1]);
  });
});

describe('a log that is moved away while it is followed', () => {
  it('is said: whoever waits would wait for ever', async () => {
    await write({});
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    await reader.tail(0, 100);
    fs.renameSync(folder.log, `${folder.log}.old`);
    await expect(reader.tail(0, 100)).rejects.toMatchObject({ failure: 'moved' });
    fs.renameSync(`${folder.log}.old`, folder.log);
  });
});

describe('an erased payload', () => {
  it('is said, and never taken for an empty one', async () => {
    await write({ id: callId(1) });
    const { default: Database } = await import('better-sqlite3');
    const database = new Database(folder.log);
    database.exec('UPDATE records SET payload = NULL, salt = NULL');
    database.close();
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    expect(await reader.get(callId(1))).toMatchObject({ isErased: true, input: null, output: null, detail: null, toolName: 'read_file' });
    expect((await reader.records(callId(1))).map(({ isErased, payload }) => [isErased, payload])).toEqual([[true, null], [true, null]]);
    expect((await reader.tail(0, 1)).map(({ isErased }) => isErased)).toEqual([false]);
  });
});
