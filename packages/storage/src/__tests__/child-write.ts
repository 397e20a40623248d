// child-write.ts <file> <name> <calls>: writes calls and prints each id once both its rows are promised.
import { openSqliteAgentLogs } from '../index.ts';
import { intentOf, recordOf } from './fixtures.ts';

const [file = '', name = '', calls = '0'] = process.argv.slice(2);
await using logs = openSqliteAgentLogs({ file, durability: 'process', busyTimeoutMs: 60_000 });
for (let number = 0; number < Number(calls); number += 1) {
  const id = `${name}-call-${number}`;
  await logs.begin(intentOf({ id, agentId: name }));
  await logs.append(recordOf({ id, agentId: name }));
  process.stdout.write(`${id}\n`);
}
