import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { DEFAULT_TOOL_SETTINGS } from '@devs/core';
import type { GuardedFsRoot } from '../guarded-fs-root.ts';
import type { OpenRoot } from './contract.ts';
import { createPlayground, refusalOf, signal, text, type Playground } from './playground.ts';

const LIST = '0,2,4,6,8,';

/** What is read around a window, so that nothing in it is judged by a half of it. */
export function describeMargins(open: OpenRoot): void {
  describe('margins', () => {
    let ground: Playground;
    let files: GuardedFsRoot;

    beforeEach(() => {
      ground = createPlayground();
      writeFileSync(ground.at('list'), LIST);
      files = open({ root: ground.root });
    });
    afterEach(() => {
      files[Symbol.dispose]();
      ground[Symbol.dispose]();
    });

    test.each([
      ['in the middle', { offset: 4, limit: 3, margin: 2 }, '2,4,6,8', 2],
      ['at the start', { offset: 1, limit: 3, margin: 2 }, '0,2,4,', 1],
      ['at the end', { offset: 8, limit: 30, margin: 2 }, '6,8,', 2],
      ['all of the file', { offset: 4, limit: 1, margin: 99 }, '0,2,4,6,8,', 4],
      ['none', { offset: 4, limit: 1, margin: 0 }, '4', 0],
    ])('a margin around the window: %s', async (_, range, expected, start) => {
      const { bytes, surroundings } = await files.readFile('list', range, signal());
      expect([text(surroundings.bytes), surroundings.start]).toEqual([expected, start]);
      expect(text(bytes)).toBe(LIST.slice(range.offset, range.offset + range.limit));
    });

    test('a margin does not count for the limit of the tool, nor may it begin like a byte order mark', async () => {
      const view = files.forTool({ ...DEFAULT_TOOL_SETTINGS, limits: { maxFileReadSize: 2 } });
      const { bytes, surroundings } = await view.readFile('list', { offset: 4, limit: 9, margin: 1 }, signal());
      expect([text(bytes), text(surroundings.bytes)]).toEqual(['4,', ',4,6']);
      writeFileSync(ground.at('wide'), Buffer.from([0x61, 0xff, 0xfe, 0x2c, 0x63]));
      const wide = await files.readFile('wide', { offset: 4, limit: 1, margin: 3 }, signal());
      expect([text(wide.surroundings.bytes), wide.surroundings.start]).toEqual([',c', 1]);
    });

    test('a piece of a file says how the file is to be read, and begins at a character of it', async () => {
      writeFileSync(ground.at('wide'), Buffer.from('\ufeff,,,,,,,,', 'utf16le'));
      writeFileSync(ground.at('big'), Buffer.from('\ufeff,,,,,,,,', 'utf16le').swap16());
      const pieceOf = async (name: string, offset: number) => {
        const { surroundings } = await files.readFile(name, { offset, limit: 2, margin: 3 }, signal());
        return [surroundings.encoding, surroundings.start, surroundings.bytes.length];
      };
      expect(await pieceOf('wide', 8)).toEqual(['utf-16le', 4, 9]);
      expect(await pieceOf('big', 9)).toEqual(['utf-16be', 3, 8]);
      expect(await pieceOf('wide', 2)).toEqual(['utf-16le', 2, 7]);
      expect(await pieceOf('list', 5)).toEqual(['utf-8', 3, 8]);
    });

    test.each([-1, 0.5, Number.NaN])('a margin that cannot be: %d', async (margin) => {
      await refusalOf(files.readFile('list', { limit: 1, margin }, signal()), 'INVALID_RANGE');
      await refusalOf(files.readLines('list', { startLine: 1, limit: 1, margin }, signal()), 'INVALID_RANGE');
    });

    test('lines have a margin too', async () => {
      writeFileSync(ground.at('lines'), 'a;\ncd\nef\ngh\n');
      const { bytes, surroundings } = await files.readLines('lines', { startLine: 2, lineCount: 1, limit: 99, margin: 2 }, signal());
      expect([text(bytes), text(surroundings.bytes), surroundings.start]).toEqual(['cd\n', ';\ncd\nef', 2]);
    });

    test.each(['', '    ', '> ', '+', 'web-1  | ', '12:\t', '  "'])('a margin begins where a key does that has %j before each line', async (prefix) => {
      const body = `${prefix}${'Ab0+/9aB'.repeat(8)}\n`.repeat(1_000);
      writeFileSync(ground.at('key'), `some words\n${body}and more\n`);
      for (const offset of [20_000, 40_007, 60_014]) {
        const { surroundings } = await files.readFile('key', { offset, limit: 10, margin: 1_024 }, signal());
        expect([surroundings.start, text(surroundings.bytes).slice(0, 10)]).toEqual([offset, 'some words']);
      }
      const line = await files.readLines('key', { startLine: 900, lineCount: 1, limit: 99, margin: 1_024 }, signal());
      expect(text(line.surroundings.bytes).startsWith('some words')).toBe(true);
    });

    test('a margin in a file of UTF-16 is read as the file is', async () => {
      const body = `${'\u2e2e'.repeat(140)} ${'Ab0+/9aB'.repeat(8)}\n`.repeat(1_000);
      writeFileSync(ground.at('wide'), Buffer.from(`\ufeffsome words\n${body}`, 'utf16le'));
      const { surroundings } = await files.readFile('wide', { offset: 80_000, limit: 10, margin: 2_048 }, signal());
      expect(surroundings.start).toBe(80_000);
    });

    test('a margin begins where a key may begin, not in the midst of its lines', async () => {
      const body = `${'Ab0+'.repeat(16)}\n`.repeat(1_000);
      writeFileSync(ground.at('key'), `some words\n${body}and more\n`);
      const { surroundings } = await files.readFile('key', { offset: 60_000, limit: 10, margin: 1_024 }, signal());
      expect([surroundings.start, text(surroundings.bytes).slice(0, 10)]).toEqual([60_000, 'some words']);
      const line = await files.readLines('key', { startLine: 900, lineCount: 1, limit: 99, margin: 1_024 }, signal());
      expect(text(line.surroundings.bytes).startsWith('some words')).toBe(true);
      writeFileSync(ground.at('long'), Buffer.alloc(3_000_000, 'A'));
      expect((await files.readFile('long', { offset: 2_500_000, limit: 1, margin: 1_024 }, signal())).surroundings.start).toBe(1_048_576);
    });
  });
}
