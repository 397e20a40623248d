import { existsSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { DEFAULT_CONFIG } from '@devs/core';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { DISKS } from '../../disks/disks.ts';
import { FOLDING, RENAMING } from '../../disks/__tests__/folding-disks.ts';
import { Playground, type SceneOptions } from './command-scene.ts';

const TOUCH = { argv: ['touch', 'made'] } as const;

withBoxes('a project on a disk that gives files under more than one name', () => {
  it.each<[string, string, SceneOptions]>([
    ['a repository', 'project/.git/config', { disks: FOLDING }],
    ['a blocked file', 'project/.env', { disks: FOLDING, config: { files: { ...DEFAULT_CONFIG.files, blocked: ['.env'] } } }],
    ['a protected file in a folder', 'project/sub/.npmrc', { disks: FOLDING }],
    ['a repository that a command could call otherwise', 'project/.git/config', { disks: RENAMING }],
  ])('with %s in it: nothing is run, and the reason is known before', async (_, file, options) => {
    using ground = new Playground();
    ground.write({ [file]: '' });
    await expect(ground.run(TOUCH, options)).rejects.toMatchObject({ code: 'COMMAND_REFUSED', sentence: expect.stringContaining('Nothing is run'), suggestion: expect.stringContaining('ext4') });
    expect(existsSync(path.join(ground.root, 'made'))).toBe(false);
    expect((await ground.findObstacle(options))?.sentence).toContain('Nothing is run');
    expect(await ground.findObstacle({ ...options, disks: DISKS })).toBeUndefined();
  });

  it('with a folder of devs itself in it: nothing is run', async () => {
    using ground = new Playground();
    await expect(ground.run(TOUCH, { disks: FOLDING, closed: [path.join(ground.root, '.config/devs')] })).rejects.toMatchObject({ code: 'COMMAND_REFUSED' });
  });

  it('with nothing to keep in it: commands run', async () => {
    using ground = new Playground();
    ground.write({ 'project/src/a': '' });
    for (const disks of [FOLDING, RENAMING]) {
      expect(await ground.findObstacle({ disks })).toBeUndefined();
      expect((await ground.run(TOUCH, { disks })).outcome.exit).toEqual({ kind: 'code', code: 0 });
    }
  });

  it('of which the kernel knows it: commands run', async () => {
    using ground = new Playground();
    ground.write({ 'project/.git/config': '' });
    // To the box both names are one, and the disk does not list the second.
    symlinkSync('.git', path.join(ground.root, '.GIT'));
    const disks = { ...DISKS, list: (folder: string) => DISKS.list(folder)?.filter((name) => name !== '.GIT') };
    expect((await ground.run(TOUCH, { disks })).outcome.exit).toEqual({ kind: 'code', code: 0 });
  });

  it('and no box: commands run as the operator has said', async () => {
    using ground = new Playground();
    ground.write({ 'project/.git/config': '' });
    const config = { sandbox: { ...DEFAULT_CONFIG.sandbox, tools: 'off' as const } };
    expect((await ground.run(TOUCH, { disks: FOLDING, config })).outcome.exit).toEqual({ kind: 'code', code: 0 });
  });
});
