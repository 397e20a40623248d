import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  chmodSync,
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import type { FsRootOptions } from '../open-fs-root.ts';
import type { GuardedFsRoot } from '../guarded-fs-root.ts';
import { describeEditing } from './contract-editing.ts';
import { describeLines } from './contract-lines.ts';
import { describeListing } from './contract-listing.ts';
import { describeMargins } from './contract-margins.ts';
import { describeOverwriting } from './contract-overwriting.ts';
import { describePaths } from './contract-paths.ts';
import { describeProtection } from './contract-protection.ts';
import { describeSearchedViews } from './contract-searched-views.ts';
import { describeSearching } from './contract-searching.ts';
import { describeRules } from './contract-rules.ts';
import { createPlayground, MOST_HELD_BYTES, refusalOf, signal, text, treeOf, type Playground } from './playground.ts';

export type OpenRoot = (options: FsRootOptions) => GuardedFsRoot;

/** What every `FsRoot` of this package does, whatever it stands on. */
export function describeFsRootContract(name: string, open: OpenRoot): void {
  describe(name, () => {
    describeReading(open);
    describeWriting(open);
    describeOverwriting(open);
    describeMargins(open);
    describeLines(open);
    describeEditing(open);
    describeListing(open);
    describeSearching(open);
    describeSearchedViews(open);
    describePaths(open);
    describeProtection(open);
    describeRules(open);
  });
}

function describeReading(open: OpenRoot): void {
  describe('readFile', () => {
    let ground: Playground;
    let files: GuardedFsRoot;

    beforeEach(() => {
      ground = createPlayground();
      mkdirSync(ground.at('src/deep'), { recursive: true });
      writeFileSync(ground.at('src/deep/a.txt'), '0123456789');
      writeFileSync(ground.at('empty'), '');
      files = open({ root: ground.root });
    });
    afterEach(() => {
      files[Symbol.dispose]();
      ground[Symbol.dispose]();
    });

    test.each([
      ['all of it', { limit: 100 }, '0123456789'],
      ['the start', { limit: 3 }, '012'],
      ['the middle', { offset: 4, limit: 3 }, '456'],
      ['the rest', { offset: 7, limit: 100 }, '789'],
      ['nothing at the very end', { offset: 10, limit: 1 }, ''],
    ])('a range: %s', async (_, range, expected) => {
      const slice = await files.readFile('src/deep/a.txt', range, signal());
      expect({ ...slice, bytes: text(slice.bytes), surroundings: text(slice.surroundings.bytes) }).toEqual({
        bytes: expected,
        surroundings: expected,
        size: 10,
        offset: 'offset' in range ? range.offset : 0,
        limit: range.limit,
      });
    });

    test('an empty file is empty, and bytes that are no text come as they are', async () => {
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
      writeFileSync(ground.at('binary'), bytes);
      expect((await files.readFile('empty', { limit: 1 }, signal())).bytes).toHaveLength(0);
      expect([...(await files.readFile('binary', { limit: 999 }, signal())).bytes]).toEqual([...bytes]);
    });

    test.each([
      ['past the end', { offset: 11, limit: 1 }],
      ['negative', { offset: -1, limit: 1 }],
      ['a fraction', { offset: 0.5, limit: 1 }],
      ['no number', { offset: Number.NaN, limit: 1 }],
      ['a limit of nothing', { offset: 0, limit: 0 }],
    ])('a range that cannot be: %s', async (_, range) => {
      await refusalOf(files.readFile('src/deep/a.txt', range, signal()), 'INVALID_RANGE');
    });

    test('3 GB are paged without being held', async () => {
      const size = 3 * 1024 ** 3;
      writeSparse(ground.at('huge'), size);
      const before = process.memoryUsage().arrayBuffers;
      const slice = await files.readFile('huge', { offset: size - 4, limit: 10_485_760 }, signal());
      const page = await files.readFile('huge', { offset: 2 ** 31 + 1, limit: 1_000_000 }, signal());
      expect(text(slice.bytes)).toBe('tail');
      expect(page).toMatchObject({ size, offset: 2 ** 31 + 1 });
      expect(page.bytes).toHaveLength(1_000_000);
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(MOST_HELD_BYTES);
    });

    test('a page longer than a chunk comes whole', async () => {
      const content = Buffer.alloc(1_000_003, 'abcdefg');
      writeFileSync(ground.at('long'), content);
      const { bytes } = await files.readFile('long', { offset: 1, limit: 2_000_000 }, signal());
      expect(Buffer.compare(bytes, content.subarray(1))).toBe(0);
    });

    test('a file that shrinks under the read gives what is left', async () => {
      writeFileSync(ground.at('long'), Buffer.alloc(1_000_000, 'x'));
      const reading = files.readFile('long', { limit: 1_000_000 }, signal());
      writeFileSync(ground.at('long'), 'short');
      const slice = await reading;
      expect(slice.size).toBe(1_000_000);
      expect(slice.bytes.length).toBeLessThan(1_000_000);
    });

    test('aborted: before, and between chunks', async () => {
      writeFileSync(ground.at('long'), Buffer.alloc(4_000_000));
      const controller = new AbortController();
      const reading = files.readFile('long', { limit: 4_000_000 }, controller.signal);
      controller.abort(new Error('enough'));
      await expect(reading).rejects.toThrow('enough');
      await expect(files.readFile('empty', { limit: 1 }, controller.signal)).rejects.toThrow('enough');
    });
  });
}

function describeWriting(open: OpenRoot): void {
  describe('writeFile', () => {
    let ground: Playground;
    let files: GuardedFsRoot;
    const write = async (name: string, content: string) => await files.writeFile(name, { bytes: Buffer.from(content), signal: signal() });

    beforeEach(() => {
      ground = createPlayground();
      writeFileSync(ground.at('old.txt'), 'old');
      files = open({ root: ground.root });
    });
    afterEach(() => {
      files[Symbol.dispose]();
      ground[Symbol.dispose]();
    });

    test('creates, replaces, makes folders, and leaves nothing else', async () => {
      expect(await write('new.txt', 'new')).toEqual({ created: true });
      expect(await write('old.txt', '')).toEqual({ created: false });
      expect(await write(ground.at('a/b/c.txt'), 'deep')).toEqual({ created: true });
      expect(treeOf(ground.root)).toEqual(['a', 'a/b', 'a/b/c.txt', 'new.txt', 'old.txt']);
      expect(readFileSync(ground.at('old.txt'), 'utf8')).toBe('');
      expect(readFileSync(ground.at('a/b/c.txt'), 'utf8')).toBe('deep');
    });

    test('a long content is written whole', async () => {
      const content = 'abcdefg'.repeat(200_000);
      await write('long', content);
      expect(readFileSync(ground.at('long'), 'utf8')).toBe(content);
    });

    test('a replaced file keeps its mode, without its set-user-id bit; a new one has the usual', async () => {
      writeFileSync(ground.at('run.sh'), '', { mode: 0o600 });
      chmodSync(ground.at('run.sh'), 0o4751);
      await write('run.sh', 'x');
      await write('plain', 'x');
      expect(statSync(ground.at('run.sh')).mode & 0o7777).toBe(0o751);
      expect(statSync(ground.at('plain')).mode & 0o7777).toBe(0o666 & ~process.umask());
    });

    test('it is a new file: whoever holds the old one, or a hard link to it, keeps the old bytes', async () => {
      linkSync(ground.at('old.txt'), path.join(ground.outside, 'hard'));
      await write('old.txt', 'new');
      expect(readFileSync(path.join(ground.outside, 'hard'), 'utf8')).toBe('old');
      expect(readFileSync(ground.at('old.txt'), 'utf8')).toBe('new');
    });

    test('a link inside the root stays a link: its target is written, even if it has to be made', async () => {
      symlinkSync('old.txt', ground.at('link'));
      symlinkSync('fresh/new.txt', ground.at('dangling'));
      await write('link', 'through');
      await write('dangling', 'made');
      expect(readlinkSync(ground.at('link'))).toBe('old.txt');
      expect(readFileSync(ground.at('old.txt'), 'utf8')).toBe('through');
      expect(readFileSync(ground.at('fresh/new.txt'), 'utf8')).toBe('made');
    });

    test('aborted while it is flushed: the old file stands, no temporary file, no new folder', async () => {
      const controller = new AbortController();
      for (const name of ['old.txt', 'fresh/folder/new.txt']) {
        const writing = files.writeFile(name, { bytes: Buffer.from('new'), signal: controller.signal });
        queueMicrotask(() => {
          controller.abort(new Error('enough'));
        });
        await expect(writing).rejects.toThrow('enough');
      }
      expect(treeOf(ground.root)).toEqual(['old.txt']);
      expect(readFileSync(ground.at('old.txt'), 'utf8')).toBe('old');
    });

    test('a temporary name that someone else has put a link under is not written through', async () => {
      const victim = path.join(ground.outside, 'victim');
      symlinkSync(victim, ground.at('.devs-tmp-known'));
      using planted = open({ root: ground.root, createId: () => 'known' });
      await expect(planted.writeFile('old.txt', { bytes: Buffer.from('new'), signal: signal() })).rejects.toThrow();
      expect(treeOf(ground.outside)).toEqual(['secret.txt']);
      expect(readFileSync(ground.at('old.txt'), 'utf8')).toBe('old');
    });

    test('what is there and no regular file is not replaced', async () => {
      mkdirSync(ground.at('folder'));
      for (const name of ['folder', 'folder/', 'new/', '.', 'folder/..']) {
        await refusalOf(write(name, 'x'), 'NOT_A_REGULAR_FILE');
      }
      await refusalOf(write('old.txt/below', 'x'), 'NOT_A_DIRECTORY');
      expect(treeOf(ground.root)).toEqual(['folder', 'old.txt']);
    });

    test('a folder moved out of the root while its file is flushed gets nothing', async () => {
      mkdirSync(ground.at('folder'));
      const writing = write('folder/new.txt', 'x');
      renameSync(ground.at('folder'), path.join(ground.outside, 'moved'));
      await expect(writing).rejects.toThrow();
      expect(treeOf(ground.outside).filter((name) => !name.includes('.devs-tmp-'))).toEqual(['moved', 'secret.txt']);
    });
  });
}

/** `size` bytes that take no room, the last four of them `tail`. */
function writeSparse(file: string, size: number): void {
  const descriptor = openSync(file, 'w');
  writeSync(descriptor, 'tail', size - 4);
  closeSync(descriptor);
}
