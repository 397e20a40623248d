import { expect, test } from '@jest/globals';
import { existsSync, linkSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { GitScene } from './git-scene.ts';
import { onLinux } from './planted-scene.ts';

const STRANGE = Buffer.from([0xff]);

/** The path of what is called by bytes that are no text, in which each `?` stands for one. */
function strange(scene: GitScene, place: string): Buffer {
  return Buffer.concat(scene.at(place).split('?').flatMap((part, index) => (index === 0 ? [Buffer.from(part)] : [STRANGE, Buffer.from(part)])));
}

/** What a command does to `sub`, in which `.envrc` and `deep/.envrc` are the user's; what was moved aside; where `sub` is then. */
const ROWS: readonly (readonly [string, (scene: GitScene) => void, readonly string[], string])[] = [
  ['a folder that is renamed so', (scene) => renameSync(scene.at('sub'), strange(scene, 'n?')), ['n\uFFFD to n_.devs-aside-id1'], 'n_.devs-aside-id1'],
  ['a folder that is moved into one that is so named', (scene) => (mkdirSync(strange(scene, '?')), renameSync(scene.at('sub'), strange(scene, '?/sub'))), ['\uFFFD to _.devs-aside-id1'], '_.devs-aside-id1/sub'],
  ['each on the way, the deepest first', (scene) => (mkdirSync(strange(scene, '?/a/?'), { recursive: true }), renameSync(scene.at('sub'), strange(scene, '?/a/?/sub'))), ['\uFFFD/a/\uFFFD to \uFFFD/a/_.devs-aside-id1', '\uFFFD to _.devs-aside-id2'], '_.devs-aside-id2/a/_.devs-aside-id1/sub'],
  ['after what was planted in it', (scene) => (renameSync(scene.at('sub'), strange(scene, '?')), writeFileSync(strange(scene, '?/.git'), '')), ['\uFFFD/.git to \uFFFD/.git.devs-aside-id1', '\uFFFD to _.devs-aside-id2'], '_.devs-aside-id2'],
  ['not one without anything protected', (scene) => mkdirSync(strange(scene, '?')), [], 'sub'],
  ['under no name that is protected itself', (scene) => renameSync(scene.at('sub'), strange(scene, 'x\\.git\\?')), ['x\\.git\\\uFFFD to .git.devs-aside-id1'], '.git.devs-aside-id1'],
];

onLinux('a folder whose name is no UTF-8 is moved aside', () => {
  test.each(ROWS)('%s', async (_, command, told, place) => {
    using scene = new GitScene();
    scene.write('sub/.envrc', '');
    scene.write('sub/deep/.envrc', '');
    const snapshot = await scene.guard.before();
    command(scene);
    const moved = await scene.guard.after(snapshot);
    expect(moved.map(({ path: from, to }) => `${from} to ${to}`)).toEqual(told);
    expect(existsSync(scene.at(place, 'deep/.envrc'))).toBe(true);
    expect(await scene.guard.after(await scene.guard.before())).toEqual([]);
  });

  test('where it holds files with names outside of the project', async () => {
    using scene = new GitScene();
    scene.write('sub/a', '');
    linkSync(scene.at('sub/a'), path.join(scene.base, 'store'));
    const snapshot = await scene.guard.before();
    renameSync(scene.at('sub'), strange(scene, '?'));
    expect(await scene.guard.after(snapshot)).toEqual([{ path: '\uFFFD', to: '_.devs-aside-id1' }]);
    expect((await scene.guard.before()).existing).toEqual([scene.at('_.devs-aside-id1/a')]);
  });

  test('but not where it held such files before', async () => {
    using scene = new GitScene();
    scene.write('a/x', '');
    mkdirSync(strange(scene, 'a/?'));
    linkSync(scene.at('a/x'), strange(scene, 'a/?/x'));
    linkSync(scene.at('a/x'), path.join(scene.base, 'store'));
    expect(await scene.guard.after(await scene.guard.before())).toEqual([]);
  });

  test('or the command is said to have left it', async () => {
    using scene = new GitScene();
    const guard = scene.newGuard(scene.root, { changes: { rename: refuse, unlink: refuse, rmdir: refuse } });
    scene.write('sub/.envrc', '');
    const snapshot = await guard.before();
    renameSync(scene.at('sub'), strange(scene, '?'));
    await expect(guard.after(snapshot)).rejects.toMatchObject({ code: 'PROJECT_UNSAFE', sentence: expect.stringContaining('which devs could not rename. Rename it') });
    expect(readdirSync(scene.root, 'buffer')).toEqual([STRANGE]);
  });
});

function refuse(): never {
  throw Object.assign(new Error('full'), { code: 'EIO' });
}
