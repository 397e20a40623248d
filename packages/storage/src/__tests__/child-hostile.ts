// child-hostile.ts <log> <scenes>: puts each scene into a copy of the log, does what devs does with a log, and prints how it ended.
import fs from 'node:fs';
import path from 'node:path';
import { exportRecords, openSqliteAgentLogReader, openSqliteAgentLogs, openSqliteSource, verifyLog } from '../index.ts';
import { makeHostile, putIntoJournal, putIntoRollbackJournal } from './hostile-pages.ts';

const [log = '', ...scenes] = process.argv.slice(2);

const ACTIONS: Readonly<Record<string, (file: string) => Promise<unknown>>> = {
  start: async (file) => {
    await using logs = openSqliteAgentLogs({ file, durability: 'process' });
    return await logs.list({ limit: 1 });
  },
  list: async (file) => withReader(file, async (reader) => reader.list({ limit: 5 })),
  tail: async (file) => withReader(file, async (reader) => reader.tail(0, 1_000_000)),
  search: async (file) => withReader(file, async (reader) => reader.search('hello', { limit: 5 })),
  export: async (file) => {
    await using source = openSqliteSource({ file });
    return await exportRecords(source, async () => undefined);
  },
  verify: async (file) => {
    await using source = openSqliteSource({ file });
    const { verdict, problem } = await verifyLog(source);
    return `${verdict}: ${problem?.what ?? ''}`;
  },
};

async function withReader(file: string, ask: (reader: ReturnType<typeof openSqliteAgentLogReader>) => Promise<unknown>): Promise<unknown> {
  await using reader = openSqliteAgentLogReader({ file });
  return await ask(reader);
}

for (const scene of scenes) {
  const [tree = '', place = 'file'] = scene.split(':');
  for (const [action, act] of Object.entries(ACTIONS)) {
    const file = path.join(fs.mkdtempSync(path.join(path.dirname(log), 'scene-')), 'agent_logs.db');
    fs.copyFileSync(log, file);
    const hostile = place === 'file' ? file : `${file}-hostile`;
    if (hostile !== file) fs.copyFileSync(log, hostile);
    makeHostile(hostile, { tree });
    if (place === 'wal') putIntoJournal(file, hostile);
    if (place === 'journal') putIntoRollbackJournal(file, hostile);
    const ended = await act(file).then(
      (result) => (typeof result === 'string' ? result : 'done'),
      (cause: Error) => `refused: ${cause.message}`,
    );
    process.stdout.write(`${JSON.stringify({ scene, action, ended })}\n`);
  }
}
