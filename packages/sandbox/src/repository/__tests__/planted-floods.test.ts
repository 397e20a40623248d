import { describe, expect, test } from '@jest/globals';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { lookAt } from '../disk-folder.ts';
import { FolderScan } from '../folder-scan.ts';
import { GitScene } from './git-scene.ts';
import { exists, layout, onLinux } from './planted-scene.ts';

onLinux('PlantedGuard, flooded', () => {
  test.each([
    ['folders', { folders: 60 }],
    ['long paths', { characters: 4_000 }],
    ['names in one folder', { listingBytes: 8_192 }],
  ])('a flood of %s hides nothing that was planted beside it, is told, and is refused from then on', async (_, most) => {
    using scene = new GitScene();
    scene.write('a/x', '');
    const guard = scene.newGuard(scene.root, { most: { folders: 1_000, characters: 1_000_000, listingBytes: 1_000_000, ...most } });
    const snapshot = await guard.before();
    for (const name of ['a', 'z']) scene.write(`${name}/.git`, '');
    // On disks that keep names in blocks, and on those that count them.
    for (let index = 0; index < 450; index += 1) scene.write(`flood/${String(index).padStart(200, 'x')}/y`, '');
    await expect(guard.after(snapshot)).rejects.toMatchObject({ code: 'PROJECT_UNSAFE', sentence: expect.stringMatching(/^The command has run.*cannot guard/) });
    expect(['a/.git', 'z/.git'].map((name) => exists(scene.at(name)))).toEqual([false, false]);
    await expect(guard.before()).rejects.toMatchObject({ code: 'COMMAND_REFUSED' });
    rmSync(scene.at('flood'), { recursive: true });
    expect(await guard.after(await guard.before())).toEqual([]);
  });

  test('a folder with too many names hides nothing that was planted in it or below', async () => {
    using scene = new GitScene();
    scene.write('own/flood/.envrc', '');
    const guard = scene.newGuard(scene.root, { most: { folders: 1_000, characters: 1_000_000, listingBytes: 8_192 } });
    const snapshot = await guard.before();
    layout(scene, 'own/flood/.git');
    for (const folder of ['own/flood', 'own/flood/a/b']) {
      for (let index = 0; index < 1_100; index += 1) scene.write(`${folder}/${String(index).padStart(200, 'x')}`, '');
    }
    layout(scene, 'own/flood');
    const strange = Buffer.concat([Buffer.from(scene.at('own/flood/n')), Buffer.from([0xff])]);
    mkdirSync(strange);
    writeFileSync(Buffer.concat([strange, Buffer.from('/.git')]), '');
    const planted = ['own/flood/.npmrc', 'own/flood/a/.envrc', 'own/flood/a/b/.git', 'own/flood/a/b/c/.envrc'];
    for (const name of planted) scene.write(name, '');
    await expect(guard.after(snapshot)).rejects.toMatchObject({ code: 'PROJECT_UNSAFE', sentence: expect.stringMatching(/cannot guard/) });
    for (const name of [...planted, 'own/flood/HEAD', 'own/flood/.git']) expect([name, exists(scene.at(name))]).toEqual([name, false]);
    expect(readdirSync(strange)).toEqual([expect.stringMatching(/^\.git\.devs-aside-/)]);
    const aside = readdirSync(scene.at('own/flood')).filter((name) => name.startsWith('.git'));
    expect(aside.map((name) => exists(scene.at('own/flood', name, 'HEAD')))).toEqual([false]);
    expect(exists(scene.at('own/flood/.envrc'))).toBe(true);
    await expect(guard.before()).rejects.toMatchObject({ code: 'COMMAND_REFUSED' });
  });

  describe('a folder with many names, read piece by piece', () => {
    const most = { folders: 1_000, characters: 1_000_000, listingBytes: 1_000_000, atOnceBytes: 8_192 };

    function fill(scene: GitScene): void {
      for (let index = 0; index < 1_100; index += 1) scene.write(`many/${String(index).padStart(100, 'x')}`, '');
      for (const name of ['many/.envrc', 'many/below/.npmrc', 'many/hooks/x', 'many/refs/x', 'many/objects/x', 'many/HEAD']) scene.write(name, '');
    }

    test('is guarded as any other, before and after', async () => {
      using scene = new GitScene();
      fill(scene);
      const guard = scene.newGuard(scene.root, { most });
      const snapshot = await guard.before();
      const own = ['many/.envrc', 'many/below/.npmrc', 'many/hooks'].map((name) => scene.at(name));
      expect(snapshot.existing.toSorted()).toEqual(own);
      expect((await guard.look()).existing.toSorted()).toEqual(own);
      for (const name of ['many/.npmrc', 'many/config', 'many/below/.envrc']) scene.write(name, '');
      expect((await guard.after(snapshot)).map((entry) => entry.path).toSorted()).toEqual(['many/.npmrc', 'many/below/.envrc', 'many/config']);
      expect(await guard.after(await guard.before())).toEqual([]);
    });

    test.each([
      ['is not read again while its time is the same', false, 1],
      ['is read again when it has changed', true, 2],
    ])('%s', async (_, isShown, found) => {
      using scene = new GitScene();
      fill(scene);
      const place = scene.at('many');
      const first = lookAt(place);
      const guard = scene.newGuard(scene.root, { most, now: () => Date.now() + 3_600_000, disks: { kindOf: () => 'plain' }, lookAt: (each) => (each === place && !isShown ? first : lookAt(each)) });
      await guard.after(await guard.before());
      const snapshot = await guard.before();
      for (const name of ['many/.npmrc', 'many/below/.envrc']) scene.write(name, '');
      expect(await guard.after(snapshot)).toHaveLength(found);
    });

    test('what an earlier command left in it is moved aside, and is nobody\'s from then on', async () => {
      using scene = new GitScene();
      fill(scene);
      let isFull = true;
      const rename = (from: string | Buffer, to: string | Buffer) => {
        if (isFull) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
        renameSync(from, to);
      };
      const guard = scene.newGuard(scene.root, { most, changes: { rename, unlink: unlinkSync, rmdir: rmdirSync } });
      const snapshot = await guard.before();
      scene.write('many/.vscode/tasks.json', '');
      await expect(guard.after(snapshot)).rejects.toMatchObject({ code: 'PROJECT_UNSAFE' });
      await expect(guard.before()).rejects.toMatchObject({ code: 'PROJECT_UNSAFE' });
      isFull = false;
      const next = await guard.before();
      expect(next.existing).not.toContain(scene.at('many/.vscode'));
      scene.write('many/.vscode/tasks.json', '');
      expect((await guard.after(next)).map((entry) => entry.path)).toEqual(['many/.vscode', 'many/.vscode']);
    });

    test('is one of some ten thousand names', () => {
      using scene = new GitScene();
      for (let index = 0; index < 7_000; index += 1) writeFileSync(scene.at(String(index)), '');
      scene.write('.envrc', '');
      const scan = new FolderScan({ root: scene.root, protection: scene.protection, now: Date.now });
      expect(scan.read(scene.root)).toMatchObject({ isInPieces: statSync(scene.root).size > 131_072, isTooLarge: false });
    });
  });

  test('a flood of what is moved aside holds up no other call, and one that begins meanwhile may make none of it anew', async () => {
    using scene = new GitScene();
    const slow = (from: string | Buffer, to: string | Buffer) => {
      for (const end = performance.now() + 2; performance.now() < end; ) continue;
      renameSync(from, to);
    };
    const guard = scene.newGuard(scene.root, { changes: { rename: slow, unlink: unlinkSync, rmdir: rmdirSync } });
    const names = Array.from({ length: 200 }, (_, index) => `a/${String(index)}.code-workspace`);
    const first = await guard.before();
    for (const name of names) scene.write(name, '');
    const ending = guard.after(first);
    await setImmediate();
    const second = await guard.before();
    expect(second.existing.length).toBeGreaterThan(100);
    let isOver = false;
    const over = ending.then((moved) => ((isOver = true), moved));
    let turns = 0;
    for (; !isOver; turns += 1) await setImmediate();
    expect(turns).toBeGreaterThan(5);
    expect(await over).toHaveLength(200);
    for (const name of names) scene.write(name, '');
    expect(await guard.after(second)).toHaveLength(200);
  });

  test('what could not be moved is not adopted by a call that begins before that is told', async () => {
    using scene = new GitScene();
    const fail = () => {
      for (const end = performance.now() + 20; performance.now() < end; ) continue;
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    };
    const guard = scene.newGuard(scene.root, { changes: { rename: fail, unlink: fail, rmdir: fail } });
    const first = await guard.before();
    for (const name of ['.envrc', 'a/.envrc', 'b/.envrc']) scene.write(name, '');
    const ending = guard.after(first).catch((error: unknown) => error);
    await setImmediate();
    await expect(guard.before()).rejects.toMatchObject({ code: 'PROJECT_UNSAFE' });
    expect(await ending).toMatchObject({ code: 'PROJECT_UNSAFE', sentence: expect.stringContaining('".envrc"') });
  });

  describe('on a disk that a command has filled', () => {
    /** Renames to names longer than this find no room. */
    function fullDisk(longest: number) {
      const disk = { longest };
      const rename = (from: string | Buffer, to: string | Buffer) => {
        if (path.basename(String(to)).length > disk.longest) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
        renameSync(from, to);
      };
      return { disk, changes: { rename, unlink: unlinkSync, rmdir: rmdirSync } };
    }

    function plant(scene: GitScene): void {
      for (const name of ['a/.envrc', 'b/.envrc', 'z/.vscode/tasks.json']) scene.write(name, '');
    }

    test('what has no room for its name gets a short one', async () => {
      using scene = new GitScene();
      const guard = scene.newGuard(scene.root, { changes: fullDisk(4).changes });
      const snapshot = await guard.before();
      plant(scene);
      scene.write('a/_id2', 'own');
      const moved = await guard.after(snapshot);
      expect(moved.map((entry) => entry.path).toSorted()).toEqual(['a/.envrc', 'b/.envrc', 'z/.vscode']);
      for (const { to } of moved) expect([to, exists(scene.at(to)), path.basename(to).length]).toEqual([to, true, 4]);
      expect(readFileSync(scene.at('a/_id2'), 'utf8')).toBe('own');
    });

    test('what is kept in place by anything but want of room is not removed', async () => {
      using scene = new GitScene();
      const rename = () => {
        throw Object.assign(new Error('busy'), { code: 'EBUSY' });
      };
      const guard = scene.newGuard(scene.root, { changes: { rename, unlink: unlinkSync, rmdir: rmdirSync } });
      const snapshot = await guard.before();
      scene.write('a/.envrc', 'planted');
      await expect(guard.after(snapshot)).rejects.toMatchObject({ code: 'PROJECT_UNSAFE', sentence: expect.stringContaining('"a/.envrc", which could not be moved aside') });
      expect(exists(scene.at('a/.envrc'))).toBe(true);
    });

    test('files are removed, and a folder is named, is not adopted by the next call, and is moved aside once there is room', async () => {
      using scene = new GitScene();
      const { disk, changes } = fullDisk(0);
      const guard = scene.newGuard(scene.root, { changes });
      scene.write('own/.envrc', '');
      const snapshot = await guard.before();
      plant(scene);
      mkdirSync(scene.at('y/.vscode/full'), { recursive: true });
      layout(scene, 'bare');
      const after = await guard.after(snapshot).catch((error: unknown) => error);
      expect(after).toMatchObject({ code: 'PROJECT_UNSAFE', sentence: expect.stringMatching(/^The command has run, and left .*"[yz]\/\.vscode", "[yz]\/\.vscode", which could not be moved aside/) });
      for (const name of ['a/.envrc', 'b/.envrc', 'bare/HEAD']) expect(after).toMatchObject({ sentence: expect.stringContaining(`"${name}"`) });
      expect(['a/.envrc', 'b/.envrc', 'bare/HEAD', 'own/.envrc'].map((name) => exists(scene.at(name)))).toEqual([false, false, false, true]);
      await expect(guard.before()).rejects.toMatchObject({ code: 'PROJECT_UNSAFE', sentence: expect.stringMatching(/^An earlier command left "[yz]\/\.vscode", "[yz]\/\.vscode"/) });
      // Also where somebody has moved the folder around it.
      renameSync(scene.at('z'), scene.at('z2'));
      await expect(guard.before()).rejects.toMatchObject({ code: 'PROJECT_UNSAFE', sentence: expect.stringContaining('"z2/.vscode"') });
      rmSync(scene.at('y'), { recursive: true });
      await expect(guard.before()).rejects.toMatchObject({ code: 'PROJECT_UNSAFE', sentence: 'An earlier command left "z2/.vscode", which could not be moved aside. Remove it before anything else.' });
      disk.longest = 255;
      const next = await guard.before();
      expect([next.existing, exists(scene.at('z2/.vscode'))]).toEqual([[scene.at('own/.envrc')], false]);
      expect((await guard.after(next)).map((entry) => entry.path)).toEqual(['z2/.vscode']);
      mkdirSync(scene.at('z2/.vscode'));
      expect((await guard.before()).existing).toHaveLength(2);
    });

    test('a repository that cannot be taken out is not adopted', async () => {
      using scene = new GitScene();
      const { changes } = fullDisk(0);
      const guard = scene.newGuard(scene.root, { changes: { ...changes, unlink: changes.rmdir } });
      const snapshot = await guard.before();
      layout(scene, 'bare');
      await expect(guard.after(snapshot)).rejects.toMatchObject({ code: 'PROJECT_UNSAFE', sentence: expect.stringContaining('"bare/HEAD"') });
      await expect(guard.before()).rejects.toMatchObject({ code: 'PROJECT_UNSAFE', sentence: expect.stringContaining('"bare/HEAD"') });
      rmSync(scene.at('bare'), { recursive: true });
      expect((await guard.before()).existing).toEqual([]);
    });

    test('what a walk does not find is not forgotten while a command could have moved it away', async () => {
      using scene = new GitScene();
      const guard = scene.newGuard(scene.root, { changes: fullDisk(0).changes });
      const first = await guard.before();
      await guard.before();
      scene.write('z/.vscode/tasks.json', '');
      await expect(guard.after(first)).rejects.toMatchObject({ code: 'PROJECT_UNSAFE' });
      renameSync(scene.at('z'), path.join(scene.base, 'z'));
      await guard.before();
      renameSync(path.join(scene.base, 'z'), scene.at('z'));
      await expect(guard.before()).rejects.toMatchObject({ code: 'PROJECT_UNSAFE' });
    });
  });
});
