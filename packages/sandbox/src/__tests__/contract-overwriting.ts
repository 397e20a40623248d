import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { chmodSync, linkSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DEFAULT_TOOL_SETTINGS, DevsError, type ExistingContent } from '@devs/core';
import type { GuardedFsRoot } from '../guarded-fs-root.ts';
import type { OpenRoot } from './contract.ts';
import { createPlayground, refusalOf, SECRET, signal, text, treeOf, type Playground } from './playground.ts';

/** Writing with a judge of what is there. */
export function describeOverwriting(open: OpenRoot): void {
  describe('writeFile with a judge', () => {
    let ground: Playground;
    let files: GuardedFsRoot;
    /** Writes, tells what the judge was asked, and does what someone else does after it. */
    const write = async (name: string, meanwhile = () => {}, view: Pick<GuardedFsRoot, 'writeFile'> = files) => {
      const asked: string[] = [];
      const judge = (existing: ExistingContent) => {
        asked.push(typeof existing === 'string' ? existing : `bytes: ${text(existing)}`);
        meanwhile();
      };
      await view.writeFile(name, { bytes: Buffer.from('new'), judge, signal: signal() });
      return asked;
    };
    const read = (name: string) => readFileSync(ground.at(name), 'utf8');

    beforeEach(() => {
      ground = createPlayground();
      writeFileSync(ground.at('file'), 'old');
      files = open({ root: ground.root });
    });
    afterEach(() => {
      files[Symbol.dispose]();
      ground[Symbol.dispose]();
    });

    test('it is asked once, and is shown what is replaced', async () => {
      symlinkSync('file', ground.at('link'));
      expect([await write('file'), read('file')]).toEqual([['bytes: old'], 'new']);
      expect([await write('link'), read('file')]).toEqual([['bytes: new'], 'new']);
      expect([await write('a/b'), read('a/b')]).toEqual([['none'], 'new']);
    });

    test('more than may be read is too large to be shown', async () => {
      const view = files.forTool({ ...DEFAULT_TOOL_SETTINGS, limits: { maxFileReadSize: 2 } });
      expect([await write('file', undefined, view), read('file')]).toEqual([['too-large'], 'new']);
    });

    test('what it throws leaves all as it was, folders too', async () => {
      const refused = new DevsError('OVERWRITE_REFUSED', { sentence: 'Not this one.' });
      const refuse = () => { throw refused; };
      await expect(write('file', refuse)).rejects.toBe(refused);
      await expect(write('a/b/c', refuse)).rejects.toBe(refused);
      expect([treeOf(ground.root), read('file')]).toEqual([['file'], 'old']);
    });

    test.each<[string, (file: string) => void, string]>([
      ['written anew', (file) => { writeFileSync(file, 'someone else'); }, 'someone else'],
      ['given another mode', (file) => { chmodSync(file, 0o600); }, 'old'],
      ['touched', (file) => { utimesSync(file, 1, 1); }, 'old'],
      ['replaced by another file of the same bytes', (file) => { replaceBy(file, 'old'); }, 'old'],
    ])('a file that is %s after it was shown stays as it then is', async (_, change, left) => {
      await refusalOf(write('file', () => { change(ground.at('file')); }), 'FILE_CHANGED');
      expect([treeOf(ground.root), read('file')]).toEqual([['file'], left]);
    });

    test('bytes that are not those that were shown are not replaced, whatever the times say', async () => {
      // As after a write in the same tick of the clock: all that the folder tells is as it was.
      const judge = (existing: ExistingContent) => {
        if (typeof existing !== 'string') existing.fill(0);
      };
      await refusalOf(files.writeFile('file', { bytes: Buffer.from('new'), judge, signal: signal() }), 'FILE_CHANGED');
      expect([treeOf(ground.root), read('file')]).toEqual([['file'], 'old']);
    });

    test('a file that is removed, or comes into being, after it was judged is not written', async () => {
      await expect(write('file', () => { rmSync(ground.at('file')); })).rejects.toThrow();
      await refusalOf(write('fresh', () => { writeFileSync(ground.at('fresh'), 'theirs'); }), 'FILE_CHANGED');
      expect([treeOf(ground.root), read('fresh')]).toEqual([['fresh'], 'theirs']);
    });

    test('a file that becomes a link to the outside is neither shown nor written', async () => {
      const outside = path.join(ground.outside, 'secret.txt');
      await expect(write('file', () => { rmSync(ground.at('file')); symlinkSync(outside, ground.at('file')); })).rejects.toThrow();
      await refusalOf(write('file'), 'PATH_OUTSIDE_ROOT');
      expect(readFileSync(outside, 'utf8')).toBe(SECRET);
    });

    test('a hard link elsewhere keeps the old bytes', async () => {
      const hard = path.join(ground.outside, 'hard');
      linkSync(ground.at('file'), hard);
      await write('file');
      expect([readFileSync(hard, 'utf8'), read('file')]).toEqual(['old', 'new']);
    });

    test('without a judge nothing is read: a file that may only be written is replaced', async () => {
      chmodSync(ground.at('file'), 0o200);
      await files.writeFile('file', { bytes: Buffer.from('new'), signal: signal() });
      chmodSync(ground.at('file'), 0o600);
      expect(read('file')).toBe('new');
    });
  });
}

function replaceBy(file: string, content: string): void {
  writeFileSync(`${file}.other`, content);
  renameSync(`${file}.other`, file);
}
