import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { PROFILE } from '../box-profile.ts';
import { findHierarchies } from '../cgroups/hierarchy.ts';
import { endStranded } from '../stranded.ts';
import { Groups } from '../cgroups/groups.ts';
import { lacking, sh } from './attack.ts';
import { BoxScene, CONFIGURATIONS, LIMITS, type Configuration } from './box-scene.ts';
import { hear, startOther } from './other-devs.ts';
import { processesWith, uniqueSeconds, until } from './processes.ts';

const WHOLE = { profile: PROFILE, hasGroups: true };

/** A process outside that belongs to whom boxes belong. */
function startVictim({ account }: Configuration) {
  const options = account === undefined ? {} : { uid: account.uid, gid: account.gid };
  return spawn('/bin/sleep', ['600'], { stdio: 'ignore', ...options });
}

/** Control groups that a devs has left behind. */
function groupsOf(pid: number | undefined): readonly string[] {
  return findHierarchies().flatMap(({ folder }) => readdirSync(folder).filter((name) => name.startsWith(`devs-box-${String(pid)}-`)));
}

function endAll(pids: readonly number[]): void {
  for (const pid of pids) process.kill(pid, 'SIGKILL');
}

withBoxes('escapes by processes', () => {
  describe.each(CONFIGURATIONS)('processes in boxes of $name', (configuration) => {
    test.each([
      { name: 'none outside can be signalled', weakened: WHOLE, ends: false },
      { name: 'without --unshare-pid one can', weakened: { ...WHOLE, ...lacking('--unshare-pid') }, ends: true },
    ])('$name', async ({ weakened, ends }) => {
      using scene = new BoxScene(configuration);
      const victim = startVictim(configuration);
      const ended = once(victim, 'exit');
      await once(victim, 'spawn');
      const { out } = await scene.run(scene.request(sh('kill -9 "$1" && echo GOT', String(victim.pid))), weakened);
      victim.kill('SIGTERM');
      const [, signal]: unknown[] = await ended;
      expect({ out, signal }).toEqual({ out: ends ? 'TRIED\nGOT\n' : 'TRIED\n', signal: ends ? 'SIGKILL' : 'SIGTERM' });
    });

    test.each([
      { name: 'what goes on in the background ends with its command', weakened: WHOLE, survives: false },
      { name: 'also where there are no control groups', weakened: { ...WHOLE, hasGroups: false }, survives: false },
      { name: 'without --unshare-pid and groups it goes on', weakened: { ...WHOLE, ...lacking('--unshare-pid'), hasGroups: false }, survives: true },
    ])('$name', async ({ weakened, survives }) => {
      using scene = new BoxScene(configuration);
      const seconds = uniqueSeconds();
      const script = 'trap "" TERM HUP INT; (for i in 1 2 3 4 5 6 7 8 9; do setsid sleep "$1" & sleep "$1" & done) < /dev/null > /dev/null 2>&1; echo begun';
      const { out, exit } = await scene.run(scene.request(sh(script, seconds)), weakened);
      const survivors = processesWith(seconds);
      endAll(survivors);
      expect({ out, exit, survives: survivors.length > 0 }).toEqual({ out: 'TRIED\nbegun\n', exit: { kind: 'code', code: 0 }, survives });
    });

    test.each([
      { name: 'its time', changes: { wallMs: 1_000 }, script: 'trap "" TERM INT HUP; while :; do sleep 600; done', limit: 'wall' },
      { name: 'its output', changes: { outputBytes: 100_000 }, script: 'yes', limit: 'output' },
    ])('$name cannot be trapped', async ({ changes, script, limit }) => {
      using scene = new BoxScene(configuration);
      const { exit } = await scene.run(scene.request(sh(script), { limits: { ...LIMITS, ...changes } }));
      expect(exit).toEqual({ kind: 'limit', limit });
    });

    test.each([{ hasGroups: true }, { hasGroups: false }])('cancelled at any moment it leaves nothing (groups: $hasGroups)', async ({ hasGroups }) => {
      using scene = new BoxScene(configuration);
      const seconds = uniqueSeconds();
      for (let moment = 0; moment < 24; moment += 1) {
        const running = await scene.start(scene.request(['sleep', seconds]), { ...WHOLE, hasGroups });
        await new Promise((resolve) => setTimeout(resolve, moment / 2));
        running.kill();
        expect(await running.exit).toEqual({ kind: 'cancelled' });
        expect(processesWith(seconds)).toEqual([]);
      }
    });

    test('two boxes at a time know nothing of each other, and each has its own count of processes', async () => {
      using scene = new BoxScene(configuration);
      const seconds = uniqueSeconds();
      const limits = { ...LIMITS, processes: 24 };
      const argv = sh('echo x > "/tmp/$1"; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do sleep 600 & done; echo full; sleep 600', seconds);
      const full = async () => {
        const running = await scene.start(scene.request(argv, { limits }));
        await until(() => String(running.stdout.read() ?? '').includes('full'));
        return running;
      };
      const boxes = [await full(), await full()];
      const { out } = await scene.run(scene.request(sh('ls -A /tmp /dev/shm; ls -d /proc/[0-9]* | wc -l'), { limits }));
      for (const box of boxes) box.kill();
      await Promise.all(boxes.map(async ({ exit }) => exit));
      expect(out).not.toContain(seconds);
      // The first process, this shell and the two of the pipe: none of the thirty.
      expect(out).toMatch(/\n[1-6]\n$/);
    });

    test('a devs that is killed takes its boxes with it, and the next one clears away the rest', async () => {
      using scene = new BoxScene(configuration);
      const temporary = path.join(scene.folder, 'temporary');
      mkdirSync(temporary);
      const seconds = uniqueSeconds();
      const devs = startOther(['sh', '-c', 'trap "" TERM HUP INT; setsid sleep "$0" & echo begun; sleep "$0"', seconds], { configuration, root: scene.root, temporary });
      expect(await hear(devs)).toBe('begun\n');
      expect(processesWith(seconds)).not.toEqual([]);
      const ended = once(devs, 'exit');
      devs.kill('SIGKILL');
      await ended;
      await until(() => processesWith(seconds).length === 0);
      await new Groups().sweep();
      expect({ groups: groupsOf(devs.pid), files: readdirSync(temporary) }).toEqual({ groups: [], files: [] });
    });

    test.each([0, 2, 4, 6, 9, 13])('a devs that is killed %i ms after it has started a box leaves nothing that runs', async (delay) => {
      using scene = new BoxScene(configuration);
      const seconds = uniqueSeconds();
      const devs = startOther([String(delay), 'sleep', seconds], { configuration, root: scene.root, runner: 'killed-runner.ts' });
      await once(devs, 'exit');
      expect(devs.signalCode).toBe('SIGKILL');
      // What is on its way asks for a devs, and hears of none; what has got stuck, the next devs ends.
      await until(() => {
        endStranded();
        return processesWith(seconds).length === 0;
      });
      await new Groups().sweep();
      expect(groupsOf(devs.pid)).toEqual([]);
    });

    test('who has got out and holds the output open does not hold the call', async () => {
      using scene = new BoxScene(configuration);
      const seconds = uniqueSeconds();
      const { exit } = await scene.run(scene.request(sh('setsid sleep "$1" & echo begun', seconds)), { ...WHOLE, ...lacking('--unshare-pid'), hasGroups: false });
      const survivors = processesWith(seconds);
      endAll(survivors);
      expect({ exit, survives: survivors.length > 0 }).toEqual({ exit: { kind: 'code', code: 0 }, survives: true });
    });

    // bwrap is bound to the thread that has started it: a box may end too early, never too late.
    test('a thread of devs that ends takes its boxes with it, though devs goes on', async () => {
      using scene = new BoxScene(configuration);
      const seconds = uniqueSeconds();
      const devs = startOther(['sh', '-c', 'setsid sleep "$0" & echo begun; sleep "$0"', seconds], { configuration, root: scene.root, runner: 'worker-runner.ts' });
      expect(await hear(devs)).toBe('terminated\n');
      const box = () => processesWith(seconds).filter((pid) => pid !== devs.pid);
      await until(() => box().length === 0);
      expect({ box: box(), devs: devs.exitCode }).toEqual({ box: [], devs: null });
      devs.kill('SIGKILL');
      await once(devs, 'exit');
      await new Groups().sweep();
      expect(groupsOf(devs.pid)).toEqual([]);
    });

    test('descriptors that devs was started with stay outside', async () => {
      using scene = new BoxScene(configuration);
      const folder = openSync('/', 'r');
      const descriptors = Array.from({ length: 98 }, (_, index) => (index === 97 || index === 17 ? folder : 'ignore'));
      const devs = startOther(['sh', '-c', 'ls /proc/self/fd/100/ /proc/self/fd/20/; readlink /proc/self/fd/100 /proc/self/fd/20; exit 4'], { configuration, root: scene.root, descriptors });
      let said = '';
      devs.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await once(devs, 'close');
      closeSync(folder);
      expect(said).toBe('/dev/null\n/dev/null\n{"kind":"code","code":4}\n');
    });
  });
});
