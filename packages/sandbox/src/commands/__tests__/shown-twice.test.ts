import { chmodSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { DEFAULT_CONFIG, type DevsCoreConfig } from '@devs/core';
import { inSystemFolders } from '../../__tests__/in-system-folders.ts';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { Playground } from './command-scene.ts';

const LOOK = ['sh', '-c', 'cat "$1/.env" "$1/src/a" "$1/src/.env" "$1/other/b" 2>&1 | grep -v -e "^cat:"; true', 'sh'] as const;
const FILES = { 'project/.env': 'SECRET\n', 'project/src/.env': 'SECRET\n', 'project/src/a': 'open\n', 'project/other/b': 'other\n' };

function rules(files: Partial<DevsCoreConfig['files']>, readable: readonly string[] = []): Partial<DevsCoreConfig> {
  return { files: { ...DEFAULT_CONFIG.files, ...files }, sandbox: { ...DEFAULT_CONFIG.sandbox, readable } };
}

withBoxes('a project that another mount shows, too', () => {
  it.each<[string, Partial<DevsCoreConfig['files']>, (ground: Playground) => readonly string[], string]>([
    ['a folder around it', { allowed: ['src'], blocked: ['.env', 'src/.env'] }, ({ base }) => [base], 'open\n'],
    ['and nothing is blocked', { allowed: ['src'] }, ({ base }) => [base], 'open\nSECRET\n'],
    ['a folder in it, as the operator has named it', { allowed: ['src'], blocked: ['src/.env'] }, ({ root }) => [`${root}/other`], 'open\nother\n'],
    ['both', { allowed: ['src'], blocked: ['src/.env'] }, ({ base, root }) => [base, `${root}/other`], 'open\nother\n'],
    ['a folder in it in which something is blocked', { allowed: ['src'], blocked: ['src/.env', 'other/b'] }, ({ root }) => [`${root}/other`], 'open\n'],
    ['a folder around it, where all is allowed', { blocked: ['.env', 'src/.env'] }, ({ base }) => [base], 'open\nother\n'],
  ])('%s: a command sees what its rules leave', async (_, files, readable, expected) => {
    using ground = new Playground();
    ground.write(FILES);
    const { stdout } = await ground.run({ argv: [...LOOK, ground.root], cwd: 'src' }, { config: rules(files, readable(ground)) });
    expect(stdout).toBe(expected);
  });

  it('by the name of a link: what is hidden is hidden there, too', async () => {
    using ground = new Playground();
    ground.write({ ...FILES, 'state/token': 'SECRET\n', 'beside': 'beside\n' });
    symlinkSync(ground.base, `${ground.base}-link`);
    const argv = ['sh', '-c', 'cat "$1/project/.env" "$1/project/other/b" "$1/state/token"; cat "$1/beside"', 'sh', `${ground.base}-link`] as const;
    const { stdout } = await ground.run({ argv }, { config: rules({ blocked: ['.env', 'other/b'] }, [`${ground.base}-link`]), closed: [`${ground.base}/state`] });
    expect(stdout).toBe('beside\n');
  });
});

inSystemFolders('a project or a home', (make) => {
  it('of which a command sees what its rules leave', async () => {
    using around = make();
    using ground = new Playground(around.path);
    ground.write(FILES);
    const config = rules({ allowed: ['src'], blocked: ['src/.env'] });
    expect((await ground.run({ argv: [...LOOK, ground.root], cwd: 'src' }, { config })).stdout).toBe('open\n');
    expect((await ground.run({ argv: [...LOOK, ground.root] })).stdout).toBe('SECRET\nopen\nSECRET\nother\n');
  });

  it('of which a command sees the programs that PATH leads to, and may write the project', async () => {
    using around = make();
    using ground = new Playground(around.path);
    ground.write({ 'home/.ssh/id': 'SECRET', 'home/.nvm/versions/tool/bin/tool': '#!/bin/sh\necho ran', 'home/own/bin/other': '#!/bin/sh\necho too', 'home/.config/devs/key': 'SECRET' });
    const folders = ['.nvm/versions/tool/bin', 'own/bin'].map((name) => path.join(ground.base, 'home', name));
    for (const [index, name] of ['tool', 'other'].entries()) chmodSync(path.join(folders[index] ?? '', name), 0o755);
    const searchPath = [...folders, process.env['PATH']].join(':');
    const argv = ['sh', '-c', 'tool; other; cat "$1/.ssh/id" "$1/.config/devs/key"; ls -A "$1"; touch "$1/x" && echo written; echo x > made && cat made', 'sh', path.join(ground.base, 'home')] as const;
    const { stdout } = await ground.run({ argv }, { searchPath, closed: [path.join(ground.base, 'home/.config/devs')] });
    expect(stdout).toBe('ran\ntoo\n.nvm\nown\nx\n');
  });
});
