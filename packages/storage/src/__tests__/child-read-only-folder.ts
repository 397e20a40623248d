// child-read-only-folder.ts <folder> <uid>: a log in a folder that this user may not write.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { openSqliteAgentLogReader, openSqliteAgentLogs } from '../index.ts';
import { openLogDatabase } from '../sqlite/open-database.ts';
import { recordOf } from './fixtures.ts';

const [folder = '', uid = ''] = process.argv.slice(2);
const log = path.join(folder, 'agent_logs.db');
const copy = path.join(folder, 'copy');

async function attempt(what: () => Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await what());
  } catch (error) {
    return error instanceof Error ? error.message : 'not an error';
  }
}

async function readIds(file = log): Promise<readonly string[]> {
  await using reader = openSqliteAgentLogReader({ file });
  return (await reader.list({ limit: 10 })).map(({ id }) => id);
}

// Root passes every permission: become somebody who does not, once all code is loaded.
openLogDatabase({ file: path.join(folder, 'warm-up.db'), durability: 'process', busyTimeoutMs: 0 }).close();
await readIds(path.join(folder, 'warm-up.db'));
if (uid !== '') process.setuid?.(Number(uid));
const results: Record<string, string> = {};
{
  await using writer = openSqliteAgentLogs({ file: log });
  await writer.append(recordOf());
  fs.mkdirSync(copy);
  // Not by this process: closing a descriptor of the open log would drop SQLite's locks.
  execFileSync('cp', [log, `${log}-wal`, copy]);
  fs.chmodSync(copy, 0o500);
  fs.chmodSync(folder, 0o500);
  results['whileWritten'] = await attempt(async () => await readIds());
}
// Its newest records are in the journal: leaving that out would be a lie.
results['journalOnly'] = await attempt(async () => await readIds(path.join(copy, 'agent_logs.db')));
fs.chmodSync(folder, 0o700);
results['writable'] = await attempt(async () => await readIds());
openLogDatabase({ file: log, durability: 'process', busyTimeoutMs: 0 }).close();
results['journals'] = fs.readdirSync(folder).filter((name) => /^agent_logs.db-(?:wal|shm|journal)$/.test(name)).join(' ');
fs.chmodSync(folder, 0o500);
results['closed'] = await attempt(async () => await readIds());
results['write'] = await attempt(async () => openSqliteAgentLogs({ file: path.join(folder, 'new.db') }));
fs.chmodSync(folder, 0o700);
fs.chmodSync(copy, 0o700);
process.stdout.write(JSON.stringify(results));
