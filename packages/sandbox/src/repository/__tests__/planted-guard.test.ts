import { expect, test } from '@jest/globals';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync, type Stats } from 'node:fs';
import path from 'node:path';
import { ProtectedPatterns } from '../../files/protected-patterns.ts';
import { Protection } from '../../files/protection.ts';
import { inFolder, lookAt } from '../disk-folder.ts';
import { GitScene } from './git-scene.ts';
import { exists, layout, onLinux } from './planted-scene.ts';

/** What is there before, what a command then does, and what is moved aside. */
const ROWS: readonly (readonly [string, (scene: GitScene) => void, (scene: GitScene) => void, readonly string[]])[] = [
  ['nothing', () => undefined, () => undefined, []],
  ['ordinary files', () => undefined, (scene) => scene.write('src/a/b.ts', 'x'), []],
  ['a nested .git folder', () => undefined, (scene) => mkdirSync(scene.at('a/b/.git'), { recursive: true }), ['a/b/.git']],
  ['a .git file', () => undefined, (scene) => scene.write('a/.git', 'gitdir: x'), ['a/.git']],
  ['a .git link', (scene) => scene.write('a/x', ''), (scene) => symlinkSync('x', scene.at('a/.git')), ['a/.git']],
  ['.git in another spelling', () => undefined, (scene) => scene.write('a/.GI\u200cT', ''), ['a/.GI\u200cT']],
  ['a .git at the top where there was none', () => undefined, (scene) => mkdirSync(scene.at('.git')), ['.git']],
  ['a bare layout', () => undefined, (scene) => layout(scene, 'x'), ['x/HEAD']],
  ['a layout that lacked but its refs', (scene) => (layout(scene, 'x'), rmSync(scene.at('x/refs'), { recursive: true })), (scene) => mkdirSync(scene.at('x/refs')), ['x/HEAD']],
  ['a layout within a .git', () => undefined, (scene) => layout(scene, 'a/.git'), ['a/.git', 'a/.git.devs-aside-id1/HEAD']],
  ['protected files and folders', () => undefined, (scene) => (scene.write('.envrc', ''), scene.write('a/.vscode/tasks.json', '')), ['.envrc', 'a/.vscode']],
  ['what a package holds', () => undefined, (scene) => scene.write('node_modules/x/.npmrc', ''), []],
  ['a repository in a package', () => undefined, (scene) => scene.write('node_modules/x/.git', ''), ['node_modules/x/.git']],
  ['a package moved out', (scene) => scene.write('node_modules/x/.npmrc', ''), (scene) => renameSync(scene.at('node_modules/x'), scene.at('x')), ['x/.npmrc']],
  ['what was there', (scene) => (scene.write('a/.git/config', ''), layout(scene, 'x'), scene.write('.envrc', '')), () => undefined, []],
  ['what was there, moved with its folder', (scene) => (scene.write('a/.envrc', ''), layout(scene, 'a/x')), (scene) => renameSync(scene.at('a'), scene.at('b')), []],
  ['what was there, saved by an editor', (scene) => scene.write('.envrc', ''), (scene) => (scene.write('tmp', 'new'), renameSync(scene.at('tmp'), scene.at('.envrc'))), []],
  ['another folder in the place of one', (scene) => scene.write('a/.envrc', ''), (scene) => (renameSync(scene.at('a'), scene.at('b')), scene.write('a/.envrc', '')), ['a/.envrc']],
  ['a folder behind a link', (scene) => symlinkSync(scene.base, scene.at('way')), (scene) => writeFileSync(path.join(scene.base, '.envrc'), ''), []],
  ['a link that is protected, replaced by another', (scene) => symlinkSync('own', scene.at('.envrc')), (scene) => (rmSync(scene.at('.envrc')), symlinkSync('mine', scene.at('.envrc'))), ['.envrc']],
  ['a link that is protected, replaced by a file', (scene) => symlinkSync('own', scene.at('.envrc')), (scene) => (rmSync(scene.at('.envrc')), scene.write('.envrc', '')), ['.envrc']],
  ['a link that is protected', (scene) => symlinkSync('own', scene.at('.envrc')), (scene) => scene.write('x', ''), []],
  ['a link in the place of the folder around what is protected', (scene) => scene.write('.yarn/releases/y', ''), (scene) => (renameSync(scene.at('.yarn'), scene.at('old')), scene.write('x/releases/y', ''), symlinkSync('x', scene.at('.yarn'))), ['.yarn']],
  ['a link to a folder around what is protected, where there was none', () => undefined, (scene) => (scene.write('a/x/hooks/y', ''), symlinkSync('x', scene.at('a/.github'))), ['a/.github']],
  ['a link in such a place that was there', (scene) => symlinkSync('x', scene.at('.yarn')), (scene) => scene.write('x', ''), []],
  ['a folder of that name', () => undefined, (scene) => scene.write('.yarn/cache/x', ''), []],
  ['hooks and configuration in a layout that was there', (scene) => layout(scene, 'x'), (scene) => (scene.write('x/config', ''), scene.write('x/hooks/a', ''), scene.write('x/commondir', '')), ['x/commondir', 'x/config', 'x/hooks']],
  ['a temporary file of devs', () => undefined, (scene) => scene.write('.devs-tmp-1-0123456789abcdef', ''), []],
  ['what is protected, by a name that begins like such a file', () => undefined, (scene) => scene.write('.devs-tmp-1-0123456789abcdef.code-workspace', ''), ['.devs-tmp-1-0123456789abcdef.code-workspace']],
  ['a folder that may not be written', () => undefined, (scene) => (scene.write('a/.git', ''), chmodSync(scene.at('a'), 0o555)), ['a/.git']],
];

onLinux('PlantedGuard', () => {
  test.each(ROWS)('%s', async (_, before, command, expected) => {
    using scene = new GitScene();
    before(scene);
    const snapshot = await scene.guard.before();
    command(scene);
    const links: string[] = [];
    const moved = await scene.guard.after(snapshot, (link) => links.push(link.path));
    expect(moved.map((entry) => entry.path).toSorted()).toEqual(expected.toSorted());
    for (const { path: from, to } of moved) {
      expect(to).toMatch(/\.devs-aside-id[0-9]+$/);
      expect([exists(scene.at(from)), exists(scene.at(to))]).toEqual([links.includes(from), true]);
    }
    expect(await scene.guard.after(await scene.guard.before())).toEqual([]);
  });

  test('says what was there, for it to be mounted', async () => {
    using scene = new GitScene();
    layout(scene, 'bare');
    symlinkSync('x', scene.at('.npmrc'));
    for (const name of ['bare/config', 'bare/hooks/x', '.git/config', 'a/.git', '.envrc', 'node_modules/x/.npmrc', 'node_modules/y/.git', '.git/modules/x/.git']) scene.write(name, '');
    const { existing } = await scene.guard.before();
    expect(existing.toSorted()).toEqual([scene.at('.envrc'), scene.at('.git'), scene.at('a/.git'), scene.at('bare/config'), scene.at('bare/hooks'), scene.at('node_modules/y/.git')]);
  });

  test('sees what was made right after it looked, also on a disk whose clock ticks slowly, and with the time set back', async () => {
    using scene = new GitScene();
    scene.write('a/b/x', '');
    // The tick in which the folder was first looked at does not end.
    const first = lookAt(scene.at('a/b'));
    const guard = scene.newGuard(scene.root, { lookAt: (place) => (place.endsWith('/a/b') ? first : lookAt(place)) });
    await guard.after(await guard.before());
    const snapshot = await guard.before();
    const { atime, mtime } = statSync(scene.at('a/b'));
    scene.write('a/b/.git', '');
    utimesSync(scene.at('a/b'), atime, mtime);
    expect(await guard.after(snapshot)).toHaveLength(1);
  });

  test.each([
    ['is not asked on a disk of which nobody knows whether it can be set back', 'other', 1],
    ['is not asked where it is that of the content', 'renaming', 1],
    ['is believed on a disk that sets it itself', 'plain', 0],
  ] as const)('the time of a folder %s', async (_, kind, found) => {
    using scene = new GitScene();
    scene.write('a/b/x', '');
    const first = lookAt(scene.at('a/b'));
    const guard = scene.newGuard(scene.root, { now: () => Date.now() + 3_600_000, disks: { kindOf: () => kind }, lookAt: (place) => (place.endsWith('/a/b') ? first : lookAt(place)) });
    await guard.after(await guard.before());
    const snapshot = await guard.before();
    scene.write('a/b/.git', '');
    // Where it is believed, this test has set it back itself.
    expect(await guard.after(snapshot)).toHaveLength(found);
  });

  test('what it has found is not believed longer than the folder stays as it is', async () => {
    using scene = new GitScene();
    scene.write('a/b/x', '');
    // All is settled from here on: whoever asks a folder's time alone sees that it changed.
    const guard = scene.newGuard(scene.root, { now: () => Date.now() + 3_600_000 });
    const snapshot = await guard.before();
    scene.write('a/b/.git', '');
    rmSync(scene.at('a/b/x'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    scene.write('a/b/y', '');
    expect(await guard.after(snapshot)).toHaveLength(1);
  });

  test('a very deep folder is looked into', async () => {
    using scene = new GitScene();
    const names = Array.from({ length: 1_500 }, () => 'd');
    mkdirSync(scene.at(...names), { recursive: true });
    const snapshot = await scene.guard.before();
    writeFileSync(scene.at(...names, '.git'), '');
    expect(await scene.guard.after(snapshot)).toHaveLength(1);
  });

  test('of a project that was moved away nothing is said to be well', async () => {
    using scene = new GitScene();
    const snapshot = await scene.guard.before();
    renameSync(scene.root, `${scene.root}2`);
    await expect(scene.guard.before()).rejects.toMatchObject({ code: 'COMMAND_REFUSED' });
    symlinkSync(`${scene.root}2`, scene.root);
    await expect(scene.guard.after(snapshot)).rejects.toMatchObject({ code: 'PROJECT_UNSAFE', sentence: expect.stringMatching(/^The command has run/) });
  });

  test('what a call has moved aside the other one may not make anew, though it found it there when it began', async () => {
    using scene = new GitScene();
    scene.write('a/x', '');
    mkdirSync(scene.at('bare'));
    const first = await scene.guard.before();
    scene.write('a/.git', '');
    layout(scene, 'bare');
    const second = await scene.guard.before();
    expect(second.existing).toContain(scene.at('a/.git'));
    expect(await scene.guard.after(first)).toHaveLength(2);
    scene.write('a/.git', '');
    layout(scene, 'bare');
    expect(await scene.guard.after(second)).toHaveLength(2);
  });

  test('a folder that was closed, and is a repository when it is opened', async () => {
    using scene = new GitScene();
    mkdirSync(scene.at('x'));
    chmodSync(scene.at('x'), 0);
    const snapshot = await scene.guard.before();
    chmodSync(scene.at('x'), 0o755);
    layout(scene, 'x');
    expect(await scene.guard.after(snapshot)).toHaveLength(1);
  });

  test('nothing, in a folder that its owner has closed: no command opens it', async () => {
    using scene = new GitScene();
    mkdirSync(scene.at('x'));
    chmodSync(scene.at('x'), 0o311);
    const isClosedToUs = process.geteuid?.() !== 0;
    expect((await scene.guard.before()).existing).toEqual(isClosedToUs ? [scene.at('x')] : []);
    chmodSync(scene.at('x'), 0o755);
    expect((await scene.guard.before()).existing).toEqual([]);
  });

  test('what was planted and is gone again, between the look and the hand', async () => {
    using scene = new GitScene();
    scene.write('a/x', '');
    const stale = new Map<string, Stats | undefined>();
    const look = (place: string) => stale.get(place) ?? lookAt(place);
    const guard = scene.newGuard(scene.root, { now: () => Date.now() + 3_600_000, lookAt: look });
    const snapshot = await guard.before();
    scene.write('a/.git', '');
    await guard.before();
    stale.set(scene.at('a'), lookAt(scene.at('a')));
    rmSync(scene.at('a/.git'));
    expect(await guard.after(snapshot)).toEqual([]);
  });

  test('no link is followed on the way to a folder', () => {
    using scene = new GitScene();
    scene.write('real/x/y', '');
    symlinkSync('real', scene.at('way'));
    expect(inFolder(scene.at('real/x'), () => 'there')).toBe('there');
    expect([scene.at('way/x'), scene.at('way')].map((place) => inFolder(place, () => 'there'))).toEqual([undefined, undefined]);
  });

  test('a folder that became a link is not looked behind', async () => {
    using scene = new GitScene();
    scene.write('a/b/x', '');
    const snapshot = await scene.guard.before();
    scene.write('b/x', '');
    renameSync(scene.at('a'), path.join(scene.base, 'a'));
    symlinkSync(path.join(scene.base, 'a'), scene.at('a'));
    writeFileSync(path.join(scene.base, 'a/b/.git'), '');
    expect(await scene.guard.after(snapshot)).toEqual([]);
    expect(existsSync(path.join(scene.base, 'a/b/.git'))).toBe(true);
  });

  test('what is protected below a name that is no text is refused before anything runs, and what is not does no harm', async () => {
    using scene = new GitScene();
    scene.write('a/.envrc', '');
    const strange = Buffer.concat([Buffer.from(scene.at('n')), Buffer.from([0xff])]);
    renameSync(scene.at('a'), strange);
    await expect(scene.guard.before()).rejects.toMatchObject({ code: 'COMMAND_REFUSED', sentence: expect.stringContaining('no UTF-8') });
    rmSync(Buffer.concat([strange, Buffer.from('/.envrc')]));
    expect(await scene.guard.after(await scene.guard.before())).toEqual([]);
  });

  test('more than can be mounted is refused before anything runs', async () => {
    using scene = new GitScene();
    for (let index = 0; index < 513; index += 1) scene.write(`p${String(index)}/.envrc`, '');
    await expect(scene.guard.before()).rejects.toMatchObject({ code: 'COMMAND_REFUSED' });
    rmSync(scene.at('p0'), { recursive: true });
    expect((await scene.guard.before()).existing).toHaveLength(512);
  });

  test('a folder of devs itself is left alone', async () => {
    using scene = new GitScene();
    const guard = scene.newGuard(scene.root, { protection: new Protection({ patterns: new ProtectedPatterns({ anywhere: ['.git'], atHome: [] }), folders: [['state']] }) });
    const snapshot = await guard.before();
    scene.write('state/.git', '');
    expect(await guard.after(snapshot)).toEqual([]);
    expect(readdirSync(scene.at('state'))).toEqual(['.git']);
  });
});
