import { mkdirSync, openSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { PROFILE, type BoxProfile } from '../box-profile.ts';
import { O_PATH, openPlace } from '../descriptors.ts';
import { replaceOnce, sh } from './attack.ts';
import { BoxScene, CONFIGURATIONS } from './box-scene.ts';
import { processesWith, uniqueSeconds } from './processes.ts';

/** A folder of the project with one in it that is to be mounted, and one of the same name where a link would lead. */
function plantFolders(scene: BoxScene): string {
  scene.plant('sub/inner/');
  mkdirSync(path.join(scene.outside, 'inner'), { recursive: true });
  writeFileSync(path.join(scene.outside, 'inner', 'secret'), scene.secret);
  return path.join(scene.root, 'sub', 'inner');
}

function swap({ root, outside }: BoxScene): void {
  renameSync(path.join(root, 'sub'), path.join(root, 'sub-before'));
  symlinkSync(outside, path.join(root, 'sub'));
}

const byPath: BoxProfile['toArguments'] = (request, mounts) => PROFILE.toArguments(request, mounts.map((mount) => ({ ...mount, fd: undefined })));
const unjudged = (place: string) => openSync(place, O_PATH);

withBoxes('escapes by mounts and words', () => {
  describe.each(CONFIGURATIONS)('boxes of $name', (configuration) => {
    const readInner = (scene: BoxScene) => scene.request(sh('cat /run/inner/secret'), { mounts: [{ source: plantFolders(scene), target: '/run/inner', access: 'read' }] });

    test('a link that takes the place of a folder before it is opened is refused', async () => {
      using scene = new BoxScene(configuration);
      const request = readInner(scene);
      swap(scene);
      await expect(scene.run(request)).rejects.toMatchObject({ code: 'COMMAND_REFUSED' });
    });

    test('where nobody looks at what was opened, it is followed', async () => {
      using scene = new BoxScene(configuration);
      const request = readInner(scene);
      swap(scene);
      const { out } = await scene.run(request, { profile: { ...PROFILE, openPlace: unjudged, toArguments: byPath }, hasGroups: true });
      expect(out).toContain(scene.secret);
    });

    test.each([
      { name: 'a link that takes its place afterwards is not followed', toArguments: PROFILE.toArguments, follows: false },
      { name: 'where mounts are by path, it is followed', toArguments: byPath, follows: true },
    ])('$name', async ({ toArguments, follows }) => {
      using scene = new BoxScene(configuration);
      const openAndSwap = (place: string) => {
        const fd = openPlace(place);
        if (place.endsWith('inner')) swap(scene);
        return fd;
      };
      const { out } = await scene.run(readInner(scene), { profile: { ...PROFILE, openPlace: openAndSwap, toArguments }, hasGroups: true });
      expect(out.includes(scene.secret)).toBe(follows);
    });

    test.each([
      { name: 'what is secret in the environment stands on no command line', profile: PROFILE, isSeen: false },
      {
        name: 'as words of the command it would',
        profile: { ...PROFILE, toCommandLine: (request, prlimit) => [...PROFILE.toCommandLine(request, prlimit), ...Object.values(request.env)] } satisfies BoxProfile,
        isSeen: true,
      },
    ])('$name', async ({ profile, isSeen }) => {
      using scene = new BoxScene(configuration);
      const seconds = uniqueSeconds();
      const running = await scene.start(scene.request(['sh', '-c', `echo begun; sleep ${seconds}`], { env: { TOKEN: scene.secret } }), { profile, hasGroups: true });
      for await (const _ of running.stdout) break;
      const [seen, inEnvironment] = [processesWith(scene.secret), processesWith(scene.secret, 'environ')];
      // The command has it, and the shell's child; bwrap and its first process do not.
      const ofBwrap = inEnvironment.filter((pid) => readFileSync(`/proc/${String(pid)}/comm`, 'utf8') === 'bwrap\n');
      running.kill();
      await running.exit;
      expect({ isSeen: seen.length > 0, hasIt: inEnvironment.length > 0, ofBwrap }).toEqual({ isSeen, hasIt: true, ofBwrap: [] });
    });

    test.each([
      { name: 'nothing of the environment of devs comes in', environment: PROFILE.environment, keeps: true },
      { name: 'what bwrap is given comes in where it is not cleared', environment: { DEVS_ESCAPE: 'found-it' }, keeps: false },
    ])('$name', async ({ environment, keeps }) => {
      using scene = new BoxScene(configuration);
      process.env['DEVS_ESCAPE'] = 'found-it';
      try {
        const profile = keeps ? PROFILE : { ...PROFILE, environment, toArguments: withoutClearing };
        const { out } = await scene.run(scene.request(sh('env; cat /proc/[0-9]*/environ | tr "\\0" "\\n"')), { profile, hasGroups: true });
        expect(out.includes('found-it')).toBe(!keeps);
      } finally {
        delete process.env['DEVS_ESCAPE'];
      }
    });

    test.each([
      { name: 'LD_PRELOAD of a tool is the tool\'s alone', environment: {}, reaches: false },
      { name: 'in the environment of bwrap it would be obeyed by bwrap', environment: { LD_PRELOAD: '/devs-escape.so' }, reaches: true },
    ])('$name', async ({ environment, reaches }) => {
      using scene = new BoxScene(configuration);
      const env = { LD_PRELOAD: reaches ? '' : '/devs-escape.so' };
      const { out, err } = await scene.run(scene.request(['/bin/sh', '-c', 'tr "\\0" "\\n" < /proc/1/environ; echo read'], { env }), { profile: { ...PROFILE, environment }, hasGroups: true });
      expect({ isOfFirst: out.includes('/devs-escape.so'), isTold: err.includes('/devs-escape.so') }).toEqual({ isOfFirst: reaches, isTold: true });
    });

    test('standard streams can be opened by their names', async () => {
      using scene = new BoxScene(configuration);
      const { out, err } = await scene.run(scene.request(sh('cat /dev/stdin; echo one > /dev/stdout; echo two > /dev/stderr; echo three >> /proc/self/fd/2')));
      expect({ out, err }).toEqual({ out: 'TRIED\none\n', err: 'two\nthree\n' });
    });
  });
});

function withoutClearing(...given: Parameters<BoxProfile['toArguments']>): readonly string[] {
  return replaceOnce(PROFILE.toArguments(...given), ['--clearenv'], []);
}
