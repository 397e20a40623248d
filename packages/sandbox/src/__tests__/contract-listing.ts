import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import type { GuardedFsRoot } from '../guarded-fs-root.ts';
import type { OpenRoot } from './contract.ts';
import { createPlayground, refusalOf, signal, treeOf, type Playground } from './playground.ts';

export function describeListing(open: OpenRoot): void {
  describe('listDirectory', () => {
    let ground: Playground;
    let files: GuardedFsRoot;

    beforeEach(() => {
      ground = createPlayground();
      mkdirSync(ground.at('a/inner'), { recursive: true });
      for (const name of ['a/inner/x', 'a/y', 'a-b', 'a.b', 'z', 'B']) writeFileSync(ground.at(name), '');
      symlinkSync(ground.outside, ground.at('out'));
      symlinkSync('a', ground.at('in'));
      files = open({ root: ground.root });
    });
    afterEach(() => {
      files[Symbol.dispose]();
      ground[Symbol.dispose]();
    });

    test('one folder, sorted, with kinds', async () => {
      const { entries, truncated } = await files.listDirectory('.', { recursive: false, limit: 100, signal: signal() });
      expect(truncated).toBe(false);
      expect(entries).toEqual([
        { path: 'B', kind: 'file' },
        { path: 'a', kind: 'directory' },
        { path: 'a-b', kind: 'file' },
        { path: 'a.b', kind: 'file' },
        { path: 'in', kind: 'link' },
        { path: 'out', kind: 'link' },
        { path: 'z', kind: 'file' },
      ]);
    });

    test('a tree, sorted by whole paths, links not followed', async () => {
      const { entries } = await files.listDirectory('./', { recursive: true, limit: 100, signal: signal() });
      const paths = entries.map((entry) => entry.path);
      expect(paths).toEqual(['B', 'a', 'a-b', 'a.b', 'a/inner', 'a/inner/x', 'a/y', 'in', 'out', 'z']);
      expect(paths).toEqual(paths.toSorted((one, other) => (one < other ? -1 : 1)));
    });

    test('through a link inside the root; not through one that leads out, nor of a file', async () => {
      const { entries } = await files.listDirectory('in', { recursive: false, limit: 100, signal: signal() });
      expect(entries.map((entry) => entry.path)).toEqual(['inner', 'y']);
      const request = { recursive: true, limit: 100, signal: signal() };
      await refusalOf(files.listDirectory('out', request), 'PATH_OUTSIDE_ROOT');
      await refusalOf(files.listDirectory('z', request), 'NOT_A_DIRECTORY');
      await refusalOf(files.listDirectory('none', request), 'FILE_NOT_FOUND');
      await refusalOf(files.listDirectory('.', { ...request, limit: 0 }), 'INVALID_RANGE');
    });

    test('the first of many, and whether there are more', async () => {
      mkdirSync(ground.at('many'));
      for (let index = 0; index < 1_500; index += 1) writeFileSync(ground.at('many', `f${String(index)}`), '');
      const request = { recursive: false, signal: signal() };
      const first = await files.listDirectory('many', { ...request, limit: 3 });
      const all = await files.listDirectory('many', { ...request, limit: 1_500 });
      expect(first).toEqual({ entries: ['f0', 'f1', 'f10'].map((name) => ({ path: name, kind: 'file' })), truncated: true });
      expect([all.entries.length, all.truncated]).toEqual([1_500, false]);
    });

    test('aborted while it reads', async () => {
      mkdirSync(ground.at('many'));
      for (let index = 0; index < 1_500; index += 1) writeFileSync(ground.at('many', `f${String(index)}`), '');
      const controller = new AbortController();
      const listing = files.listDirectory('many', { recursive: false, limit: 9_999, signal: controller.signal });
      controller.abort(new Error('enough'));
      await expect(listing).rejects.toThrow('enough');
    });

    test('law: a limited listing is the beginning of the whole one', async () => {
      const request = { recursive: true, signal: signal() };
      const whole = await files.listDirectory('.', { ...request, limit: 100 });
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 12 }), async (limit) => {
          const some = await files.listDirectory('.', { ...request, limit });
          expect(some.entries).toEqual(whole.entries.slice(0, limit));
          expect(some.truncated).toBe(limit < whole.entries.length);
        }),
      );
    });

    test('devs’s own files are not shown, and are swept only when their writer is gone', async () => {
      const abandoned = ['.devs-tmp-4194305-00000000000000aa', 'a/.devs-tmp-4194306-00000000000000bb', `a/.devs-tmp-${String(process.pid)}-00000000000000cc`];
      const kept = ['.devs-tmp-notes', 'a/.devs-tmp-', 'a/.devs-tmp-1-00000000000000dd', 'a/.devs-tmp-4194305-0a', 'a/x.devs-tmp-1-0a'];
      for (const name of [...abandoned, ...kept]) writeFileSync(ground.at(name), 'x');
      writeFileSync(path.join(ground.outside, '.devs-tmp-4194305-00000000000000aa'), 'x');
      symlinkSync('z', ground.at('a/.devs-tmp-4194305-link'));
      mkdirSync(ground.at('.devs-tmp-4194305-folder'));
      const listing = await files.listDirectory('.', { recursive: true, limit: 100, signal: signal() });
      expect(listing.entries.filter((entry) => entry.path.includes('.devs-tmp-')).map((entry) => entry.path)).toEqual([
        'a/x.devs-tmp-1-0a',
      ]);
      expect(await files.sweepTemporaryFiles(signal())).toEqual({ removed: 3, complete: true });
      const left = treeOf(ground.root).filter((name) => name.includes('.devs-tmp-'));
      expect(left).toEqual([...kept, 'a/.devs-tmp-4194305-link', '.devs-tmp-4194305-folder'].sort());
      expect(treeOf(ground.outside)).toContain('.devs-tmp-4194305-00000000000000aa');
    });
  });
}
