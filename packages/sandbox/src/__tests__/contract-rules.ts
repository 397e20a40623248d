import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, readFileSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DEFAULT_TOOL_SETTINGS, DevsError, type PathRules, type ToolSettings } from '@devs/core';
import fc from 'fast-check';
import { ToolFiles, type GuardedFsRoot } from '../guarded-fs-root.ts';
import type { OpenRoot } from './contract.ts';
import { createPlayground, plainView, refusalOf, signal, text, treeOf, type Playground } from './playground.ts';


/** Every way in which a tool reaches files; gives what the tool learns of them. */
const OPERATIONS: { readonly [name: string]: (files: ToolFiles, name: string) => Promise<string> } = {
  readFile: async (files, name) => text((await files.readFile(name, { limit: 1_000 }, signal())).bytes),
  readLines: async (files, name) => text((await files.readLines(name, { startLine: 1, limit: 1_000 }, signal())).bytes),
  writeFile: async (files, name) => `created: ${String((await files.writeFile(name, { bytes: Buffer.from('inside'), signal: signal() })).created)}`,
  editFile: async (files, name) => text((await files.editFile(name, (content) => ({ content }), signal())).content),
  listDirectory: async (files, name) => {
    const { entries } = await files.listDirectory(name, { recursive: true, limit: 99, signal: signal() });
    return entries.map((entry) => entry.path).join(' ');
  },
  searchFiles: async (files, name) => {
    const lines: string[] = [];
    await files.searchFiles(name, {
      onLine: (line) => {
        lines.push(line.path);
        return true;
      },
      view: plainView,
      signal: signal(),
    });
    return lines.join(' ');
  },
};

const OPERATION_NAMES = Object.keys(OPERATIONS);
/** Operations on a file; the others take a folder too. */
const ON_FILES = ['readFile', 'readLines', 'writeFile', 'editFile'];

export function settingsOf(files: Partial<PathRules>): ToolSettings {
  return { ...DEFAULT_TOOL_SETTINGS, files: { ...DEFAULT_TOOL_SETTINGS.files, ...files } };
}

export function describeRules(open: OpenRoot): void {
  test('there is no operation that these rules are not tried on', () => {
    const methods = Object.getOwnPropertyNames(ToolFiles.prototype).filter((name) => name !== 'constructor');
    expect(OPERATION_NAMES.toSorted()).toEqual(methods.sort());
  });

  describe('rules of one tool', () => {
    let ground: Playground;
    let root: GuardedFsRoot;
    const viewOf = (rules: Partial<PathRules>) => root.forTool(settingsOf(rules));
    const run = async (operation: string, name: string, rules: Partial<PathRules>) => {
      const work = OPERATIONS[operation];
      if (work === undefined) throw new Error('no such operation');
      return await work(viewOf(rules), name);
    };

    beforeEach(() => {
      ground = createPlayground();
      plant(ground);
      root = open({ root: ground.root });
    });
    afterEach(() => {
      root[Symbol.dispose]();
      ground[Symbol.dispose]();
    });

    describe.each(OPERATION_NAMES)('%s', (operation) => {
      test.each([
        ['the place itself', 'private/key'],
        ['in another case', 'PRIVATE/key'],
        ['full width', '\uFF50rivate/key'],
        ['with a trailing dot', 'private./key'],
        ['with a hidden character', 'pri\u200Cvate/key'],
        ['a short name', 'PRIVAT~1/key'],
        ['a Windows path in one name', 'private\\key'],
        ['absolute', 'ROOT/private/key'],
        ['with a detour', 'src/../private/key'],
        ['through a link', 'to-private/key'],
        ['through a link to the root', 'absolute/private/key'],
        ['a link to it', 'to-key'],
        ['out of it again', 'private/../src/a'],
        ['out of it by a link', 'private/to-src/a'],
        ['nothing there', 'private/none'],
        ['nothing there, deeper', 'private/none/none'],
      ])('what is blocked is not reached: %s', async (_, name) => {
        const before = treeOf(ground.root);
        const asked = name.replace('ROOT', ground.root);
        await refusalOf(run(operation, asked, { blocked: ['private'] }), 'PATH_BLOCKED');
        expect(treeOf(ground.root)).toEqual(before);
      });

      test('the root, or a folder around it, blocks everything', async () => {
        for (const blocked of ['.', ground.root, ground.base, '..', '/']) {
          await refusalOf(run(operation, 'src/a', { blocked: [blocked] }), 'PATH_BLOCKED');
        }
      });

      test('one that lies elsewhere blocks nothing', async () => {
        const blocked = [ground.outside, `${ground.root}-evil`, '../outside', 'sr', 'src/a/b', 'rc', 'src2'];
        if (operation !== 'listDirectory') await run(operation, 'src/a', { blocked });
        else await run(operation, 'src', { blocked });
      });

      test('where a blocked link leads is blocked too', async () => {
        await refusalOf(run(operation, 'private/key', { blocked: ['to-private'] }), 'PATH_BLOCKED');
        await refusalOf(run(operation, 'private/key', { blocked: ['absolute/private'] }), 'PATH_BLOCKED');
        // Not there yet, but that is where it will be.
        await refusalOf(run(operation, 'private/later/x', { blocked: ['to-private/later'] }), 'PATH_BLOCKED');
      });

      test.each(['docs/b', 'README', 'none', 'docs/none/none', 'src/../docs/b', 'to-docs/b', 'src/to-docs/b', 'absolute/docs/b', 'src2/c', 'SRC/a', 'src/up/docs/b'])(
        'only what is allowed is reached, and nothing is told of the rest: %s',
        async (name) => {
          const before = treeOf(ground.root);
          const { sentence } = await refusalOf(run(operation, name, { allowed: ['src'] }), 'PATH_NOT_ALLOWED');
          expect(sentence).toBe(`The path is not one of those that this tool may reach: ${JSON.stringify(name)}.`);
          expect(treeOf(ground.root)).toEqual(before);
        },
      );

      test('what is allowed is reached by every spelling of it', async () => {
        const [folder, name] = operation === 'listDirectory' ? ['src', ''] : ['src', '/a'];
        for (const allowed of ['src', './src/', ground.at('src'), 'docs/../src', '.', ground.root, ground.base]) {
          for (const asked of [folder, `./${folder}`, ground.at(folder), `${folder}/deep/..`, `${folder}/up/src`]) {
            const rules = { allowed: [allowed] };
            await expect(run(operation, `${asked}${name}`, rules)).resolves.toBeDefined();
          }
        }
      });

      test('a list of places elsewhere allows nothing: it is not an empty list', async () => {
        for (const allowed of [[ground.outside], [`${ground.root}-evil`], ['../outside'], ['none'], ['']]) {
          await refusalOf(run(operation, 'src/a', { allowed }), 'PATH_NOT_ALLOWED');
        }
      });

      test('an allowed link does not move the border to where it leads', async () => {
        await refusalOf(run(operation, 'private/key', { allowed: ['to-private'] }), 'PATH_NOT_ALLOWED');
        await refusalOf(run(operation, 'to-private/key', { allowed: ['to-private'] }), 'PATH_NOT_ALLOWED');
      });

      test('what is blocked stays blocked in what is allowed', async () => {
        await refusalOf(run(operation, 'src/deep/x', { allowed: ['src'], blocked: ['src/deep'] }), 'PATH_BLOCKED');
      });

      test.each(['to-src/a', 'to-a', 'absolute/src/a', 'src/up/src/a', 'dangling', 'out/x', 'circle'])(
        'no link is followed where links are refused: %s',
        async (name) => {
          await refusalOf(run(operation, name, { symlinks: 'refuse' }), 'PATH_REFUSED');
        },
      );

      test('links on the way to the root are its owner’s', async () => {
        symlinkSync(ground.root, path.join(ground.base, 'alias'));
        using aliased = open({ root: path.join(ground.base, 'alias') });
        const view = aliased.forTool(settingsOf({ symlinks: 'refuse', allowed: [path.join(ground.base, 'alias/src')] }));
        for (const asked of ['src', path.join(ground.base, 'alias/src'), ground.at('src')]) {
          await expect(OPERATIONS[operation]?.(view, operation === 'listDirectory' ? asked : `${asked}/a`)).resolves.toBeDefined();
        }
      });

      test('nothing deeper than the rules say is reached, whatever the way there', async () => {
        const rules = { maxDepth: 2 };
        for (const name of ['src/deep/x', 'to-src/deep/x', 'src/deep/none', 'src/deep/e/../x', 'to-deep/x']) {
          await refusalOf(run(operation, name, rules), 'PATH_REFUSED');
        }
        const near = operation === 'listDirectory' ? 'src' : 'src/a';
        await expect(run(operation, `src/../docs/../${near}`, rules)).resolves.toBeDefined();
      });
    });

    test('what is blocked is neither listed nor searched, whatever its case', async () => {
      writeFileSync(ground.at('Private.'), 'inside');
      for (const operation of ['listDirectory', 'searchFiles']) {
        const seen = await run(operation, '.', { blocked: ['private', 'docs/b'] });
        expect(seen).not.toMatch(/(?:^| )(?:private|docs\/b)/i);
        expect(seen).toContain('src/a');
      }
    });

    test('a root of which nothing may be reached is not listed either', async () => {
      for (const operation of ['listDirectory', 'searchFiles']) {
        await refusalOf(run(operation, '.', { blocked: ['.'] }), 'PATH_BLOCKED');
        await refusalOf(run(operation, '.', { allowed: [ground.outside] }), 'PATH_NOT_ALLOWED');
      }
    });

    test('of a folder that only leads to what is allowed a tool sees the way, and reads nothing', async () => {
      writeFileSync(ground.at('deep'), 'inside');
      expect(await run('listDirectory', '.', { allowed: ['src/deep'] })).toBe('src src/deep src/deep/x');
      expect(await run('searchFiles', '.', { allowed: ['src/deep'] })).toBe('src/deep/x');
      expect(await run('listDirectory', 'src', { allowed: ['src/deep', 'docs'] })).toBe('deep deep/x');
      // A file in the place of the way is not what is allowed.
      for (const operation of ON_FILES) await refusalOf(run(operation, 'deep', { allowed: ['deep/er'] }), 'PATH_NOT_ALLOWED');
      expect(await run('searchFiles', '.', { allowed: ['deep/er'] })).toBe('');
    });

    test('a listing says when it leaves out what is too deep', async () => {
      const request = { recursive: true, limit: 99, signal: signal() };
      const { entries, truncated } = await viewOf({ maxDepth: 1 }).listDirectory('.', request);
      expect([entries.some((entry) => entry.path.includes('/')), truncated]).toEqual([false, true]);
      expect(await viewOf({ maxDepth: 1 }).listDirectory('src', request)).toEqual({ entries: [], truncated: true });
    });

    test('a folder that is made on the way to a refusal is not made', async () => {
      const before = treeOf(ground.root);
      await refusalOf(run('writeFile', 'src/new/private/x', { blocked: ['src/new/private'] }), 'PATH_BLOCKED');
      await refusalOf(run('writeFile', 'src/new/x/y', { maxDepth: 3 }), 'PATH_REFUSED');
      await refusalOf(run('writeFile', 'new/x', { allowed: ['new/y'] }), 'PATH_NOT_ALLOWED');
      expect(treeOf(ground.root)).toEqual(before);
      expect(await run('writeFile', 'new/y/x', { allowed: ['new/y'] })).toBe('created: true');
    });

    test('a folder that was entered, then moved into what is blocked, is not written', async () => {
      const files = viewOf({ blocked: ['private'] });
      const writing = files.writeFile('docs/new', { bytes: Buffer.from('x'), signal: signal() });
      renameSync(ground.at('docs'), ground.at('private/docs'));
      await expect(writing).rejects.toThrow();
      expect(treeOf(ground.at('private/docs'))).not.toContain('new');
    });

    test('what is protected for all stays protected for each tool', async () => {
      using strict = open({ root: ground.root, alsoProtected: ['README'], protectedFolders: [ground.at('private')] });
      const files = strict.forTool(settingsOf({ allowed: ['.'] }));
      for (const name of ['.git/config', 'README', 'private/key']) {
        await refusalOf(files.writeFile(name, { bytes: Buffer.from('x'), signal: signal() }), 'PATH_PROTECTED');
      }
      for (const operation of OPERATION_NAMES) await refusalOf(OPERATIONS[operation]?.(files, 'private/key') ?? Promise.resolve(), 'PATH_PROTECTED');
    });

    test('one view for the same settings, others for others; a view cannot let go of the folder', async () => {
      const settings = settingsOf({ blocked: ['private'] });
      expect(root.forTool(settings)).toBe(root.forTool(settings));
      expect(root.forTool(settings)).not.toBe(root.forTool({ ...settings }));
      expect(Symbol.dispose in root.forTool(settings)).toBe(false);
      expect(await run('readFile', 'private/key', {})).toBe('inside');
    });

    test('law: under any rules a read gives a file that the rules let through, as the system resolves it', async () => {
      const segment = fc.constantFrom('..', '.', 'src', 'a', 'deep', 'x', 'docs', 'b', 'private', 'key', 'to-src', 'to-docs', 'to-private', 'to-src', 'absolute', 'up', 'to-key', 'out', 'PRIVATE');
      const way = fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => segments.join('/'));
      const entry = fc.constantFrom('src', 'docs', 'private', 'src/deep', 'docs/b', 'to-private', 'none', '.');
      const rules = fc.record({
        allowed: fc.array(entry, { maxLength: 2 }),
        blocked: fc.array(entry, { maxLength: 2 }),
        maxDepth: fc.integer({ min: 1, max: 4 }),
        symlinks: fc.constantFrom('inside', 'refuse'),
      });
      await fc.assert(
        fc.asyncProperty(way, rules, async (name, given) => {
          const seen = await run('readFile', name, given).catch((cause: unknown) => {
            if (cause instanceof DevsError) return undefined;
            throw cause;
          });
          if (seen === undefined) return;
          expect(isLetThrough(ground, name, given)).toBe(true);
          expect(seen).toBe('inside');
        }),
        { numRuns: 1_500 },
      );
    });
  });
}

/** By the real path alone, in the plainest way. */
function isLetThrough(ground: Playground, name: string, { allowed, blocked, maxDepth, symlinks }: PathRules): boolean {
  const real = realpathSync.native(path.isAbsolute(name) ? name : `${ground.root}/${name}`);
  const isIn = (entry: string) => real === path.join(ground.root, entry) || real.startsWith(`${path.join(ground.root, entry)}/`);
  const isPlain = symlinks === 'inside' || real === path.resolve(ground.root, name);
  const isAllowed = allowed.length === 0 || allowed.some(isIn);
  return real.startsWith(`${ground.root}/`) && isAllowed && !blocked.some(isIn) && path.relative(ground.root, real).split('/').length <= maxDepth && isPlain;
}

function plant(ground: Playground): void {
  for (const folder of ['src/deep', 'src2', 'docs', 'private']) mkdirSync(ground.at(folder), { recursive: true });
  for (const file of ['src/a', 'src/deep/x', 'src2/c', 'docs/b', 'private/key', 'README']) writeFileSync(ground.at(file), 'inside');
  const links: readonly (readonly [name: string, target: string])[] = [
    ['absolute', ground.root],
    ['to-src', 'src'],
    ['to-a', 'src/a'],
    ['to-deep', 'src/deep'],
    ['to-docs', 'docs'],
    ['src/to-docs', '../docs'],
    ['src/up', '..'],
    ['to-private', 'private'],
    ['to-key', 'private/key'],
    ['private/to-src', '../src'],
    ['dangling', 'src/none'],
    ['out', '../outside'],
    ['circle', 'circle'],
  ];
  for (const [name, target] of links) symlinkSync(target, ground.at(name));
  expect(readFileSync(ground.at('to-key'), 'utf8')).toBe('inside');
}
