import { expect, test } from '@jest/globals';
import { chmodSync, mkdirSync, readlinkSync, renameSync, rmdirSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import type { MendedLink } from '@devs/core';
import { GitScene } from './git-scene.ts';
import { exists, onLinux } from './planted-scene.ts';

/** What a command does to `a/.npmrc`, a link to `../conf/npmrc`; what is moved aside; where the link is then, and what is told of it. */
const ROWS: readonly (readonly [string, (scene: GitScene) => void, readonly string[], string | undefined, readonly string[]])[] = [
  ['is left alone', () => undefined, [], 'a/.npmrc', []],
  ['is removed', (scene) => rmSync(scene.at('a/.npmrc')), [], 'a/.npmrc', ['a/.npmrc back']],
  ['is renamed', (scene) => renameSync(scene.at('a/.npmrc'), scene.at('a/x')), [], 'a/.npmrc', ['a/.npmrc back']],
  ['is replaced by a file', (scene) => (rmSync(scene.at('a/.npmrc')), scene.write('a/.npmrc', '')), ['a/.npmrc'], 'a/.npmrc', ['a/.npmrc back']],
  ['is replaced by a folder', (scene) => (rmSync(scene.at('a/.npmrc')), scene.write('a/.npmrc/x', '')), ['a/.npmrc'], 'a/.npmrc', ['a/.npmrc back']],
  ['is replaced by a link to elsewhere', (scene) => (rmSync(scene.at('a/.npmrc')), symlinkSync('../x', scene.at('a/.npmrc'))), ['a/.npmrc'], 'a/.npmrc', ['a/.npmrc back']],
  ['is removed from a folder that is renamed', (scene) => (rmSync(scene.at('a/.npmrc')), renameSync(scene.at('a'), scene.at('b'))), [], 'b/.npmrc', ['b/.npmrc back']],
  ['is removed from a folder that is closed', (scene) => (rmSync(scene.at('a/.npmrc')), chmodSync(scene.at('a'), 0)), [], 'a/.npmrc', ['a/.npmrc back']],
  ['is removed from a folder that may not be written', (scene) => (rmSync(scene.at('a/.npmrc')), chmodSync(scene.at('a'), 0o555)), [], 'a/.npmrc', ['a/.npmrc back']],
  ['is gone with its folder', (scene) => rmSync(scene.at('a'), { recursive: true }), [], undefined, ['a/.npmrc gone']],
  ['is gone with its folder, and another is in the place of that', (scene) => (rmSync(scene.at('a'), { recursive: true }), mkdirSync(scene.at('other')), renameSync(scene.at('other'), scene.at('a'))), [], undefined, ['a/.npmrc gone']],
];

onLinux('a protected link', () => {
  function project(): GitScene {
    const scene = new GitScene();
    scene.write('conf/npmrc', 'ignore-scripts=true');
    scene.write('a/y', '');
    symlinkSync('../conf/npmrc', scene.at('a/.npmrc'));
    return scene;
  }

  test.each(ROWS)('%s', async (_, command, moved, place, told) => {
    using scene = project();
    const snapshot = await scene.guard.before();
    command(scene);
    const links: MendedLink[] = [];
    const aside = await scene.guard.after(snapshot, (link) => links.push(link));
    expect(aside.map((entry) => entry.path)).toEqual(moved);
    expect(links.map((link) => `${link.path} ${link.isBack ? 'back' : 'gone'}`)).toEqual(told);
    for (const { leadsTo } of links) expect(leadsTo).toBe('../conf/npmrc');
    if (place !== undefined) expect(readlinkSync(scene.at(place))).toBe('../conf/npmrc');
    // It is the user's from now on.
    const next: MendedLink[] = [];
    expect(await scene.guard.after(await scene.guard.before(), (link) => next.push(link))).toEqual([]);
    expect(next).toEqual([]);
  });

  test('that is no text is put back as it was', async () => {
    using scene = project();
    rmSync(scene.at('a/.npmrc'));
    const strange = Buffer.from([0x2e, 0x2e, 0x2f, 0xff]);
    symlinkSync(strange, scene.at('a/.npmrc'));
    const snapshot = await scene.guard.before();
    rmSync(scene.at('a/.npmrc'));
    await scene.guard.after(snapshot);
    expect(readlinkSync(scene.at('a/.npmrc'), 'buffer')).toEqual(strange);
  });

  test('that another call finds put back is not moved aside by it', async () => {
    using scene = project();
    const first = await scene.guard.before();
    const second = await scene.guard.before();
    rmSync(scene.at('a/.npmrc'));
    await scene.guard.after(first);
    expect(await scene.guard.after(second)).toEqual([]);
    expect(exists(scene.at('a/.npmrc'))).toBe(true);
  });

  test('is put back beside a flood, and what cannot be put back is told', async () => {
    using scene = project();
    symlinkSync('../conf/npmrc', scene.at('conf/.npmrc'));
    const rename = () => {
      throw Object.assign(new Error('busy'), { code: 'EBUSY' });
    };
    const guard = scene.newGuard(scene.root, { most: { folders: 20, characters: 1_000_000, listingBytes: 1_000_000 }, changes: { rename, unlink: unlinkSync, rmdir: rmdirSync } });
    const snapshot = await guard.before();
    rmSync(scene.at('a/.npmrc'));
    rmSync(scene.at('conf/.npmrc'));
    mkdirSync(scene.at('conf/.npmrc'));
    for (let index = 0; index < 30; index += 1) mkdirSync(scene.at(`flood${String(index)}`));
    await expect(guard.after(snapshot)).rejects.toMatchObject({
      code: 'PROJECT_UNSAFE',
      sentence: expect.stringMatching(/"conf\/\.npmrc", which could not be moved aside.*removed a protected link, which could not be put back: "conf\/\.npmrc" to "\.\.\/conf\/npmrc"/),
    });
    expect(readlinkSync(scene.at('a/.npmrc'))).toBe('../conf/npmrc');
  });
});
