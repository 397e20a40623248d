import { BubblewrapConfinement } from '../bubblewrap-confinement.ts';
import { LIMITS, ORDINARY } from './box-scene.ts';

/** A devs that runs one box: passes on what it prints, and tells how it ended. */
const [, , root = '', uid = '', ...argv] = process.argv;

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

void runBox();
