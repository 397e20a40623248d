import { describe, expect, it } from '@jest/globals';
import { createMemoryAgentLogs } from '../index.ts';
import { describeAgentLogsContract } from './contract.ts';
import { callId, recordOf } from './fixtures.ts';

describe('the log in memory', () => {
  describeAgentLogsContract(async () => {
    const logs = createMemoryAgentLogs();
    return { logs, dispose: async () => await logs.close() };
  });

  it('keeps the newest calls when it is full', async () => {
    await using logs = createMemoryAgentLogs({ maxCalls: 2 });
    for (const number of [1, 2, 3]) await logs.append(recordOf({ id: callId(number) }));
    expect((await logs.list({ limit: 10 })).map(({ id }) => id)).toEqual([callId(3), callId(2)]);
  });
});
