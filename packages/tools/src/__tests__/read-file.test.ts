import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { FileRange, FsRoot, LineRange, LineSlice } from '@devs/core';
import { wholeCharacters } from '../read-file/read-file.ts';
import { readFileTool } from '../read-file/read-file.ts';
import { argsFor, callTool, fakeFiles } from './fake-files.ts';
import { fakeView } from './fake-view.ts';

/** Nothing around it. */
function alone(bytes: Uint8Array) {
  return { bytes, surroundings: { bytes, start: 0, encoding: 'utf-8' as const } };
}

function fileOf(content: string | Uint8Array, asked: FileRange[] = []): Partial<FsRoot> {
  const bytes = Buffer.from(content);
  const readFile: FsRoot['readFile'] = async (_, range) => {
    asked.push(range);
    const { offset = 0, limit, margin = 0 } = range;
    const before = Math.min(offset, margin);
    const surroundings = { bytes: bytes.subarray(offset - before, offset + limit + margin), start: before, encoding: 'utf-8' as const };
    return await Promise.resolve({ bytes: bytes.subarray(offset, offset + limit), surroundings, size: bytes.length, offset, limit });
  };
  return { readFile };
}

describe('read_file', () => {
  test('a whole file is one block: its content alone', async () => {
    expect(await callTool(readFileTool, { path: 'a' }, fileOf('one\ntwo\n'))).toEqual(['one\ntwo\n']);
    expect(await callTool(readFileTool, { path: 'a' }, fileOf(''))).toEqual(['']);
    expect(await callTool(readFileTool, { path: 'a', limit: 3 }, fileOf('abc'))).toEqual(['abc']);
  });

  test('500,000 bytes by default, and 16 KiB around them; what is asked for is passed on', async () => {
    const asked: FileRange[] = [];
    await callTool(readFileTool, { path: 'a' }, fileOf('x', asked));
    await callTool(readFileTool, { path: 'a', offset: 1, limit: 3_000_000 }, fileOf('x', asked));
    expect(asked).toEqual([
      { offset: 0, limit: 500_000, margin: 16_384 },
      { offset: 1, limit: 3_000_000, margin: 16_384 },
    ]);
  });

  test('a page says what it is and where to go on', async () => {
    expect(await callTool(readFileTool, { path: 'a', offset: 2, limit: 3 }, fileOf('0123456789'))).toEqual([
      '234',
      '[Returned 3 bytes from offset 2, of 10 in all. Call read_file with "offset": 5 for more.]',
    ]);
    expect(await callTool(readFileTool, { path: 'a', offset: 7, limit: 3 }, fileOf('0123456789'))).toEqual(['789']);
  });

  test('a file that ended earlier than its size does not ask to go on for ever', async () => {
    const readFile: FsRoot['readFile'] = async () =>
      await Promise.resolve({ ...alone(new Uint8Array(0)), size: 1_000, offset: 0, limit: 10 });
    expect(await callTool(readFileTool, { path: 'a', limit: 10 }, { readFile })).toEqual(['']);
  });

  test('a root that returns less than was asked for is not taken for the end of the file', async () => {
    const readFile: FsRoot['readFile'] = async (_, { offset = 0 }) =>
      await Promise.resolve({ ...alone(Buffer.from('ab')), size: 10, offset, limit: 2 });
    const [, notice] = await callTool(readFileTool, { path: 'a', limit: 10 }, { readFile });
    expect(notice).toBe('[Returned 2 bytes from offset 0, of 10 in all. Call read_file with "offset": 2 for more.]');
  });

  test.each<[string, Partial<LineSlice>, string[]]>([
    ['to the end of the file', { bytes: Buffer.from('c\n'), lines: 1, offset: 8 }, ['c\n']],
    ['nothing after the last line', { bytes: Buffer.from(''), lines: 0, offset: 10 }, ['']],
    ['some', { bytes: Buffer.from('a\nb\n'), lines: 2 }, ['a\nb\n', '[Returned lines 3 to 4. Call read_file with "startLine": 5 for more.]']],
    ['one', { bytes: Buffer.from('a\n'), lines: 1 }, ['a\n', '[Returned line 3. Call read_file with "startLine": 4 for more.]']],
    [
      'the beginning of one, at a character',
      { bytes: Buffer.from([0x61, 0x62, 0xc3]), lines: 0, offset: 4 },
      ['ab', '[Returned 2 bytes from offset 4, of 10 in all: line 3 is longer than that. Call read_file with "offset": 6 for the rest of it, or "startLine": 4 for what follows it.]'],
    ],
  ])('lines: %s', async (_, slice, expected) => {
    const asked: LineRange[] = [];
    const readLines: FsRoot['readLines'] = async (_path, range) => {
      asked.push(range);
      return await Promise.resolve({ ...alone(slice.bytes ?? Buffer.alloc(0)), lines: 0, size: 10, offset: 0, limit: 500_000, ...slice });
    };
    expect(await callTool(readFileTool, { path: 'a', startLine: 3, lineCount: 2 }, { readLines })).toEqual(expected);
    await callTool(readFileTool, { path: 'a', lineCount: 2 }, { readLines });
    expect(asked).toEqual([
      { startLine: 3, lineCount: 2, limit: 500_000, margin: 16_384 },
      { startLine: 1, lineCount: 2, limit: 500_000, margin: 16_384 },
    ]);
  });

  test('a page is handed over in the midst of what stands around it, and only the page is to be shown', async () => {
    const file = fileOf('0123456789');
    const { signal } = new AbortController();
    const capabilities = { files: fakeFiles(file), view: fakeView, readMore: () => '', signal };
    const output = await readFileTool.handler(argsFor(readFileTool, { path: 'a', offset: 2, limit: 3 }), capabilities);
    expect(output).toEqual({
      content: [
        { type: 'text', text: Buffer.from('0123456789'), shown: { start: 2, end: 5 }, encoding: 'utf-8' },
        { type: 'notice', text: expect.stringContaining('"offset": 5') },
      ],
    });
  });

  test.each([{ startLine: 1, offset: 0 }, { lineCount: 1, limit: 1 }, { startLine: 1, limit: 1 }, { lineCount: 1, offset: 0 }])(
    'lines and bytes at once are refused: %j',
    async (args) => {
      const call = callTool(readFileTool, { path: 'a', ...args }, fileOf('x'));
      await expect(call).rejects.toMatchObject({ code: 'INVALID_RANGE', sentence: expect.stringContaining('not both kinds') });
    },
  );

  test('law: the pages of a text, put together, are the text, and none ends inside a character', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '日', '😀', '\n'), minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 4, max: 20 }), async (content, limit) => {
        const pages: string[] = [];
        for (let offset: number | undefined = 0; offset !== undefined; ) {
          const [page = '', notice = ''] = await callTool(readFileTool, { path: 'a', offset, limit }, fileOf(content));
          pages.push(page);
          const next: string | undefined = /"offset": (\d+)/.exec(notice)?.[1];
          offset = next === undefined ? undefined : Number(next);
        }
        expect(pages.join('')).toBe(content);
      }),
    );
  });

  test('law: any bytes and any limit get on', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 12 }), (bytes) => {
        const kept = wholeCharacters(bytes);
        expect(kept).toBeGreaterThan(0);
        expect(bytes.length - kept).toBeLessThan(4);
      }),
    );
  });

  test.each([
    ['ASCII', [0x61, 0x62], 2],
    ['a whole 2', [0x61, 0xc3, 0xa9], 3],
    ['half of a 2', [0x61, 0xc3], 1],
    ['two thirds of a 3', [0x61, 0xe6, 0x97], 1],
    ['three quarters of a 4', [0x61, 0xf0, 0x9f, 0x98], 1],
    ['a whole 4', [0xf0, 0x9f, 0x98, 0x80], 4],
    ['only a beginning', [0xf0, 0x9f], 2],
    ['continuations alone', [0x61, 0x80, 0x80, 0x80, 0x80], 5],
    ['a byte that leads nothing', [0x61, 0xff], 2],
    ['an overlong lead', [0x61, 0xc0], 2],
    ['a 2 with one byte too many', [0xc3, 0xa9, 0xa9], 3],
  ])('a page ends at a character: %s', (_, bytes, kept) => {
    expect(wholeCharacters(Uint8Array.from(bytes))).toBe(kept);
  });

  test.each([
    ['null', null],
    ['an array', []],
    ['no path', {}],
    ['an empty path', { path: '' }],
    ['a path that is no string', { path: 1 }],
    ['a path of 5,000 characters', { path: 'x'.repeat(5_000) }],
    ['a negative offset', { path: 'a', offset: -1 }],
    ['a fraction', { path: 'a', offset: 0.5 }],
    ['an offset as text', { path: 'a', offset: '1' }],
    ['an offset beyond what numbers hold', { path: 'a', offset: 2 ** 53 }],
    ['a limit of nothing', { path: 'a', limit: 0 }],
    ['a limit too large', { path: 'a', limit: 10_485_761 }],
    ['line 0', { path: 'a', startLine: 0 }],
    ['no lines', { path: 'a', lineCount: 0 }],
    ['a line as text', { path: 'a', startLine: '1' }],
    ['another key', { path: 'a', encoding: 'utf8' }],
    ['__proto__', JSON.parse('{"path":"a","__proto__":{}}')],
  ])('refused by its schema: %s', (_, args) => {
    expect(() => argsFor(readFileTool, args)).toThrow('refused');
  });
});
