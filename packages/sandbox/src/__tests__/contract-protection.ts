import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { GuardedFsRoot } from '../guarded-fs-root.ts';
import { DEFAULT_PROTECTED_NAMES } from '../protection.ts';
import type { OpenRoot } from './contract.ts';
import { createPlayground, refusalOf, SECRET, signal, text, treeOf, type Playground } from './playground.ts';

export function describeProtection(open: OpenRoot): void {
  describe('protected paths', () => {
    let ground: Playground;
    let files: GuardedFsRoot;
    const write = async (name: string) => await files.writeFile(name, { bytes: Buffer.from('x'), signal: signal() });

    beforeEach(() => {
      ground = createPlayground();
      mkdirSync(ground.at('.git/hooks'), { recursive: true });
      mkdirSync(ground.at('plain/.git-like'), { recursive: true });
      mkdirSync(ground.at('state/devs'), { recursive: true });
      writeFileSync(ground.at('.git/config'), 'config');
      writeFileSync(ground.at('state/devs/token'), SECRET);
      symlinkSync('.git', ground.at('innocent'));
      symlinkSync('.git/config', ground.at('innocent-file'));
      symlinkSync('plain', ground.at('.husky'));
      symlinkSync('state/devs', ground.at('to-state'));
      symlinkSync('.git/hooks/post-checkout', ground.at('dangling'));
      symlinkSync('../plain/x', ground.at('.git/to-plain'));
      symlinkSync('new/folder/.git', ground.at('fresh'));
      files = open({ root: ground.root, protectedFolders: [ground.at('state/devs'), ground.at('later/state'), '/nowhere'] });
    });
    afterEach(() => {
      files[Symbol.dispose]();
      ground[Symbol.dispose]();
    });

    test.each(
      [
        ...DEFAULT_PROTECTED_NAMES,
        ...DEFAULT_PROTECTED_NAMES.map((name) => `new/folder/${name}`),
        ...DEFAULT_PROTECTED_NAMES.map((name) => `${name.toUpperCase()}/deep/er`),
        '.git/config',
        'plain/../.git/config',
        'innocent/config',
        'innocent/hooks/post-checkout',
        'innocent/new/folder/file',
        'innocent-file',
        'innocent/to-plain',
        'fresh/file',
        'dangling',
        '.husky/pre-commit',
        '.devs-tmp-1-aa',
        '.DEVS-TMP-x/y',
      ].map((name) => [name]),
    )('no tool writes %s', async (name) => {
      for (const folder of ['.', '.git']) utimesSync(ground.at(folder), 1, 1);
      const before = [treeOf(ground.root), touchedAt(ground, '.'), touchedAt(ground, '.git')];
      await refusalOf(write(name), 'PATH_PROTECTED');
      // Not even for a moment: a folder that is made and taken back changes its parent's time.
      expect([treeOf(ground.root), touchedAt(ground, '.'), touchedAt(ground, '.git')]).toEqual(before);
      expect(readFileSync(ground.at('.git/config'), 'utf8')).toBe('config');
    });

    test('what is protected may be read and listed', async () => {
      const { bytes } = await files.readFile('innocent/config', { limit: 9 }, signal());
      const { entries } = await files.listDirectory('.git', { recursive: false, limit: 9, signal: signal() });
      expect([text(bytes), entries.map((entry) => entry.path)]).toEqual(['config', ['config', 'hooks', 'to-plain']]);
    });

    test('what only resembles a protected name may be written', async () => {
      for (const name of ['.gitignore', '.github/x', 'git', '.git-like', 'plain/.git-like/x', 'devs.config.json.md']) {
        expect(await write(name)).toEqual({ created: true });
      }
    });

    test.each(['state/devs/token', 'to-state/token', 'plain/../state/devs/token', 'STATE/Devs/token', 'later/state/x'])(
      'a folder of devs is neither read, written nor listed: %s',
      async (name) => {
        const reading = files.readFile(name, { limit: 99 }, signal());
        await (name.startsWith('STATE') || name.startsWith('later')
          ? refusalOf(reading, 'FILE_NOT_FOUND')
          : refusalOf(reading, 'PATH_PROTECTED'));
        await refusalOf(write(name), 'PATH_PROTECTED');
      },
    );

    test('a folder of devs is not shown', async () => {
      const request = { recursive: true, limit: 99, signal: signal() };
      for (const name of ['state/devs', 'to-state']) await refusalOf(files.listDirectory(name, request), 'PATH_PROTECTED');
      const { entries } = await files.listDirectory('.', request);
      expect(entries.map((entry) => entry.path).filter((name) => name.startsWith('state'))).toEqual(['state']);
    });

    test('the list can grow, and never shrinks', async () => {
      using strict = open({ root: ground.root, alsoProtected: ['Makefile'] });
      await refusalOf(strict.writeFile('x/MAKEFILE', { bytes: Buffer.from(''), signal: signal() }), 'PATH_PROTECTED');
      await refusalOf(strict.writeFile('.git/x', { bytes: Buffer.from(''), signal: signal() }), 'PATH_PROTECTED');
      expect(() => open({ root: ground.root, alsoProtected: ['a/b'] })).toThrow('one plain file or folder name');
      expect(() => open({ root: ground.root, alsoProtected: [''] })).toThrow('one plain file or folder name');
    });

    test('a folder of devs below one that may not be looked into keeps no root closed, and is protected where it is in one', async () => {
      for (const folder of [ground.at('closed'), path.join(ground.outside, 'closed')]) {
        mkdirSync(path.join(folder, 'home/devs'), { recursive: true });
        chmodSync(folder, 0o000);
      }
      const folders = [ground.at('closed/home/devs'), path.join(ground.outside, 'closed/home/devs')];
      using opened = asNobody(() => open({ root: ground.root, protectedFolders: folders }));
      for (const folder of [ground.at('closed'), path.join(ground.outside, 'closed')]) chmodSync(folder, 0o755);
      await refusalOf(opened.writeFile('closed/home/devs/key', { bytes: Buffer.from('x'), signal: signal() }), 'PATH_PROTECTED');
    });

    test('a root inside a folder of devs is not opened', () => {
      for (const folder of [ground.root, ground.base, path.join(ground.root, '..')]) {
        expect(() => open({ root: ground.root, protectedFolders: [folder] })).toThrow('lies in a folder of devs');
      }
    });
  });
}

/** Root may look everywhere, so that for a moment it is somebody else. */
function asNobody<Result>(work: () => Result): Result {
  const isRoot = process.getuid?.() === 0;
  try {
    if (isRoot) process.seteuid?.(65_534);
    return work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

function touchedAt(ground: Playground, name: string): bigint {
  return statSync(ground.at(name), { bigint: true }).mtimeNs;
}
