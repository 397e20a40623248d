import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { GATE } from '../bubblewrap-arguments.ts';
import { endStranded } from '../stranded.ts';
import { processesWith, uniqueSeconds, until } from './processes.ts';

withBoxes('what is left of a box whose devs is gone', () => {
  test('is ended when no bwrap is above it any more, and not before', async () => {
    const mark = uniqueSeconds();
    // The first process of a namespace, and above it what made it: both have the words of a box on their command lines.
    // `read` is part of the shell: a `sleep` would have the same words between its fork and its exec. Not from its standard input,
    // which Node closes once `unshare` is gone.
    const command = ['sh', '-c', 'echo begun; read never <&3', GATE, mark];
    const above = spawn('unshare', ['--user', '--map-root-user', '--pid', '--fork', ...command], { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
    const { stdout } = above;
    if (stdout === null) throw new Error('its output is a pipe');
    await once(stdout, 'data');
    expect(processesWith(mark)).toHaveLength(2);
    endStranded();
    expect(processesWith(mark)).toHaveLength(2);
    above.kill('SIGKILL');
    await once(above, 'exit');
    expect(processesWith(mark)).toHaveLength(1);
    endStranded();
    await until(() => processesWith(mark).length === 0);
  });
});
