import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import type { GuardedFsRoot } from '../guarded-fs-root.ts';
import type { OpenRoot } from './contract.ts';
import { createPlayground, refusalOf, SECRET, signal, text, treeOf, type Playground } from './playground.ts';

export function describePaths(open: OpenRoot): void {
  describe('paths', () => {
    let ground: Playground;
    let files: GuardedFsRoot;
    const read = async (name: string) => text((await files.readFile(name, { limit: 100 }, signal())).bytes);
    const write = async (name: string) => await files.writeFile(name, { bytes: Buffer.from('x'), signal: signal() });
    const list = async (name: string) => await files.listDirectory(name, { recursive: true, limit: 9, signal: signal() });

    beforeEach(() => {
      ground = createPlayground();
      plantLinks(ground);
      files = open({ root: ground.root });
    });
    afterEach(() => {
      files[Symbol.dispose]();
      ground[Symbol.dispose]();
    });

    test.each([
      ['f'],
      ['./f'],
      ['.//f'],
      ['d/../f'],
      ['d/e/../../f'],
      ['d/./e/.././../f'],
      ['to-e/../../f'],
      ['to-f'],
      ['d/up/f'],
      ['d/up/d/up/f'],
      ['absolute/f'],
      ['chain-1'],
    ])('inside: %s', async (name) => {
      expect(await read(name)).toBe('inside');
    });

    test('names that only look odd are names', async () => {
      for (const name of ['a..b', '...', '..a', 'a..', ' ', '~', '-rf', '%2e%2e', 'ünï', '日本', '..\\f', 'C:', 'a\nb']) {
        await write(name);
        expect(await read(name)).toBe('x');
      }
    });

    test('absolute: by either spelling of the root, whole segments only', async () => {
      symlinkSync(ground.root, path.join(ground.base, 'alias'));
      using aliased = open({ root: path.join(ground.base, 'alias') });
      for (const name of [ground.at('f'), path.join(ground.base, 'alias/f'), `//${ground.at('d')}//../f`]) {
        expect(text((await aliased.readFile(name, { limit: 9 }, signal())).bytes)).toBe('inside');
      }
      mkdirSync(`${ground.root}-evil`);
      writeFileSync(`${ground.root}-evil/f`, SECRET);
      await refusalOf(read(`${ground.root}-evil/f`), 'PATH_OUTSIDE_ROOT');
    });

    test.each([
      ['..'],
      ['../outside/secret.txt'],
      ['./../outside/secret.txt'],
      ['d/../../outside/secret.txt'],
      ['d/e/../../../root/f'],
      ['to-e/../../../outside/secret.txt'],
      ['out'],
      ['out/secret.txt'],
      ['out-relative/secret.txt'],
      ['out-file'],
      ['d/up-out/secret.txt'],
      ['to-out'],
      ['sneaky/secret.txt'],
    ])('outside: %s', async (name) => {
      await refusalOf(read(`${name}${name === '..' ? '/x' : ''}`), 'PATH_OUTSIDE_ROOT');
      await refusalOf(write(`${name}${/[.]txt$|hostname$|file$|to-out$/.test(name) ? '' : '/new'}`), 'PATH_OUTSIDE_ROOT');
      if (!/[.]txt$|root[/]f$/.test(name)) await refusalOf(list(name), 'PATH_OUTSIDE_ROOT');
      expect(treeOf(ground.outside)).toEqual(['secret.txt']);
      expect(readFileSync(path.join(ground.outside, 'secret.txt'), 'utf8')).toBe(SECRET);
    });

    // Read only: a write that a broken guard lets through would change this machine.
    test.each(['/', '/etc', '/etc/hostname', '//etc//hostname', '/../etc/hostname'])('outside: %s', async (name) => {
      await refusalOf(read(`${name}/x`), 'PATH_OUTSIDE_ROOT');
      await refusalOf(list(name), 'PATH_OUTSIDE_ROOT');
    });

    test.each([
      ['absolute, outside by the root’s own path', (root: string) => `${root}/../outside/secret.txt`],
      ['absolute, through the root again', (root: string) => `${root}/d/../../root/f`],
      ['absolute, by the parent', (root: string) => `${path.dirname(root)}/outside/secret.txt`],
    ])('outside: %s', async (_, spell) => {
      await refusalOf(read(spell(ground.root)), 'PATH_OUTSIDE_ROOT');
    });

    test.each([
      ['empty', ''],
      ['NUL', 'f\0'],
      ['NUL before an innocent ending', '../outside/secret.txt\0.md'],
      ['lone surrogate', 'a\ud800b'],
      ['5,000 characters', 'a/'.repeat(2_500)],
      ['5,000 characters in one name', 'a'.repeat(5_000)],
      ['1,400 characters that are 4,200 bytes', '日/'.repeat(1_400)],
      ['a name of 256 bytes', 'a'.repeat(256)],
      ['a name of 256 bytes below what is not there', `none/${'a'.repeat(256)}`],
      ['a name of 86 characters that are 258 bytes', '日'.repeat(86)],
      ['60 links on the way', 'd/up/'.repeat(60) + 'f'],
    ])('refused: %s', async (_, name) => {
      await refusalOf(read(name), 'PATH_REFUSED');
      await refusalOf(write(name), 'PATH_REFUSED');
      await refusalOf(list(name), 'PATH_REFUSED');
    });

    test('deep folders end with a refusal, not with all descriptors in use', async () => {
      await refusalOf(write('n/'.repeat(300) + 'f'), 'PATH_REFUSED');
      expect(treeOf(ground.root).filter((name) => name.startsWith('n'))).toEqual([]);
    });

    test('links in a circle, and a chain of 41', async () => {
      await refusalOf(read('circle'), 'PATH_REFUSED');
      await refusalOf(write('circle/new'), 'PATH_REFUSED');
      expect(await read('chain-2')).toBe('inside');
      symlinkSync('chain-1', ground.at('chain-0'));
      await refusalOf(read('chain-0'), 'PATH_REFUSED');
    });

    test.each([
      ['nothing there', 'none', 'FILE_NOT_FOUND'],
      ['nothing there, further down', 'none/f', 'FILE_NOT_FOUND'],
      ['.. out of what is not there', 'none/../f', 'FILE_NOT_FOUND'],
      ['a file taken for a folder', 'f/x', 'NOT_A_DIRECTORY'],
      ['.. out of a file', 'f/../f', 'NOT_A_DIRECTORY'],
      ['a folder', 'd', 'NOT_A_REGULAR_FILE'],
      ['a folder by its slash', 'f/', 'NOT_A_REGULAR_FILE'],
      ['a folder by its dot', 'f/.', 'NOT_A_REGULAR_FILE'],
      ['the root', '.', 'NOT_A_REGULAR_FILE'],
      ['a link to a folder', 'to-e', 'NOT_A_REGULAR_FILE'],
      ['a link to nothing', 'dangling', 'FILE_NOT_FOUND'],
    ] as const)('not readable as a file: %s', async (_, name, code) => {
      const { sentence } = await refusalOf(read(name), code);
      expect(sentence).toContain(JSON.stringify(name));
    });

    test('.. after a folder that would have to be made is not guessed at', async () => {
      await refusalOf(write('none/../new'), 'FILE_NOT_FOUND');
      expect(treeOf(ground.root)).not.toContain('none');
    });

    test('a refusal quotes at most 200 characters, escaped', async () => {
      const { sentence } = await refusalOf(read(`${'x'.repeat(199)}😀/${'Q'.repeat(200)}\n`), 'FILE_NOT_FOUND');
      expect(sentence.isWellFormed()).toBe(true);
      expect(sentence).not.toContain('Q');
      expect((await refusalOf(read('a\n\u001b[31mb'), 'FILE_NOT_FOUND')).sentence).toContain('"a\\n\\u001b[31mb"');
    });

    test('law: any path gives what the system itself finds inside the root, or a refusal', async () => {
      const segment = fc.constantFrom('..', '.', '', 'd', 'e', 'f', 'up', 'out', 'to-e', 'to-f', 'absolute', 'sneaky', 'a..b');
      await fc.assert(
        fc.asyncProperty(fc.array(segment, { minLength: 1, maxLength: 8 }), fc.boolean(), async (segments, absolute) => {
          const name = segments.join('/');
          fc.pre(!/^\/*$/.test(name) && !name.startsWith('/'));
          const found = await read(absolute ? `${ground.root}/${name}` : name).catch(() => 'refused');
          expect(found).toBe(systemFinds(ground, name) ? 'inside' : 'refused');
        }),
        { numRuns: 500 },
      );
    });
  });
}

/** Whether the path means the one file of the root, as the system resolves it: physically, not by its spelling. */
function systemFinds(ground: Playground, name: string): boolean {
  try {
    return realpathSync.native(`${ground.root}/${name}`) === ground.at('f');
  } catch {
    return false;
  }
}

function plantLinks(ground: Playground): void {
  mkdirSync(ground.at('d/e'), { recursive: true });
  writeFileSync(ground.at('f'), 'inside');
  const links: readonly (readonly [name: string, target: string])[] = [
    ['to-f', 'f'],
    ['to-e', 'd/e'],
    ['d/up', '..'],
    ['absolute', ground.root],
    ['dangling', 'none'],
    ['circle', 'circle'],
    ['out', ground.outside],
    ['out-relative', '../outside'],
    ['out-file', path.join(ground.outside, 'secret.txt')],
    ['d/up-out', '../../outside'],
    ['to-out', 'out/secret.txt'],
    ['sneaky', `${ground.root}/../outside`],
  ];
  for (const [name, target] of links) symlinkSync(target, ground.at(name));
  for (let index = 1; index < 40; index += 1) symlinkSync(`chain-${String(index + 1)}`, ground.at(`chain-${String(index)}`));
  symlinkSync('f', ground.at('chain-40'));
}
