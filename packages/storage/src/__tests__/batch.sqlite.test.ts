import { describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { openSqliteAgentLogs } from '../index.ts';
import { callId, createTempFolder, intentOf, recordOf } from './fixtures.ts';

describe('mode `batch`', () => {
  it('waits for nobody, and has it all at the close', async () => {
    using folder = createTempFolder();
    let other: Database.Database;
    {
      await using logs = openSqliteAgentLogs({ file: folder.log, mode: 'batch' });
      other = new Database(folder.log);
      await logs.begin(intentOf());
      expect(await logs.append(recordOf())).toBeUndefined();
      expect(other.prepare('SELECT count(*) FROM records').pluck().get()).toBe(0);
    }
    expect(other.prepare('SELECT count(*) FROM agent_logs').pluck().get()).toBe(1);
    expect(other.prepare("SELECT header ->> '$.mode' FROM records WHERE kind = 'audit.opened'").pluck().get()).toBe('batch');
    other.close();
  });

  it('refuses the next call once nothing can be written, and goes on when it can', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log, mode: 'batch', busyTimeoutMs: 0 });
    await logs.append(recordOf());
    const other = new Database(folder.log);
    const isWritten = () => other.prepare('SELECT count(*) FROM agent_logs').pluck().get() === 1;
    while (!isWritten()) await new Promise((resolve) => setTimeout(resolve, 10));
    other.exec('BEGIN IMMEDIATE');
    await logs.begin(intentOf({ id: callId(2) }));
    while (await accepts(logs, 3)) await new Promise((resolve) => setTimeout(resolve, 10));
    await expect(logs.begin(intentOf({ id: callId(4) }))).rejects.toMatchObject({ failure: 'busy' });
    other.exec('ROLLBACK');
    other.close();
    await logs.begin(intentOf({ id: callId(5) }));
    expect(await logs.append(recordOf({ id: callId(5) }))).toBeUndefined();
  });
});

describe('what was answered for in `batch`', () => {
  it('is written when the lock is given back, however long that took', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log, mode: 'batch', busyTimeoutMs: 0 });
    const other = new Database(folder.log);
    other.exec('BEGIN IMMEDIATE');
    for (let number = 1; number <= 10; number += 1) await logs.append(recordOf({ id: callId(number) }));
    while (await accepts(logs, 90)) await new Promise((resolve) => setTimeout(resolve, 10));
    other.exec('ROLLBACK');
    while ((await logs.list({ limit: 100, status: 'ok' })).length < 10) await new Promise((resolve) => setTimeout(resolve, 10));
    other.close();
  });

  it('is told to be lost when it cannot be written until the close', async () => {
    using folder = createTempFolder();
    const problems: string[] = [];
    const logs = openSqliteAgentLogs({ file: folder.log, mode: 'batch', busyTimeoutMs: 0, onProblem: (sentence) => problems.push(sentence) });
    const other = new Database(folder.log);
    other.exec('BEGIN IMMEDIATE');
    for (let number = 1; number <= 3; number += 1) await logs.append(recordOf({ id: callId(number) }));
    await logs.close();
    other.close();
    expect(problems).toEqual([expect.stringContaining('3 records that calls were answered with are lost')]);
  });
});

describe('a start that may wait', () => {
  it('waits for nobody while all is well, and refuses the call before it runs once nothing can be written', async () => {
    using folder = createTempFolder();
    await using logs = openSqliteAgentLogs({ file: folder.log, busyTimeoutMs: 0 });
    const other = new Database(folder.log);
    other.exec('BEGIN IMMEDIATE');
    await logs.begin(intentOf(), { mayWait: true });
    await expect(logs.append(recordOf())).rejects.toMatchObject({ failure: 'busy' });
    await expect(logs.begin(intentOf({ id: callId(2) }), { mayWait: true })).rejects.toMatchObject({ failure: 'busy' });
    other.exec('ROLLBACK');
    other.close();
    await logs.begin(intentOf({ id: callId(3) }), { mayWait: true });
    await logs.append(recordOf({ id: callId(3) }));
  });
});

let attempts = 0;

/** Whether a new call may begin. */
async function accepts(logs: ReturnType<typeof openSqliteAgentLogs>, number: number): Promise<boolean> {
  attempts += 1;
  return logs.begin(intentOf({ id: `${callId(number)}-${attempts}` })).then(
    () => true,
    () => false,
  );
}
