import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG } from '@devs/core';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { processesWith, uniqueSeconds, until } from '../../confinement/__tests__/processes.ts';
import { CONFIGURATIONS, ServerScene } from './server-scene.ts';

/** Code that starts something that does not end with the server: of its own session, deaf to what it can be deaf to. */
const daemon = (seconds: string) => `const { spawn } = await load('node:child_process');
  spawn('setsid', ['sh', '-c', 'trap "" TERM HUP INT; sleep ${seconds}; sleep ${seconds}'], { stdio: 'ignore', detached: true }).unref();
  while (!(await load('node:fs')).readdirSync('/proc').some((pid) => { try { return process.getBuiltinModule('fs').readFileSync('/proc/' + pid + '/cmdline', 'latin1').startsWith('sleep'); } catch { return false; } })) await new Promise((next) => setTimeout(next, 5));`;
const DEAF = "process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1_000);";
const TIDY = "process.on('SIGTERM', () => { process.getBuiltinModule('fs').writeFileSync('/var/lib/server/tidy', ''); process.exit(7); }); setInterval(() => undefined, 1_000);";

withBoxes('the life of a server in a box', () => {
  describe.each(CONFIGURATIONS)('boxes of $name', (configuration) => {
    it('ends when its input does, and all that it has started with it', async () => {
      await using scene = new ServerScene(configuration);
      const seconds = uniqueSeconds();
      const { server, ask } = await scene.start();
      await ask(daemon(seconds));
      expect(processesWith(seconds)).not.toEqual([]);
      expect(await server.end()).toEqual({ kind: 'ended', code: 0 });
      expect(processesWith(seconds)).toEqual([]);
      expect(server.exit).toEqual({ kind: 'ended', code: 0 });
    });

    it.each<readonly [string, readonly number[]]>([
      ['alone', []],
      ['behind a relay', [65_000]],
    ])('is asked to end before it is ended, %s', async (_, loopbackPorts) => {
      await using scene = new ServerScene(configuration);
      const { server, ask } = await scene.start({ loopbackPorts });
      await ask(TIDY);
      expect(await server.end()).toEqual({ kind: 'ended', code: 7 });
    });

    it('that is deaf is ended all the same', async () => {
      await using scene = new ServerScene(configuration);
      const seconds = uniqueSeconds();
      const { server, ask } = await scene.start({ loopbackPorts: [65_000] });
      await ask(`${daemon(seconds)} ${DEAF}`);
      expect(await server.end()).toEqual({ kind: 'killed', signal: 'SIGKILL' });
      expect(processesWith(seconds)).toEqual([]);
    });

    it('makes no more processes than it may', async () => {
      await using scene = new ServerScene(configuration, { sandbox: { ...DEFAULT_CONFIG.sandbox, processes: 48 } });
      const seconds = uniqueSeconds();
      const { ask, server } = await scene.start();
      const flood = `const { spawn } = await load('node:child_process');
        const all = Array.from({ length: 200 }, () => new Promise((done) => { const child = spawn('sleep', ['${seconds}']); child.on('spawn', () => done(1)); child.on('error', () => done(0)); }));
        return (await Promise.all(all)).reduce((sum, one) => sum + one, 0)`;
      const answer = await ask(flood);
      const made = 'value' in answer ? Number(answer.value) : 0;
      // Without a limit all 200 are there; one that was refused may also have ended the server, which has lost its threads.
      expect(made).toBeLessThan(48);
      expect(processesWith(seconds).length).toBeLessThan(48);
      await server.end();
      expect(processesWith(seconds)).toEqual([]);
    });

    it('is gone when devs is killed', async () => {
      const seconds = uniqueSeconds();
      const words = ['-C', 'devs-source', path.join(__dirname, '../../confinement/__tests__/run-source.mjs'), path.join(__dirname, 'server-runner.ts'), '', configuration.name, daemon(seconds)];
      const devs = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
      const [said]: unknown[] = await once(devs.stdout, 'data');
      const { base } = JSON.parse(String(said)) as { base: string };
      expect(processesWith(seconds)).not.toEqual([]);
      devs.kill('SIGKILL');
      await once(devs, 'exit');
      await until(() => processesWith(seconds).length === 0);
      expect(processesWith(base)).toEqual([]);
      rmSync(base, { recursive: true, force: true });
    });
  });
});
