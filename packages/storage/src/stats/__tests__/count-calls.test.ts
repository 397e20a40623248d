import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AgentLogRecord } from '@devs/core';
import fc from 'fast-check';
import { callId, createTempFolder, intentOf, recordOf } from '../../__tests__/fixtures.ts';
import { openSqliteAgentLogReader, openSqliteAgentLogs } from '../../index.ts';
import { tamper } from '../../verify/__tests__/log-builder.ts';

let folder: ReturnType<typeof createTempFolder>;
beforeEach(() => {
  folder = createTempFolder();
});
afterEach(() => folder[Symbol.dispose]());

async function write(records: readonly Partial<AgentLogRecord>[]): Promise<void> {
  await using logs = openSqliteAgentLogs({ file: folder.log, durability: 'process' });
  await Promise.all(records.map(async (record, index) => logs.append(recordOf({ id: callId(index + 1), ...record }))));
}

/** The smallest value that is not below that share of the values. */
function rankOf(values: readonly number[], share: number): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1];
}

describe('stats', () => {
  it('counts by tool and outcome, the most called first, and adds up', async () => {
    await write([
      { toolName: 'a', status: 'ok' },
      { toolName: 'b', status: 'ok' },
      { toolName: 'b', status: 'error' },
      { toolName: 'b', status: 'denied' },
      { toolName: 'b', status: 'withheld' },
    ]);
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    const { tools, total, moreTools, countedRefusals } = await reader.stats({});
    expect(tools).toMatchObject([
      { toolName: 'b', calls: 4, ok: 1, errors: 1, refusals: 1, withheld: 1, unknown: 0 },
      { toolName: 'a', calls: 1, ok: 1, errors: 0, refusals: 0 },
    ]);
    expect(total).toEqual({ calls: 5, ok: 2, errors: 1, refusals: 1, withheld: 1, unknown: 0 });
    expect({ moreTools, countedRefusals }).toEqual({ moreTools: 0, countedRefusals: 0 });
  });

  it('gives exact durations by nearest rank, of what ran', async () => {
    const durations = fc.sample(fc.integer({ min: 0, max: 5_000 }).map((ms) => ms / 8), { numRuns: 333, seed: 6 });
    const statuses = ['ok', 'error', 'withheld'] as const;
    await write([
      ...durations.map((durationMs, index) => ({ durationMs, status: statuses[index % 3] ?? 'ok' })),
      // Neither a refusal nor a duration that was none says how long the tool takes.
      ...[1, 2, 3].map(() => ({ durationMs: 1e9, status: 'denied' as const })),
      ...[1, 2, 3].map(() => ({ durationMs: Number.NaN })),
    ]);
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    const { tools } = await reader.stats({});
    expect(tools).toMatchObject([{ calls: 339, p50: rankOf(durations, 0.5), p95: rankOf(durations, 0.95), p99: rankOf(durations, 0.99) }]);
  });

  it.each([1, 2, 3, 19, 20, 21, 100])('has the right rank of %i calls', async (count) => {
    const durations = Array.from({ length: count }, (_, index) => index + 1);
    await write([...durations, Number.NaN].map((durationMs) => ({ durationMs })));
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    const [tool] = (await reader.stats({})).tools;
    expect([tool?.p50, tool?.p95, tool?.p99]).toEqual([0.5, 0.95, 0.99].map((share) => rankOf(durations, share)));
  });

  it('has no durations of a tool that never ran', async () => {
    await write([{ status: 'denied' }]);
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    expect((await reader.stats({})).tools).toMatchObject([{ p50: undefined, p95: undefined, p99: undefined }]);
  });

  it('keeps to the tool and the time that are asked for', async () => {
    const at = (second: number) => `2026-01-02T03:04:0${second}.000Z`;
    await write([1, 2, 3, 4].map((second) => ({ toolName: second < 4 ? 'a' : 'b', timestamp: at(second), durationMs: second })));
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    expect((await reader.stats({ since: at(2), until: at(4) })).tools).toMatchObject([{ toolName: 'a', calls: 2, p50: 2, p99: 3 }]);
    expect((await reader.stats({ toolName: 'b' })).tools).toMatchObject([{ toolName: 'b', calls: 1, p50: 4 }]);
    expect((await reader.stats({ toolName: 'none' })).total.calls).toBe(0);
    await expect(reader.stats({ since: 'yesterday' })).rejects.toMatchObject({ code: 'LOG_QUERY_REFUSED' });
  });

  // Few names are counted one by one, many all at once.
  it.each([103, 255, 256, 257, 300])('shows a hundred of %i names, and says how many more somebody has asked for', async (count) => {
    const twice = Array.from({ length: count + 1 }, (_, index) => ({ toolName: `tool-${index % count}`, status: index % 2 === 0 ? ('error' as const) : ('ok' as const) }));
    await write(twice);
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    const { tools, moreTools, total } = await reader.stats({});
    expect([tools.length, moreTools]).toEqual([100, count - 100]);
    const errors = twice.filter(({ status }) => status === 'error').length;
    expect(total).toMatchObject({ calls: count + 1, errors, ok: count + 1 - errors });
    expect(tools[0]).toMatchObject({ toolName: 'tool-0', calls: 2 });
  });

  it('counts a call without a name, which somebody has taken away', async () => {
    await write([{ toolName: 'a' }, { toolName: 'b' }]);
    tamper(folder.log, (database) => database.exec(`UPDATE records SET header = json_remove(header, '$.toolName') WHERE header ->> '$.toolName' = 'a'`));
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    expect((await reader.stats({})).total.calls).toBe(2);
  });

  it('counts calls that have not ended apart, by tool and time', async () => {
    await using logs = openSqliteAgentLogs({ file: folder.log, durability: 'process' });
    await logs.append(recordOf({ id: callId(1), toolName: 'a' }));
    await logs.begin(intentOf({ id: callId(2), toolName: 'a', timestamp: '2026-01-01T00:00:00.000Z' }));
    await logs.begin(intentOf({ id: callId(3), toolName: 'b', timestamp: '2026-02-01T00:00:00.000Z' }));
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    const count = async (query: object) => (await reader.stats(query)).notEnded;
    expect(await Promise.all([{}, { toolName: 'a' }, { since: '2026-01-15T00:00:00.000Z' }, { until: '2026-01-15T00:00:00.000Z', toolName: 'b' }].map(count))).toEqual([2, 1, 1, 0]);
    expect((await reader.stats({})).total.calls).toBe(1);
  });

  it('counts refusals that came too fast to be recorded', async () => {
    await write(Array.from({ length: 150 }, () => ({ toolName: 'none', status: 'denied' as const, isError: true, code: 'UNKNOWN_TOOL' as const })));
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    const { total, countedRefusals } = await reader.stats({});
    expect(countedRefusals).toBeGreaterThan(0);
    expect(total.refusals + countedRefusals).toBe(150);
    expect((await reader.stats({ toolName: 'none' })).countedRefusals).toBe(0);
    expect((await reader.stats({ since: '2999-01-01T00:00:00.000Z' })).countedRefusals).toBe(0);
  });

  it('counts a call whose devs has gone as unknown', async () => {
    {
      await using logs = openSqliteAgentLogs({ file: folder.log, durability: 'process' });
      await logs.begin(intentOf());
    }
    await write([{ id: callId(2) }]);
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    expect((await reader.stats({})).total).toMatchObject({ calls: 2, ok: 1, unknown: 1 });
  });
});
