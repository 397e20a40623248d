import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { chmodSync, closeSync, mkdirSync, openSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { DEFAULT_TOOL_SETTINGS, type FsRoot, type SearchedLine, type SearchReport } from '@devs/core';
import type { GuardedFsRoot } from '../guarded-fs-root.ts';
import type { OpenRoot } from './contract.ts';
import { createPlayground, MOST_HELD_BYTES, plainView, refusalOf, SECRET, signal, type Playground } from './playground.ts';

const NOTHING_LEFT_OUT = { binary: 0, unreadable: 0, ignored: 0, partial: 0 };

interface Asked {
  readonly glob?: string;
  readonly onLine?: (line: SearchedLine) => boolean;
  readonly signal?: AbortSignal;
}

export function describeSearching(open: OpenRoot): void {
  describe('searchFiles', () => {
    let ground: Playground;
    let files: GuardedFsRoot;
    const write = (name: string, content: string | Uint8Array) => {
      mkdirSync(path.dirname(ground.at(name)), { recursive: true });
      writeFileSync(ground.at(name), content);
    };
    const search = async (name: string, asked: Asked = {}) => await searchIn(files, name, asked);
    const pathsIn = async (name: string, glob?: string) => {
      const { lines } = await search(name, glob === undefined ? {} : { glob });
      return [...new Set(lines.map((line) => line.slice(0, line.indexOf(':'))))];
    };

    beforeEach(() => {
      ground = createPlayground();
      files = open({ root: ground.root });
    });
    afterEach(() => {
      files[Symbol.dispose]();
      ground[Symbol.dispose]();
    });

    test('shows every line of every file, in the order of whole paths', async () => {
      write('b.txt', 'one\r\ntwo\n\nfour');
      write('a/x.txt', '\uFEFFmarked\n');
      write('a-b', 'z\n');
      write('a/empty', '');
      const { lines, report } = await search('.');
      expect(lines).toEqual(['a-b:1:z', 'a/x.txt:1:marked', 'b.txt:1:one', 'b.txt:2:two', 'b.txt:3:', 'b.txt:4:four']);
      expect(report).toEqual({ files: 4, ...NOTHING_LEFT_OUT });
    });

    test('below a folder, and of one file, by their names from the root', async () => {
      write('a/b/x', 'deep');
      write('a/y', 'up');
      symlinkSync('a/b', ground.at('to-b'));
      symlinkSync('../a/y', ground.at('a/to-y'));
      expect(await pathsIn('a')).toEqual(['a/b/x', 'a/y']);
      expect(await pathsIn('to-b')).toEqual(['a/b/x']);
      expect(await pathsIn(ground.at('a/y'))).toEqual(['a/y']);
      expect(await pathsIn('a/to-y')).toEqual(['a/y']);
    });

    test('no link is followed on the way', async () => {
      write('a/x', 'in');
      symlinkSync(ground.outside, ground.at('a/out'));
      symlinkSync(path.join(ground.outside, 'secret.txt'), ground.at('a/secret'));
      symlinkSync('.', ground.at('a/loop'));
      const { lines } = await search('.');
      expect(lines).toEqual(['a/x:1:in']);
      await refusalOf(search('a/out'), 'PATH_OUTSIDE_ROOT');
      await refusalOf(search('a/secret'), 'PATH_OUTSIDE_ROOT');
    });

    test.each([
      ['../outside', 'PATH_OUTSIDE_ROOT'],
      ['none', 'FILE_NOT_FOUND'],
      ['', 'PATH_REFUSED'],
    ] as const)('%s is %s', async (name, code) => {
      await refusalOf(search(name), code);
    });

    test('files that are no text are passed over, and counted', async () => {
      write('binary', Buffer.concat([Buffer.from('text'), Buffer.alloc(11), Buffer.from('text')]));
      write('packed', deflateSync('no text any more, once it is packed: '.repeat(3) + Array.from({ length: 200 }, (_, index) => String(index * index)).join()));
      write('slip', `one NUL\0 is a slip\n`);
      write('late', `${'x'.repeat(8_000)}\0y`);
      write('latin', Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]));
      const { lines, report } = await search('.');
      expect(lines.map((line) => line.slice(0, 20))).toEqual(['late:1:xxxxxxxxxxxxx', 'latin:1:caf\uFFFD', 'slip:1:one NUL\0 is a']);
      expect(report).toMatchObject({ files: 3, binary: 2 });
    });

    test.each([
      ['*.ts', ['a.ts', 'src/b.ts', 'src/deep/c.ts']],
      ['/*.ts', ['a.ts']],
      ['src/*.ts', ['src/b.ts']],
      ['src/**', ['src/b.ts', 'src/deep/c.ts', 'src/deep/d.js']],
      ['src/', ['src/b.ts', 'src/deep/c.ts', 'src/deep/d.js']],
      ['**/deep/*', ['src/deep/c.ts', 'src/deep/d.js']],
      ['*.{js,md}', ['README.md', 'src/deep/d.js']],
      ['{src/deep,none}/*.{ts,js}', ['src/deep/c.ts', 'src/deep/d.js']],
      ['[a-b].ts', ['a.ts', 'src/b.ts']],
      ['?.js', ['src/deep/d.js']],
      ['*', ['README.md', 'a.ts', 'src/b.ts', 'src/deep/c.ts', 'src/deep/d.js']],
      ['nothing', []],
    ])('only files that fit the glob %s', async (glob, expected) => {
      for (const name of ['README.md', 'a.ts', 'src/b.ts', 'src/deep/c.ts', 'src/deep/d.js']) write(name, 'x');
      expect(await pathsIn('.', glob)).toEqual(expected);
    });

    test('a glob is held against what is below the searched folder', async () => {
      for (const name of ['a/src/x', 'src/x']) write(name, 'x');
      expect(await pathsIn('a', 'src/*')).toEqual(['a/src/x']);
      expect(await pathsIn('src', 'src/*')).toEqual([]);
    });

    test.each([
      ['*.txt', true],
      ['/a.txt', true],
      ['./*', true],
      ['**/a.*', true],
      ['*.js', false],
      ['src/a.txt', false],
      ['a.txt/', false],
    ])('a file by itself is held against the glob by its name: %s', async (glob, expected) => {
      write('src/a.txt', 'x');
      symlinkSync('src/a.txt', ground.at('link.js'));
      for (const name of ['src/a.txt', 'link.js']) {
        const { lines, report } = await search(name, { glob });
        expect(lines).toEqual(expected ? ['src/a.txt:1:x'] : []);
        expect(report).toEqual({ files: expected ? 1 : 0, ...NOTHING_LEFT_OUT });
      }
    });

    test('a glob does not hide that a file may not be searched', async () => {
      await refusalOf(search('none', { glob: '*.js' }), 'FILE_NOT_FOUND');
      await refusalOf(search('../outside/secret.txt', { glob: '*.js' }), 'PATH_OUTSIDE_ROOT');
    });

    test('honours .gitignore on every level, negations too, and never looks into .git', async () => {
      write('.gitignore', '*.log\n/build\nnode_modules/\n!keep.log\n');
      write('a/.gitignore', '!wanted.log\nlocal\n');
      for (const name of ['x.log', 'keep.log', 'build/x', 'a/build/x', 'a/wanted.log', 'a/b/wanted.log', 'a/local', 'local', 'a/node_modules/x', '.git/config', 'b/.git']) write(name, 'x');
      expect(await pathsIn('.')).toEqual(['.gitignore', 'a/.gitignore', 'a/b/wanted.log', 'a/build/x', 'a/wanted.log', 'keep.log', 'local']);
      expect((await search('.')).report).toMatchObject({ ignored: 4 });
    });

    test('what the path itself names is searched, ignored or not; the rules above hold below it', async () => {
      write('.gitignore', 'dist\n*.log\n');
      write('dist/x', 'x');
      write('dist/y.log', 'y');
      expect(await pathsIn('dist')).toEqual(['dist/x']);
      expect(await pathsIn('dist/y.log')).toEqual(['dist/y.log']);
    });

    test('a .gitignore that is a link, a folder or far too long does no harm', async () => {
      writeFileSync(path.join(ground.outside, 'rules'), '*\n');
      symlinkSync('../../outside/rules', ground.at('.gitignore'));
      mkdirSync(ground.at('a/.gitignore'), { recursive: true });
      write('a/x', 'x');
      write('b/.gitignore', `${'#'.repeat(65_531)}\ny.mdx\nx\n`);
      write('b/x', 'x');
      write('b/y.md', 'y');
      expect(await pathsIn('.', '{x,y.md}')).toEqual(['a/x', 'b/x', 'b/y.md']);
    });

    test('the caller has had enough: nothing more is read', async () => {
      for (const name of ['a', 'b', 'c']) write(name, 'one\ntwo\n');
      const { lines, report } = await search('.', { onLine: ({ path: name }) => name !== 'b' });
      expect(lines).toEqual(['a:1:one', 'a:2:two', 'b:1:one']);
      expect(report).toMatchObject({ cut: 'enough' });
    });

    test('a line without end, and a file of 3 GB, are bounded', async () => {
      writeSparse(ground.at('line'), 1024 ** 3, 'x'.repeat(9_000));
      writeSparse(ground.at('holes'), 3 * 1024 ** 3, '');
      write('short', 'a\n');
      const before = process.memoryUsage().arrayBuffers;
      const { lines, report } = await search('.');
      expect(lines).toEqual(['short:1:a']);
      expect(report).toEqual({ ...NOTHING_LEFT_OUT, files: 2, binary: 1, partial: 1 });
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(MOST_HELD_BYTES);
    });

    test('of a long line the beginning is shown; the lines after it keep their numbers', async () => {
      write('long', `one\n${'x'.repeat(600_000)}\r\nthree\n`);
      const { lines, report } = await search('.');
      expect(lines.map((line) => line.length)).toEqual([10, 7 + 262_144, 12]);
      expect(lines[2]).toBe('long:3:three');
      expect(report).toMatchObject({ files: 1, partial: 1 });
    });

    test('no line is longer than the tool may read', async () => {
      write('file', 'abcdef\nx\n');
      const view = files.forTool({ ...DEFAULT_TOOL_SETTINGS, limits: { maxFileReadSize: 4 } });
      expect((await searchIn(view, '.', {})).lines).toEqual(['file:1:abcd', 'file:2:x']);
    });

    test('other calls have their turn; aborted, it ends', async () => {
      for (let index = 0; index < 200; index += 1) write(`f${String(index)}`, `${'x'.repeat(40_000)}\n`);
      const controller = new AbortController();
      let turns = 0;
      const others = setInterval(() => {
        turns += 1;
        if (turns === 3) controller.abort(new Error('enough'));
      }, 0);
      await expect(search('.', { signal: controller.signal })).rejects.toThrow('enough');
      clearInterval(others);
      expect(turns).toBe(3);
    });

    test('aborted within a chunk, it does not go on to the next one', async () => {
      write('file', `${'x'.repeat(20_000)}\n`.repeat(12));
      const controller = new AbortController();
      let shown = 0;
      const onLine = () => {
        shown += 1;
        setImmediate(() => {
          controller.abort(new Error('enough'));
        });
        return true;
      };
      await expect(search('.', { onLine, signal: controller.signal })).rejects.toThrow('enough');
      expect(shown).toBeLessThan(12);
    });

    test('what may not be read is counted, not fatal', async () => {
      write('closed', 'x');
      write('folder/x', 'x');
      write('open', 'x');
      chmodSync(ground.at('closed'), 0);
      chmodSync(ground.at('folder'), 0);
      const { lines, report } = await search('.');
      chmodSync(ground.at('folder'), 0o755);
      // A superuser may read everything.
      const all = process.geteuid?.() === 0;
      expect(lines).toEqual(all ? ['closed:1:x', 'folder/x:1:x', 'open:1:x'] : ['open:1:x']);
      expect(report.unreadable).toBe(all ? 0 : 2);
    });

    test('the rules of a tool hold: nothing of what is blocked, nothing but what is allowed', async () => {
      write('.gitignore', 'x\n');
      for (const name of ['a/secret/y', 'a/y', 'b/y']) write(name, SECRET);
      const rules = { ...DEFAULT_TOOL_SETTINGS.files, allowed: ['a'], blocked: ['a/secret'] };
      const view = files.forTool({ ...DEFAULT_TOOL_SETTINGS, files: rules });
      expect((await searchIn(view, '.', {})).lines).toEqual([`a/y:1:${SECRET}`]);
      for (const name of ['b', 'b/y', 'a/secret', 'a/secret/y']) await expect(searchIn(view, name, {})).rejects.toThrow('PATH_');
    });

    test('a folder of devs and what devs is still writing are not searched', async () => {
      using guarded = open({ root: ground.root, protectedFolders: [ground.at('state')] });
      for (const name of ['state/token', 'x', '.devs-tmp-1-0a']) write(name, 'x');
      expect((await searchIn(guarded, '.', {})).lines).toEqual(['x:1:x']);
      await refusalOf(searchIn(guarded, 'state', {}), 'PATH_PROTECTED');
      await refusalOf(searchIn(guarded, 'state/token', {}), 'PATH_PROTECTED');
    });
  });
}

interface Found {
  readonly lines: string[];
  readonly report: SearchReport;
}

async function searchIn(files: FsRoot, name: string, { glob, onLine = () => true, signal: until = signal() }: Asked): Promise<Found> {
  const lines: string[] = [];
  const show = (line: SearchedLine) => {
    lines.push(`${line.path}:${String(line.number)}:${line.text}`);
    return onLine(line);
  };
  const report = await files.searchFiles(name, { ...(glob === undefined ? {} : { glob }), onLine: show, view: plainView, signal: until });
  return { lines, report };
}

/** `size` bytes that take little room: text, a hole, and `tail`. */
function writeSparse(file: string, size: number, beginning: string): void {
  const descriptor = openSync(file, 'w');
  writeSync(descriptor, beginning, 0);
  writeSync(descriptor, 'tail', size - 4);
  closeSync(descriptor);
}
