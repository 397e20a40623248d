import { once } from 'node:events';
import fs from 'node:fs';
import process from 'node:process';
import { describe, expect, it } from '@jest/globals';
import { openSqliteAgentLogs } from '../index.ts';
import { callId, createTempFolder, intentOf, outputOf, recordOf, startChild, type Child } from './fixtures.ts';

/** Ids that the child had acknowledged when it was killed. */
async function killAfter(child: Child, calls: number): Promise<readonly string[]> {
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += String(chunk);
    if (printed.split('\n').length > calls) child.kill('SIGKILL');
  });
  const [, signal] = await once(child, 'close');
  expect(signal).toBe('SIGKILL');
  return printed.split('\n').slice(0, -1);
}

describe('several processes', () => {
  it('start on one new log at once, write at once, and lose nothing', async () => {
    using folder = createTempFolder();
    const names = ['first', 'second', 'third', 'fourth'];
    const calls = 150;
    const children = names.map((name) => startChild('child-write.ts', folder.log, name, String(calls)));
    const printed = await Promise.all(children.map(outputOf));
    const acknowledged = printed.flatMap((output) => output.trim().split('\n'));
    expect(acknowledged).toHaveLength(names.length * calls);
    await using logs = openSqliteAgentLogs({ file: folder.log });
    const stored = await logs.list({ limit: 1_000, status: 'ok' });
    expect(stored.map(({ id }) => id).toSorted()).toEqual(acknowledged.toSorted());
  });

  it('make a new log in the same moment, again and again', async () => {
    using folder = createTempFolder();
    const first = startChild('child-open.ts', folder.path, 'first', 'second', '150');
    const second = startChild('child-open.ts', folder.path, 'second', 'first', '150');
    // A child that fails leaves the other one waiting for it.
    const endBoth = () => [first, second].forEach((child) => child.kill('SIGKILL'));
    await Promise.all([first, second].map(outputOf)).finally(endBoth);
    await using logs = openSqliteAgentLogs({ file: `${folder.path}/149.db` });
    expect(await logs.list({ limit: 10 })).toHaveLength(2);
  });

  it.each([1, 20, 60])('kill -9 after %i calls: what was acknowledged is there', async (calls) => {
    using folder = createTempFolder();
    const acknowledged = await killAfter(startChild('child-write.ts', folder.log, 'victim', '100000'), calls);
    await using logs = openSqliteAgentLogs({ file: folder.log });
    const ended = (await logs.list({ limit: 1_000, status: 'ok' })).map(({ id }) => id);
    expect(ended).toEqual(expect.arrayContaining([...acknowledged]));
    expect(await logs.list({ limit: 1_000, status: 'started' })).toEqual([]);
    const begun = await logs.list({ limit: 1_000, status: 'unknown' });
    expect(begun.length).toBeLessThanOrEqual(1);
  });
});

describe('sessions', () => {
  it('that begin while another process opens the log again and again keep their calls', async () => {
    using folder = createTempFolder();
    const sweeper = startChild('child-session.ts', folder.log);
    await once(sweeper.stdout, 'data');
    for (let number = 1; number <= 100; number += 1) {
      await using logs = openSqliteAgentLogs({ file: folder.log, durability: 'process', busyTimeoutMs: 60_000 });
      await logs.begin(intentOf({ id: callId(number) }));
      await logs.append(recordOf({ id: callId(number) }));
    }
    sweeper.stdin.end();
    await once(sweeper, 'close');
    expect(fs.readdirSync(folder.path).filter((name) => name.includes('-session-'))).toEqual([]);
  });
});

describe('a folder that cannot be written', () => {
  it('is read from, unless that would leave out the newest records', async () => {
    using folder = createTempFolder();
    const uid = process.getuid?.() === 0 ? '65534' : '';
    if (uid !== '') fs.chownSync(folder.path, Number(uid), Number(uid));
    const results: unknown = JSON.parse(await outputOf(startChild('child-read-only-folder.ts', folder.path, uid)));
    const found = '["00000001-0000-4000-8000-000000000000"]';
    expect(results).toEqual({
      whileWritten: found,
      journalOnly: expect.stringContaining('is in a read-only folder. Copy it'),
      writable: found,
      journals: '',
      closed: found,
      write: expect.stringContaining('folder is missing, read-only or full'),
    });
  });
});
