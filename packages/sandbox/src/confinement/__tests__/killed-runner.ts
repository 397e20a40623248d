import { BubblewrapConfinement } from '../bubblewrap-confinement.ts';
import { LIMITS, ORDINARY } from './box-scene.ts';

/** A devs that is killed so many milliseconds after it has started a box, before it does anything more. */
const [, , root = '', uid = '', delay = '', ...argv] = process.argv;

async function runBox(): Promise<void> {
  const confinement = new BubblewrapConfinement({ root, ...(uid === '' ? {} : { account: ORDINARY }) });
  const [file = 'true', ...rest] = argv;
  await confinement.probe();
  await confinement.spawn({ argv: [file, ...rest], cwd: root, env: {}, hosts: [], limits: LIMITS, mounts: [{ source: root, access: 'write' }] });
  const until = performance.now() + Number(delay);
  while (performance.now() < until);
  process.kill(process.pid, 'SIGKILL');
}

void runBox();
