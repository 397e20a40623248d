// child-lock.ts <guarded>: holds the lock until its input ends.
import { FileLock } from '../index.ts';

const [guarded = ''] = process.argv.slice(2);
const held = await new FileLock(guarded).acquire({ patienceMs: 60_000 });
process.stdin.on('end', () => held?.[Symbol.dispose]()).resume();
process.stdout.write('held\n');
