// child-open.ts <folder> <name> <other> <rounds>: opens new logs, each at the same moment as the other process.
import fs from 'node:fs';
import path from 'node:path';
import { openSqliteAgentLogs } from '../index.ts';
import { intentOf } from './fixtures.ts';

const [folder = '', name = '', other = '', rounds = '0'] = process.argv.slice(2);
for (let round = 0; round < Number(rounds); round += 1) {
  fs.writeFileSync(path.join(folder, `${round}-${name}`), '');
  // Spins: a timer would wake one process after the other.
  while (!fs.existsSync(path.join(folder, `${round}-${other}`)));
  await using logs = openSqliteAgentLogs({ file: path.join(folder, `${round}.db`), durability: 'process', busyTimeoutMs: 60_000 });
  await logs.begin(intentOf({ id: `${name}-${round}-begin` }));
}
