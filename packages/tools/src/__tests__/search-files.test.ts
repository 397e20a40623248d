import { describe, expect, test } from '@jest/globals';
import type { FsRoot, SearchReport, SearchRequest } from '@devs/core';
import { describeSearch } from '../search-files/search-files.ts';
import { Hits } from '../search-files/hits.ts';
import { searchFilesTool } from '../search-files/search-files.ts';
import { argsFor, callTool } from './fake-files.ts';
import { fakeView } from './fake-view.ts';

type Asked = readonly [path: string, glob: string | undefined];

/** Files in memory: their lines by their name. */
function folderOf(files: Readonly<Record<string, readonly string[]>>, gaps: Partial<SearchReport> = {}) {
  const asked: Asked[] = [];
  const shown: string[] = [];
  const searchFiles: FsRoot['searchFiles'] = async (path, { glob, onLine }: SearchRequest) => {
    asked.push([path, glob]);
    const lines = Object.entries(files).flatMap(([name, texts]) => texts.map((text, index) => ({ path: name, number: index + 1, text })));
    const isCut = lines.some((line) => {
      shown.push(`${line.path}:${String(line.number)}`);
      return !onLine(line);
    });
    const report = { files: Object.keys(files).length, binary: 0, unreadable: 0, ignored: 0, partial: 0, ...gaps };
    return await Promise.resolve(isCut ? { ...report, cut: 'enough' } : report);
  };
  return { operations: { searchFiles }, asked, shown };
}

async function search(pattern: string, files: Readonly<Record<string, readonly string[]>>, gaps?: Partial<SearchReport>): Promise<string[]> {
  return await callTool(searchFilesTool, { pattern }, folderOf(files, gaps).operations);
}

describe('search_files', () => {
  test('one hit a line, as path:line:text', async () => {
    const files = { 'a.ts': ['const one = 1;', 'let two'], 'b/c.ts': ['// one'] };
    expect(await search('\\bone\\b', files)).toEqual(['a.ts:1:const one = 1;\nb/c.ts:1:// one']);
  });

  test('the project folder unless asked otherwise; the glob is passed on', async () => {
    const { operations, asked } = folderOf({});
    await callTool(searchFilesTool, { pattern: 'x' }, operations);
    await callTool(searchFilesTool, { pattern: 'x', path: 'src', glob: '*.ts' }, operations);
    expect(asked).toEqual([['.', undefined], ['src', '*.ts']]);
  });

  test('the lines that it is held against are those of the view that the gate gave', async () => {
    const seen: unknown[] = [];
    const searchFiles: FsRoot['searchFiles'] = async (_, { view }) => {
      seen.push(view);
      return await Promise.resolve({ files: 0, binary: 0, unreadable: 0, ignored: 0, partial: 0 });
    };
    await callTool(searchFilesTool, { pattern: 'x' }, { searchFiles });
    expect(seen).toEqual([fakeView]);
  });

  test.each([
    ['a line feed', 'a\nb:1:c', '"a\\nb:1:c":1:x'],
    ['a colon', 'a:7:b', '"a:7:b":1:x'],
    ['nothing unusual', 'a b.ts', 'a b.ts:1:x'],
  ])('a name cannot pass for another hit: %s', async (_, name, expected) => {
    expect(await search('x', { [name]: ['x'] })).toEqual([expected]);
  });

  test.each(['\r', '\v', '\f', '\u0085', '\u2028', '\u2029'])('a text cannot begin a line of its own: %j', async (end) => {
    expect(await search('x', { a: [`x${end}b:1:y`] })).toEqual(['a:1:x\u2424b:1:y']);
  });

  test('a long line is cut around what fits', async () => {
    const [shown = ''] = await search('needle', { a: [`${'x'.repeat(9_000)}needle${'y'.repeat(9_000)}`] });
    expect(shown).toMatch(/^a:1:\[\.\.\.\]x+needley+\[\.\.\.\]$/);
    expect(shown.length).toBeLessThan(520);
    expect(await search('^x', { a: ['x'.repeat(501)] })).toEqual([`a:1:${'x'.repeat(500)}[...]`]);
    const long = [`${'.'.repeat(700)}${'x'.repeat(400)}y`];
    expect(await search('x{200}y', { a: long })).toEqual([expect.stringContaining(`${'x'.repeat(200)}y`)]);
    expect(await search('\\.x{400}y$', { a: long })).toEqual([expect.stringMatching(/^a:1:\.+\[\.\.\.\]$/)]);
  });

  test('as many hits as fit, and that there are more', async () => {
    const some = Array.from({ length: 1_001 }, () => 'x');
    const { operations, shown } = folderOf({ a: some, b: ['x'] });
    const [lines = '', notice] = await callTool(searchFilesTool, { pattern: 'x' }, operations);
    expect(lines.split('\n')).toHaveLength(1_000);
    expect(notice).toBe('[Cut after 1000 lines. Narrow "pattern", "path" or "glob" to see more.]');
    expect(shown).toHaveLength(1_001);
    expect(await search('x', { a: some.slice(1) })).toHaveLength(1);
  });

  test('no more than 51,200 bytes of them', async () => {
    const [lines = '', notice] = await search('é', { a: Array.from({ length: 900 }, () => 'é'.repeat(400)) });
    expect(Buffer.byteLength(lines)).toBeLessThan(51_200);
    expect(notice).toContain('Cut after 63 lines.');
  });

  test.each<[string, Partial<SearchReport>, string]>([
    ['nothing', {}, '[No line fits in 1 text file.]'],
    ['nothing, and much left out', { files: 12, ignored: 3 }, '[No line fits in 12 text files; .gitignore leaves 3 files and folders out.]'],
    ['gaps', { binary: 1, unreadable: 2, partial: 1 }, '[No line fits in 1 text file. Not searched: 1 binary file passed over; 2 files and folders could not be read; 1 file too long, or with too long a line, searched in part.]'],
    ['too many entries', { cut: 'entries' }, '[Ended early: there are more files and folders, or deeper ones, than one search looks at. Give a "path". No line fits in 1 text file.]'],
    ['too many bytes', { cut: 'bytes' }, '[Ended early: there is more text than one search reads. Narrow "pattern", "path" or "glob" to see more. No line fits in 1 text file.]'],
    ['too many rules', { cut: 'rules' }, '[Ended early: holding the names against "glob" and .gitignore takes too much work. Give a "path". No line fits in 1 text file.]'],
  ])('says what was not searched: %s', async (_, gaps, notice) => {
    expect(await search('none', { a: ['x'] }, gaps)).toEqual(['', notice]);
  });

  test.each<[string, Partial<SearchReport>, string]>([
    ['no file', { files: 0 }, '[No file that was looked at fits "glob".]'],
    ['no file, and much left out', { files: 0, ignored: 3, unreadable: 1 }, '[No file that was looked at fits "glob"; .gitignore leaves 3 files and folders out. Not searched: 1 file or folder could not be read.]'],
    ['a file without text', { files: 0, binary: 1 }, '[No line fits in 0 text files. Not searched: 1 binary file passed over.]'],
    ['a file without the text', { files: 1 }, '[No line fits in 1 text file.]'],
  ])('a glob that fits no file is not taken for a text that is nowhere: %s', async (_, gaps, notice) => {
    const { operations } = folderOf({}, gaps);
    expect(await callTool(searchFilesTool, { pattern: 'x', glob: '*.ts' }, operations)).toEqual(['', notice]);
  });

  test('without a glob, no file is no text', async () => {
    expect(await search('x', {})).toEqual(['', '[No line fits in 0 text files.]']);
  });

  test('also beside hits', async () => {
    expect(await search('x', { a: ['x'] }, { binary: 2 })).toEqual(['a:1:x', '[Not searched: 2 binary files passed over.]']);
  });

  test.each([
    ['no pattern', '(', 'The pattern cannot be used: '],
    ['references back', '(a)\\1', 'The pattern cannot be used: '],
    ['looking behind', '(?<=a)b', 'The pattern cannot be used: '],
  ])('a pattern that cannot be run is refused: %s', async (_, pattern, sentence) => {
    const call = search(pattern, { a: ['x'] });
    await expect(call).rejects.toMatchObject({ code: 'PATTERN_REFUSED', sentence: expect.stringContaining(sentence) });
  });

  test.each([
    ['on one line', { line: 99, all: 1_000 }, 1, 100],
    ['on all lines', { line: 1_000, all: 250 }, 3, 100],
  ])('a pattern that takes too much work ends the search, and says so: %s', (_, limits, lines, steps) => {
    const hits = new Hits(limits);
    const pattern = { source: '', size: 1, test: () => (hits.spend(steps), true) };
    const answers = Array.from({ length: lines }, (__, index) => hits.look({ path: 'a', number: index + 1, text: 'x' }, pattern));
    expect(answers).toEqual([...Array<boolean>(lines - 1).fill(true), false]);
    expect(describeSearch({ files: 1, binary: 0, unreadable: 0, ignored: 0, partial: 0, cut: 'enough' }, hits)).toContain(
      'Ended early: the pattern takes too much work on these files.',
    );
  });

  test('what a pattern throws of its own is not taken for too much work', () => {
    const fault = new Error('a fault');
    const test = () => {
      throw fault;
    };
    expect(() => new Hits().look({ path: 'a', number: 1, text: '' }, { source: '', size: 1, test })).toThrow(fault);
  });

  test.each([
    ['no pattern', {}],
    ['an empty pattern', { pattern: '' }],
    ['a pattern of 1,001 characters', { pattern: 'x'.repeat(1_001) }],
    ['an empty glob', { pattern: 'x', glob: '' }],
    ['another key', { pattern: 'x', ignoreCase: true }],
  ])('refused by its schema: %s', (_, args) => {
    expect(() => argsFor(searchFilesTool, args)).toThrow('refused');
  });
});
