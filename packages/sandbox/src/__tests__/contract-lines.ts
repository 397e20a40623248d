import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import fc from 'fast-check';
import { DEFAULT_TOOL_SETTINGS, type LineSlice } from '@devs/core';
import type { GuardedFsRoot } from '../guarded-fs-root.ts';
import type { OpenRoot } from './contract.ts';
import { createPlayground, MOST_HELD_BYTES, refusalOf, signal, text, type Playground } from './playground.ts';


export function describeLines(open: OpenRoot): void {
  describe('readLines', () => {
    let ground: Playground;
    let files: GuardedFsRoot;
    const read = async (startLine: number, rest: { lineCount?: number; limit?: number } = {}) =>
      show(await files.readLines('file', { startLine, limit: 1_000, ...rest }, signal()));

    beforeEach(() => {
      ground = createPlayground();
      files = open({ root: ground.root });
    });
    afterEach(() => {
      files[Symbol.dispose]();
      ground[Symbol.dispose]();
    });

    test.each([
      ['all', 'a\nb\nc\n', 1, {}, ['a\nb\nc\n', 3, 0]],
      ['some', 'a\nb\nc\n', 2, { lineCount: 1 }, ['b\n', 1, 2]],
      ['the last, which does not end', 'a\nb\nc', 3, {}, ['c', 1, 4]],
      ['more than there are', 'a\nb', 2, { lineCount: 9 }, ['b', 1, 2]],
      ['an empty file', '', 1, {}, ['', 0, 0]],
      ['the line after the last', 'a\nb\n', 3, {}, ['', 0, 4]],
      ['the line after the last, which does not end', 'a\nb', 3, {}, ['', 0, 3]],
      ['empty lines', '\n\n\n', 2, { lineCount: 2 }, ['\n\n', 2, 1]],
      ['line feeds alone end a line', 'a\r\nb\rc\u2028d\n', 2, {}, ['b\rc\u2028d\n', 1, 3]],
      ['whole lines, as many as fit', 'aa\nbb\ncc\n', 1, { limit: 7 }, ['aa\nbb\n', 2, 0]],
      ['a page that ends with a line', 'aa\nbb\ncc\n', 1, { limit: 6 }, ['aa\nbb\n', 2, 0]],
      ['the beginning of a line that does not fit', 'a\nbbbbbb\nc', 2, { limit: 4 }, ['bbbb', 0, 2]],
      ['not the beginning of a later line that does not fit', 'a\nbbbbbb\nc', 1, { limit: 4 }, ['a\n', 1, 0]],
    ])('%s', async (_, content, startLine, rest, expected) => {
      writeFileSync(ground.at('file'), content);
      expect(await read(startLine, rest)).toEqual(expected);
    });

    test.each([
      ['past the end', 5, {}],
      ['past the end of a file of one line', 3, {}],
      ['line 0', 0, {}],
      ['a fraction', 1.5, {}],
      ['no number', Number.NaN, {}],
      ['no lines', 1, { lineCount: 0 }],
      ['no bytes', 1, { limit: 0 }],
    ])('a range that cannot be: %s', async (_, startLine, rest) => {
      writeFileSync(ground.at('file'), 'one line\n');
      const range = { startLine, limit: 1_000, ...rest };
      await refusalOf(files.readLines('file', range, signal()), 'INVALID_RANGE');
    });

    test('says how many lines there are', async () => {
      writeFileSync(ground.at('file'), 'a\nb\nc');
      const refusal = await refusalOf(files.readLines('file', { startLine: 9, limit: 9 }, signal()), 'INVALID_RANGE');
      expect(refusal.sentence).toBe('The line 9 is past the end: the file has 3 lines.');
    });

    test('law: pages of lines, put together, are the file, whatever its bytes', async () => {
      const bytes = fc.uint8Array({ maxLength: 60 }).map((raw) => raw.map((byte) => (byte % 4 === 0 ? 0x0a : byte)));
      await fc.assert(
        fc.asyncProperty(bytes, fc.integer({ min: 1, max: 4 }), async (content, lineCount) => {
          writeFileSync(ground.at('file'), content);
          const pages: Uint8Array[] = [];
          for (let startLine = 1; ; ) {
            const page = await files.readLines('file', { startLine, lineCount, limit: 1_000 }, signal());
            if (page.bytes.length === 0) break;
            pages.push(page.bytes);
            startLine += page.lines;
          }
          expect(Buffer.concat(pages)).toEqual(Buffer.from(content));
        }),
      );
    });

    // Beyond 2 GB: huge-lines.slow.test.ts.
    test('a line far into a file is found without holding what is before it', async () => {
      const size = MOST_HELD_BYTES + 128 * 1024 ** 2;
      const descriptor = openSync(ground.at('file'), 'w');
      writeSync(descriptor, Buffer.from('x\n'.repeat(999_999)), 0, 1_999_998, 0);
      writeSync(descriptor, 'the millionth\n', 1_999_998);
      writeSync(descriptor, '\ntail', size - 5);
      closeSync(descriptor);
      const before = process.memoryUsage().arrayBuffers;
      const far = await files.readLines('file', { startLine: 1_000_000, lineCount: 1, limit: 512_000 }, signal());
      const last = await files.readLines('file', { startLine: 1_000_002, limit: 512_000 }, signal());
      expect([text(far.bytes), text(last.bytes), last.offset]).toEqual(['the millionth\n', 'tail', size - 4]);
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(MOST_HELD_BYTES);
    });

    test('aborted while it looks for the line', async () => {
      writeFileSync(ground.at('file'), 'x\n'.repeat(4_000_000));
      const controller = new AbortController();
      const reading = files.readLines('file', { startLine: 3_999_999, limit: 10 }, controller.signal);
      setImmediate(() => {
        controller.abort(new Error('enough'));
      });
      await expect(reading).rejects.toThrow('enough');
    });

    test('one read returns no more than the tool may read, and says so', async () => {
      writeFileSync(ground.at('file'), 'aa\nbb\ncc\n');
      const limits = { maxFileReadSize: 4 };
      const view = files.forTool({ ...DEFAULT_TOOL_SETTINGS, limits });
      const lines = await view.readLines('file', { startLine: 1, limit: 100 }, signal());
      const slice = await view.readFile('file', { limit: 100 }, signal());
      expect([show(lines), lines.limit]).toEqual([['aa\n', 1, 0], 4]);
      expect([text(slice.bytes), slice.limit]).toEqual(['aa\nb', 4]);
      expect((await files.readFile('file', { limit: 100 }, signal())).limit).toBe(100);
    });
  });
}

function show({ bytes, lines, offset }: LineSlice): unknown[] {
  return [text(bytes), lines, offset];
}
