import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DEFAULT_TOOL_SETTINGS, DevsError } from '@devs/core';
import type { GuardedFsRoot } from '../guarded-fs-root.ts';
import type { OpenRoot } from './contract.ts';
import { createPlayground, refusalOf, SECRET, signal, text, treeOf, type Playground } from './playground.ts';

export function describeEditing(open: OpenRoot): void {
  describe('editFile', () => {
    let ground: Playground;
    let files: GuardedFsRoot;
    /** Appends, and does what someone else does meanwhile. */
    const append = async (name: string, meanwhile = () => {}) =>
      await files.editFile(name, (bytes) => (meanwhile(), { content: Buffer.concat([bytes, Buffer.from('+')]), seen: text(bytes) }), signal());

    beforeEach(() => {
      ground = createPlayground();
      writeFileSync(ground.at('file'), 'old');
      files = open({ root: ground.root });
    });
    afterEach(() => {
      files[Symbol.dispose]();
      ground[Symbol.dispose]();
    });

    test('puts what the edit makes of a file in its place, and gives it back', async () => {
      expect(await append('file')).toMatchObject({ seen: 'old' });
      await append(ground.at('file'));
      expect(readFileSync(ground.at('file'), 'utf8')).toBe('old++');
      expect(treeOf(ground.root)).toEqual(['file']);
    });

    test('bytes that are no text come and go as they are; an empty file has none', async () => {
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
      writeFileSync(ground.at('binary'), bytes);
      writeFileSync(ground.at('empty'), '');
      await append('binary');
      await append('empty');
      expect(readFileSync(ground.at('binary'))).toEqual(Buffer.concat([bytes, Buffer.from('+')]));
      expect(readFileSync(ground.at('empty'), 'utf8')).toBe('+');
    });

    test('keeps the mode, without its set-user-id bit; a hard link elsewhere keeps the old bytes', async () => {
      chmodSync(ground.at('file'), 0o4751);
      linkSync(ground.at('file'), path.join(ground.outside, 'hard'));
      await append('file');
      expect(statSync(ground.at('file')).mode & 0o7777).toBe(0o751);
      expect(readFileSync(path.join(ground.outside, 'hard'), 'utf8')).toBe('old');
    });

    test('a link inside the root stays a link; one that leads out is not edited', async () => {
      symlinkSync('file', ground.at('link'));
      symlinkSync(path.join(ground.outside, 'secret.txt'), ground.at('out'));
      await append('link');
      expect([readlinkSync(ground.at('link')), readFileSync(ground.at('file'), 'utf8')]).toEqual(['file', 'old+']);
      await refusalOf(append('out'), 'PATH_OUTSIDE_ROOT');
      expect(readFileSync(path.join(ground.outside, 'secret.txt'), 'utf8')).toBe(SECRET);
    });

    test('what the edit throws leaves all as it is', async () => {
      const refused = new DevsError('EDIT_REFUSED', { sentence: 'Not this one.' });
      const editing = files.editFile('file', () => { throw refused; }, signal());
      await expect(editing).rejects.toBe(refused);
      expect([readFileSync(ground.at('file'), 'utf8'), treeOf(ground.root)]).toEqual(['old', ['file']]);
    });

    test.each<[string, (file: string) => void, string]>([
      ['written anew', (file) => { writeFileSync(file, 'someone else'); }, 'someone else'],
      ['written with the same size and times', (file) => { writeInPlace(file, 'OLD'); }, 'OLD'],
      ['made longer', (file) => { writeFileSync(file, 'old and more'); }, 'old and more'],
      ['given another mode', (file) => { chmodSync(file, 0o600); }, 'old'],
      ['emptied', (file) => { writeFileSync(file, ''); }, ''],
      ['replaced by another file of the same bytes', (file) => { replaceBy(file, 'old'); }, 'old'],
      ['replaced by another file', (file) => { replaceBy(file, 'new'); }, 'new'],
    ])('a file that is %s meanwhile stays as it then is', async (_, change, left) => {
      await refusalOf(append('file', () => { change(ground.at('file')); }), 'FILE_CHANGED');
      expect(readFileSync(ground.at('file'), 'utf8')).toBe(left);
      expect(treeOf(ground.root)).toEqual(['file']);
    });

    test('a file that is removed meanwhile does not come back', async () => {
      await expect(append('file', () => { rmSync(ground.at('file')); })).rejects.toThrow();
      expect(treeOf(ground.root)).toEqual([]);
    });

    test('a file that becomes a link to the outside meanwhile: neither is written', async () => {
      const swap = () => {
        rmSync(ground.at('file'));
        symlinkSync(path.join(ground.outside, 'secret.txt'), ground.at('file'));
      };
      await expect(append('file', swap)).rejects.toThrow();
      expect(readFileSync(path.join(ground.outside, 'secret.txt'), 'utf8')).toBe(SECRET);
      expect(treeOf(ground.root)).toEqual(['file']);
    });

    test('of two edits at once one is made, and the other says that the file has changed', async () => {
      const results = await Promise.allSettled([append('file'), append('file')]);
      const refused = results.filter((result) => result.status === 'rejected');
      expect(refused).toHaveLength(1);
      await refusalOf(Promise.reject(refused[0]?.reason), 'FILE_CHANGED');
      expect(readFileSync(ground.at('file'), 'utf8')).toBe('old+');
    });

    test('a folder moved out of the root meanwhile gets nothing', async () => {
      mkdirSync(ground.at('folder'));
      writeFileSync(ground.at('folder/file'), 'old');
      const moved = path.join(ground.outside, 'moved');
      await expect(append('folder/file', () => { renameSync(ground.at('folder'), moved); })).rejects.toThrow();
      expect(readFileSync(path.join(moved, 'file'), 'utf8')).toBe('old');
    });

    test('aborted while it is written: the old file stands, and no temporary one', async () => {
      const controller = new AbortController();
      const edit = (bytes: Uint8Array) => {
        queueMicrotask(() => { controller.abort(new Error('enough')); });
        return { content: Buffer.concat([bytes, bytes]) };
      };
      await expect(files.editFile('file', edit, controller.signal)).rejects.toThrow('enough');
      expect([readFileSync(ground.at('file'), 'utf8'), treeOf(ground.root)]).toEqual(['old', ['file']]);
    });

    test('a file larger than may be read, or that would be, is left alone', async () => {
      const view = files.forTool({ ...DEFAULT_TOOL_SETTINGS, limits: { maxFileReadSize: 3 } });
      const asked: string[] = [];
      const same = (bytes: Uint8Array) => (asked.push(text(bytes)), { content: bytes });
      const longer = (bytes: Uint8Array) => ({ content: Buffer.concat([bytes, bytes]) });
      await view.editFile('file', same, signal());
      await refusalOf(view.editFile('file', longer, signal()), 'FILE_TOO_LARGE');
      writeFileSync(ground.at('file'), 'four');
      await refusalOf(view.editFile('file', same, signal()), 'FILE_TOO_LARGE');
      expect([readFileSync(ground.at('file'), 'utf8'), asked]).toEqual(['four', ['old']]);
    });

    test.each([
      ['none', 'FILE_NOT_FOUND'],
      ['fresh/none', 'FILE_NOT_FOUND'],
      ['folder', 'NOT_A_REGULAR_FILE'],
      ['file/', 'NOT_A_REGULAR_FILE'],
      ['file/below', 'NOT_A_DIRECTORY'],
      ['../outside/secret.txt', 'PATH_OUTSIDE_ROOT'],
      ['.git/config', 'PATH_PROTECTED'],
      ['.GIT/config', 'PATH_PROTECTED'],
      ['folder/.npmrc', 'PATH_PROTECTED'],
      ['to-git', 'PATH_PROTECTED'],
      ['.mcp.json', 'PATH_PROTECTED'],
    ] as const)('%s is %s, and nothing is made', async (name, code) => {
      mkdirSync(ground.at('.git'));
      mkdirSync(ground.at('folder'));
      writeFileSync(ground.at('.git/config'), 'config');
      writeFileSync(ground.at('folder/.npmrc'), 'config');
      symlinkSync('.git/config', ground.at('to-git'));
      symlinkSync('file', ground.at('.mcp.json'));
      const before = treeOf(ground.root);
      const notAsked = () => { throw new Error('it was read'); };
      await refusalOf(append(name, notAsked), code);
      expect(treeOf(ground.root)).toEqual(before);
      expect(readFileSync(ground.at('.git/config'), 'utf8')).toBe('config');
      expect(readFileSync(ground.at('file'), 'utf8')).toBe('old');
    });
  });
}

/** The very same file, and the times it had. */
function writeInPlace(file: string, content: string): void {
  const { atime, mtime } = statSync(file);
  writeFileSync(file, content);
  utimesSync(file, atime, mtime);
}

function replaceBy(file: string, content: string): void {
  writeFileSync(`${file}.other`, content);
  renameSync(`${file}.other`, file);
}
