// child-session.ts <log>: opens a log again and again until it is told to end, and sweeps each time.
import { openSqliteAgentLogs } from '../index.ts';

const [file = ''] = process.argv.slice(2);
process.stdin.on('end', () => process.exit(0)).resume();
process.stdout.write('ready\n');
for (;;) {
  await openSqliteAgentLogs({ file, durability: 'process', busyTimeoutMs: 60_000 }).close();
  await new Promise(setImmediate);
}
