import { isMainThread, Worker } from 'node:worker_threads';
import { BubblewrapConfinement } from '../bubblewrap-confinement.ts';
import { LIMITS, ORDINARY } from './box-scene.ts';

/** A devs that runs one box: `box` tells what it printed; `worker` starts it from a thread that ends at once. */
const [, , mode = 'box', root = '', uid = '', ...argv] = process.argv;

async function runBox(): Promise<void> {
  const confinement = new BubblewrapConfinement({ root, ...(uid === '' ? {} : { account: ORDINARY }) });
  const [file = 'true', ...rest] = argv;
  const mounts = [{ source: root, access: 'write' as const }];
  const running = await confinement.spawn({ argv: [file, ...rest], cwd: root, env: {}, hosts: [], limits: LIMITS, mounts });
  running.stdin.end();
  running.stderr.pipe(process.stderr);
  running.stdout.pipe(process.stdout);
  process.stdout.write(`${JSON.stringify(await running.exit)}\n`);
}

if (mode === 'worker' && isMainThread) new Worker(__filename, { argv: process.argv.slice(2) }).once('error', (cause) => process.stderr.write(`${String(cause)}\n`));
else void runBox();
