import { describe, expect, it } from '@jest/globals';
import { openSqliteAgentLogReader, openSqliteAgentLogs } from '../index.ts';
import { describeAgentLogsContract } from './contract.ts';
import { entryOf } from './entry-of.ts';
import { callId, createTempFolder, intentOf, recordOf } from './fixtures.ts';

describe('the log in SQLite', () => {
  describeAgentLogsContract(async () => {
    const folder = createTempFolder();
    const logs = openSqliteAgentLogs({ file: folder.log, durability: 'process' });
    const dispose = async () => {
      await logs.close();
      folder[Symbol.dispose]();
    };
    return { logs, dispose };
  });

  it('has it all when it is opened again', async () => {
    using folder = createTempFolder();
    {
      await using logs = openSqliteAgentLogs({ file: folder.log });
      await logs.begin(intentOf());
      await logs.append(recordOf());
      await logs.begin(intentOf({ id: callId(2) }));
    }
    await using again = openSqliteAgentLogs({ file: folder.log });
    expect((await again.list({ limit: 10 })).map(({ id, status }) => [id, status])).toEqual([
      // Nobody runs it any more.
      [callId(2), 'unknown'],
      [callId(1), 'ok'],
    ]);
  });

  it('is read through a second connection while it is written', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log });
    await using reader = openSqliteAgentLogReader({ file: folder.log });
    expect(await reader.list({ limit: 10 })).toEqual([]);
    await logs.append(recordOf());
    expect(await reader.list({ limit: 10 })).toEqual([entryOf(recordOf())]);
    expect(await reader.get(callId(1).slice(0, 8))).toEqual(entryOf(recordOf()));
  });
});
