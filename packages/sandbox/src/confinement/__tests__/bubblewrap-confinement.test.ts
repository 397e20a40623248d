import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, jest, test } from '@jest/globals';
import type { ConfinementReport } from '@devs/core';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { BubblewrapConfinement } from '../bubblewrap-confinement.ts';
import { BoxStarter, type BubblewrapParts } from '../box-starter.ts';
import { PROFILE } from '../box-profile.ts';
import { probeBoxes } from '../probe.ts';
import { lacking, OPEN_FILTER, replacing } from './attack.ts';
import { BoxScene, CONFIGURATIONS, LIMITS, type Configuration, type Weakened } from './box-scene.ts';
import { processesWith, uniqueSeconds } from './processes.ts';

const GUARANTEES = ['files', 'network', 'processes', 'memory', 'privilege'];
const [own]: readonly (Configuration | undefined)[] = CONFIGURATIONS;

function absent({ guarantees }: ConfinementReport): readonly string[] {
  return guarantees.filter(({ state }) => state === 'absent').map(({ guarantee }) => guarantee);
}

async function probeWith(scene: BoxScene, changes: Partial<BubblewrapParts>): Promise<ConfinementReport> {
  return probeBoxes({ name: 'bubblewrap', starter: new BoxStarter({ ...scene.parts, ...changes }), groupObstacle: '' });
}

withBoxes('the probe and its refusals', () => {
  test('where the folder for temporary files is in the project nothing runs: a command could write the flags of the next box', async () => {
    const root = realpathSync(tmpdir());
    for (const place of [root, path.dirname(root)]) {
      const report = await new BubblewrapConfinement({ root: place }).probe();
      expect({ usable: report.usable, detail: report.guarantees[0]?.detail }).toEqual({ usable: false, detail: expect.stringContaining('temporary files is in the project') });
    }
  });

  describe.each(CONFIGURATIONS)('boxes of $name', (configuration) => {
    test('hold, and are used', async () => {
      using scene = new BoxScene(configuration);
      const { account } = configuration;
      const confinement = new BubblewrapConfinement({ root: scene.root, ...(account === undefined ? {} : { account }) });
      const report = await confinement.probe();
      expect({ absent: absent(report), usable: report.usable, guarantees: report.guarantees.map(({ guarantee }) => guarantee) }).toEqual({ absent: [], usable: true, guarantees: GUARANTEES });
      const request = scene.request(['/bin/sh', '-c', 'id -u; cat; exit 3']);
      const { exit, stdout, enforcement } = await confinement.exec(request, { stdin: 'given', signal: new AbortController().signal, keepBytes: 100 });
      expect({ exit, said: Buffer.from(stdout.head).toString() }).toEqual({ exit: { kind: 'code', code: 3 }, said: `${String(account?.uid ?? process.getuid?.())}\ngiven` });
      expect(enforcement).toEqual(report.enforcement);
    });

    test('asked for at once, and more of them than there are pipes for, they are all made', async () => {
      using scene = new BoxScene(configuration);
      const { account } = configuration;
      const confinement = new BubblewrapConfinement({ root: scene.root, ...(account === undefined ? {} : { account }) });
      await confinement.probe();
      const { signal } = new AbortController();
      const outcomes = await Promise.all(Array.from({ length: 30 }, async () => confinement.exec(scene.request(['/bin/true']), { signal, keepBytes: 100 })));
      expect(outcomes.map(({ exit }) => exit)).toEqual(outcomes.map(() => ({ kind: 'code', code: 0 })));
    });

    test('started, they take input as it comes, and have a channel', async () => {
      using scene = new BoxScene(configuration);
      const { account } = configuration;
      const confinement = new BubblewrapConfinement({ root: scene.root, ...(account === undefined ? {} : { account }) });
      const running = await confinement.spawn(scene.request(['/bin/sh', '-c', 'read line; echo "$line" >&3; exec 3>&-; cat'], { channel: true }));
      running.stdin.write('one\n');
      const said: Buffer[] = [];
      for await (const chunk of running.channel ?? []) said.push(chunk as Buffer);
      running.stdin.end('two\n');
      const out: Buffer[] = [];
      for await (const chunk of running.stdout) out.push(chunk as Buffer);
      expect([Buffer.concat(said).toString(), Buffer.concat(out).toString(), await running.exit]).toEqual(['one\n', 'two\n', { kind: 'code', code: 0 }]);
    });

    test('a call that is cancelled before it begins runs nothing to its end', async () => {
      using scene = new BoxScene(configuration);
      const { account } = configuration;
      const confinement = new BubblewrapConfinement({ root: scene.root, ...(account === undefined ? {} : { account }) });
      const seconds = uniqueSeconds();
      const { exit } = await confinement.exec(scene.request(['sleep', seconds]), { signal: AbortSignal.abort(), keepBytes: 10 });
      expect({ exit, left: processesWith(seconds) }).toEqual({ exit: { kind: 'cancelled' }, left: [] });
    });
  });

  const weaker: readonly (readonly [name: string, weakened: Partial<Weakened>, missing: readonly string[]])[] = [
    ['a network', lacking('--unshare-net'), ['network']],
    ['the processes of the machine', lacking('--unshare-pid'), ['processes']],
    ['a root that can be written', lacking('--remount-ro', '/'), ['files']],
    ['all system calls', OPEN_FILTER, ['network']],
    ['capabilities', replacing(['--cap-drop', 'ALL'], ['--cap-add', 'CAP_NET_RAW']), ['privilege']],
  ];
  test.each(weaker)('a box with %s does not pass', async (_, weakened, missing) => {
    if (own === undefined) throw new Error('There is a configuration.');
    using scene = new BoxScene(own);
    expect(absent(await probeWith(scene, { profile: weakened.profile ?? PROFILE }))).toEqual(missing);
  });

  test('what a box leaves behind is found, and ended', async () => {
    if (own === undefined) throw new Error('There is a configuration.');
    using scene = new BoxScene(own);
    const { profile = PROFILE } = lacking('--unshare-pid');
    // A folder of its own: other tests probe too, and at the same time.
    const { TMPDIR } = process.env;
    process.env['TMPDIR'] = scene.folder;
    const { guarantees } = await probeWith(scene, { profile, groups: { create: () => undefined } });
    expect(guarantees.find(({ guarantee }) => guarantee === 'processes')?.detail).toContain('leavesNothingBehind');
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
    expect(processesWith(`${scene.folder}/devs-probe-`).filter((pid) => pid !== process.pid)).toEqual([]);
  });

  test('a box that could not be had is asked for again after a while, and one that nobody can prepare is refused', async () => {
    using scene = new BoxScene(own ?? { name: 'user' });
    const bin = path.join(scene.folder, 'bin');
    const confinement = new BubblewrapConfinement({ root: scene.root, searchPath: bin });
    expect((await confinement.probe()).usable).toBe(false);
    mkdirSync(bin);
    for (const name of ['bwrap', 'prlimit', 'setpriv', 'mkfifo']) symlinkSync(`/usr/bin/${name}`, path.join(bin, name));
    expect((await confinement.probe()).usable).toBe(false);
    const now = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 11_000);
    try {
      expect((await confinement.probe()).usable).toBe(true);
    } finally {
      now.mockRestore();
    }
  });

  test('a value with a NUL, which would go on as a flag of bwrap, is refused', async () => {
    if (own === undefined) throw new Error('There is a configuration.');
    using scene = new BoxScene(own);
    const env = { A: 'b\0--bind\0/\0/mnt' };
    await expect(scene.run(scene.request(['true'], { env }))).rejects.toMatchObject({ code: 'COMMAND_REFUSED' });
  });

  const around: readonly (readonly [name: string, become: readonly string[], words: RegExp, asRoot: boolean])[] = [
    ['in a box that lets nobody make another', ['bwrap', '--unshare-user', '--disable-userns', '--dev-bind', '/', '/', '--'], /no more user namespaces/, false],
    ['as root without CAP_SETFCAP', ['setpriv', '--bounding-set=-setfcap', '--inh-caps=-setfcap', '--'], /CAP_SETFCAP/, true],
    ['with a bwrap that only says so', ['/bin/false'], /exit|bwrap/, false],
  ];
  test.each(around.filter(([, , , asRoot]) => !asRoot || process.getuid?.() === 0))('%s nothing is enforced', async (_, become, words) => {
    if (own === undefined) throw new Error('There is a configuration.');
    using scene = new BoxScene(own);
    const report = await probeWith(scene, { become });
    expect({ usable: report.usable, absent: absent(report) }).toEqual({ usable: false, absent: GUARANTEES });
    expect(report.guarantees[0]?.detail).toMatch(words);
  });

  const places: readonly (readonly [name: string, searchPath: (scene: BoxScene) => string])[] = [
    ['there is none', () => '/nowhere'],
    ['PATH is empty', () => ''],
    ['it lies in the project', ({ root }) => path.join(root, 'bin')],
    ['a link leads to it in the project', ({ root, outside }) => [outside, root].join(':')],
    ['PATH names it relative to here', () => '.:bin:'],
    ['a package of the workspace around the project brings it', ({ folder }) => path.join(folder, 'node_modules/.bin')],
    ['it cannot be run', ({ folder }) => path.join(folder, 'locked')],
  ];
  test.each(places)('no bwrap is used when %s', async (_, searchPath) => {
    if (own === undefined) throw new Error('There is a configuration.');
    using scene = new BoxScene(own);
    mkdirSync(path.join(scene.folder, 'locked'));
    mkdirSync(path.join(scene.root, 'bin'));
    mkdirSync(path.join(scene.folder, 'node_modules/.bin'), { recursive: true });
    for (const folder of ['locked', 'project/bin', 'node_modules/.bin']) writeFileSync(path.join(scene.folder, folder, 'bwrap'), '#!/bin/sh\nexit 0\n');
    for (const folder of ['project/bin', 'node_modules/.bin']) chmodSync(path.join(scene.folder, folder, 'bwrap'), 0o755);
    symlinkSync(path.join(scene.root, 'bin', 'bwrap'), path.join(scene.outside, 'bwrap'));
    const confinement = new BubblewrapConfinement({ root: scene.root, searchPath: searchPath(scene) });
    expect(await confinement.probe()).toMatchObject({ usable: false, enforcement: { guarantees: [] } });
    const request = scene.request(['true']);
    await expect(confinement.spawn({ ...request, limits: LIMITS })).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE', message: expect.stringContaining('bubblewrap is not installed') });
  });
});
