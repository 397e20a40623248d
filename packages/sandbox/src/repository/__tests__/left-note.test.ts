import { expect, test } from '@jest/globals';
import { mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, statSync, symlinkSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { PlantedGuardOptions } from '../planted-guard.ts';
import { GitScene } from './git-scene.ts';
import { exists, onLinux } from './planted-scene.ts';

function full(): never {
  throw Object.assign(new Error('full'), { code: 'ENOSPC' });
}

onLinux('what is left on a full disk', () => {
  /** A devs of its own each time, on a disk that is full or not. */
  function devs(scene: GitScene, isFull: boolean, more: Partial<PlantedGuardOptions> = {}) {
    const rename = isFull ? full : renameSync;
    return scene.newGuard(scene.root, { changes: { rename, unlink: isFull ? full : unlinkSync, rmdir: isFull ? full : rmdirSync }, noteFile: noteOf(scene), ...more });
  }

  function noteOf(scene: GitScene): string {
    return path.join(scene.temporary, 'left-behind');
  }

  /** Runs a command that leaves something which cannot be moved aside. */
  async function leave(scene: GitScene, more: Partial<PlantedGuardOptions> = {}, names: readonly string[] = ['a/.vscode/tasks.json']): Promise<unknown> {
    const guard = devs(scene, true, more);
    const snapshot = await guard.before();
    for (const name of names) scene.write(name, '');
    return guard.after(snapshot).catch((error: unknown) => error);
  }

  test('is not taken for the user\'s own by the next devs, which moves it aside once there is room', async () => {
    using scene = new GitScene();
    scene.write('own/.envrc', '');
    symlinkSync('x', scene.at('.npmrc'));
    expect(await leave(scene, {}, ['a/.vscode/tasks.json', 'a/.envrc'])).toMatchObject({ code: 'PROJECT_UNSAFE', sentence: expect.not.stringContaining('note') });
    await expect(devs(scene, true).before()).rejects.toMatchObject({ code: 'PROJECT_UNSAFE', sentence: expect.stringMatching(/^An earlier command left ("a\/\.envrc", "a\/\.vscode"|"a\/\.vscode", "a\/\.envrc"), which could not be moved aside/) });
    // Also where somebody has moved the folder around it, and the disk has another number since.
    renameSync(scene.at('a'), scene.at('b'));
    writeFileSync(noteOf(scene), readFileSync(noteOf(scene), 'utf8').replaceAll(/"[0-9]+:([0-9]+:)/g, '"999:$1'));
    const guard = devs(scene, false);
    const next = await guard.before();
    expect(next.existing).toEqual([scene.at('own/.envrc')]);
    expect((await guard.after(next)).map((entry) => entry.path).toSorted()).toEqual(['b/.envrc', 'b/.vscode']);
    scene.write('b/.vscode/tasks.json', '');
    expect((await devs(scene, false).before()).existing.toSorted()).toEqual([scene.at('b/.vscode'), scene.at('own/.envrc')]);
  });

  test('is known as long as it is there, and as a link by its own number', async () => {
    using scene = new GitScene();
    const guard = devs(scene, true);
    const snapshot = await guard.before();
    symlinkSync('x', scene.at('.npmrc'));
    await expect(guard.after(snapshot)).rejects.toMatchObject({ code: 'PROJECT_UNSAFE' });
    await expect(devs(scene, true).before()).rejects.toMatchObject({ code: 'PROJECT_UNSAFE', sentence: expect.stringContaining('".npmrc"') });
    rmSync(scene.at('.npmrc'));
    expect((await devs(scene, true).before()).existing).toEqual([]);
    symlinkSync('x', scene.at('.npmrc'));
    expect((await devs(scene, true).before()).links).toHaveLength(1);
  });

  test('has room on the disk before anything runs, and nothing runs without', async () => {
    using scene = new GitScene();
    await expect(devs(scene, false, { writeNote: full }).before()).rejects.toMatchObject({ code: 'COMMAND_REFUSED', sentence: expect.stringContaining('state folder') });
    await devs(scene, false).before();
    expect(statSync(noteOf(scene))).toMatchObject({ size: 65_536, mode: 0o100600 });
    // Cut, by a disk that was full then.
    truncateSync(noteOf(scene), 4_096);
    await expect(devs(scene, false, { writeNote: full }).before()).rejects.toMatchObject({ code: 'COMMAND_REFUSED' });
    await devs(scene, false).before();
    expect(statSync(noteOf(scene)).size).toBe(65_536);
  });

  test('that cannot be noted is told with what that means', async () => {
    using scene = new GitScene();
    await devs(scene, false).before();
    expect(await leave(scene, { writeNote: full })).toMatchObject({ code: 'PROJECT_UNSAFE', sentence: expect.stringMatching(/could not note this: if it is started anew/) });
  });

  test('and is more than the note takes keeps the next devs from running anything', async () => {
    using scene = new GitScene();
    await leave(scene, {}, Array.from({ length: 400 }, (_, index) => `a/${String(index).padStart(200, 'x')}.code-workspace`));
    expect(statSync(noteOf(scene)).size).toBe(65_536);
    rmSync(scene.at('a'), { recursive: true });
    await expect(devs(scene, false).before()).rejects.toMatchObject({ code: 'PROJECT_UNSAFE', sentence: expect.stringContaining('more protected files') });
    rmSync(noteOf(scene));
    expect((await devs(scene, false).before()).existing).toEqual([]);
  });

  test.each([
    ['is cut', (note: string) => truncateSync(note, 20)],
    ['is too long', (note: string) => writeFileSync(note, ' '.repeat(9), { flag: 'a' })],
    ['is of a later version', (note: string) => writeFileSync(note, '{"version":2,"isBeyondMeasure":false,"keys":[]}')],
    ['names no keys', (note: string) => writeFileSync(note, '{"version":1,"isBeyondMeasure":false,"keys":[1]}')],
  ])('is not believed gone by a note that %s', async (_, spoil) => {
    using scene = new GitScene();
    await leave(scene);
    spoil(noteOf(scene));
    await expect(devs(scene, false).before()).rejects.toMatchObject({ code: 'PROJECT_UNSAFE', sentence: expect.stringContaining('cannot read its note') });
  });

  test('is not noted through a link, nor in what is no file', async () => {
    using scene = new GitScene();
    const elsewhere = path.join(scene.base, 'elsewhere');
    symlinkSync(elsewhere, noteOf(scene));
    await expect(devs(scene, false).before()).rejects.toMatchObject({ code: 'COMMAND_REFUSED' });
    expect(exists(elsewhere)).toBe(false);
    rmSync(noteOf(scene));
    mkdirSync(noteOf(scene));
    await expect(devs(scene, false).before()).rejects.toMatchObject({ code: 'COMMAND_REFUSED' });
  });
});
