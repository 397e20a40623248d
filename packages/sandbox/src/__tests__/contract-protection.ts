import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROTECTED_FILES } from '../files/protected-files.ts';
import type { GuardedFsRoot } from '../guarded-fs-root.ts';
import type { OpenRoot } from './contract.ts';
import { createPlayground, refusalOf, SECRET, signal, text, treeOf, type Playground } from './playground.ts';

/** One of each kind: `protected-files.test.ts` has all of them. */
const NAMES = PROTECTED_FILES.filter(({ at, liftedBy }) => at === 'anywhere' && liftedBy !== 'everybody').map(({ patterns: [pattern = ''] }) => pattern);

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
      mkdirSync(ground.at('hooked'));
      symlinkSync('hooked', ground.at('.husky'));
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

    test.each<[string, readonly string[], readonly string[]]>([
      ['its HEAD', ['bare/config', 'bare/objects/x', 'bare/refs/x'], ['bare/HEAD', 'bare/head', 'bare/HEAD/x']],
      ['its objects', ['bare/HEAD', 'bare/config', 'bare/refs/x'], ['bare/objects/x/y', 'bare/Objects']],
      ['its refs, at the top', ['HEAD', 'config', 'objects/x'], ['refs/heads/x', 'new/../refs/x']],
      ['its commondir', ['bare/HEAD', 'bare/config'], ['bare/commondir']],
    ])('no tool makes of a folder what git takes for a repository: not %s, when the rest is there', async (_, rest, last) => {
      mkdirSync(ground.at('new'));
      for (const name of rest) await write(name);
      const before = treeOf(ground.root);
      for (const name of last) await refusalOf(write(name), 'PATH_PROTECTED');
      expect(treeOf(ground.root)).toEqual(before);
    });

    test('not even two at once, each of which lacks the other’s', async () => {
      await write('bare/objects/x');
      mkdirSync(ground.at('bare/refs'));
      rmSync(ground.at('bare/objects'), { recursive: true });
      const done = await Promise.allSettled([write('bare/HEAD'), write('bare/objects/y')]);
      expect(done.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    });

    test('of a repository without .git that was there no tool writes what git obeys, and any tool the rest', async () => {
      for (const name of ['bare/objects', 'bare/refs', 'bare/hooks', 'bare/x']) mkdirSync(ground.at(name), { recursive: true });
      for (const name of ['bare/HEAD', 'bare/config']) writeFileSync(ground.at(name), 'own');
      symlinkSync('bare', ground.at('way'));
      for (const name of ['objects', 'refs', 'hooks']) mkdirSync(ground.at('hooks/b', name), { recursive: true });
      writeFileSync(ground.at('hooks/b/HEAD'), 'own');
      for (const name of ['bare/config', 'bare/CONFIG', 'bare/config.worktree', 'bare/commondir', 'bare/hooks/pre-commit', 'bare/hooks/a/b', 'hooks/b/hooks/x', 'way/config', 'way/hooks/x']) await refusalOf(write(name), 'PATH_PROTECTED');
      await refusalOf(files.editFile('bare/config', () => ({ content: Buffer.from('x') }), signal()), 'PATH_PROTECTED');
      for (const name of ['bare/HEAD', 'bare/objects/aa', 'bare/description', 'bare/x/config', 'plain/config', 'plain/hooks/x', 'hooks/config']) await write(name);
      expect(readFileSync(ground.at('bare/config'), 'utf8')).toBe('own');
    });

    test.each(
      [
        ...NAMES,
        ...NAMES.map((name) => `new/folder/${name}`),
        ...NAMES.map((name) => `${name.toUpperCase()}/deep/er`),
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
