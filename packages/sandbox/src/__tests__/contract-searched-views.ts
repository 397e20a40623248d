import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { DevsError, type Alteration, type SearchRequest, type TextView } from '@devs/core';
import type { GuardedFsRoot } from '../guarded-fs-root.ts';
import type { OpenRoot } from './contract.ts';
import { createPlayground, plainView, signal, text, type Playground } from './playground.ts';


/** What is searched is what is shown. */
export function describeSearchedViews(open: OpenRoot): void {
  describe('searchFiles by the view', () => {
    let ground: Playground;
    let files: GuardedFsRoot;
    let shown: string[] = [];
    const write = (name: string, content: string) => {
      writeFileSync(ground.at(name), content);
    };
    const search = async (view: SearchRequest['view']) => {
      shown = [];
      const onLine: SearchRequest['onLine'] = ({ path, number, text }) => shown.push(`${path}:${String(number)}:${text}`) > 0;
      await files.searchFiles('.', { view, onLine, signal: signal() });
      return shown;
    };

    beforeEach(() => {
      ground = createPlayground();
      files = open({ root: ground.root });
    });
    afterEach(() => {
      files[Symbol.dispose]();
      ground[Symbol.dispose]();
    });

    test('what a line shows is its view; its number is that of the file, though lines before it are masked as one', async () => {
      write('a', 'one\nkey: BEGIN\r\nx\ny\nEND;\ntwo\nBEGIN\n\nEND\n\nthree');
      const lines = await search((bytes) => maskingView(bytes));
      expect(lines).toEqual(['a:1:one', 'a:2:key: [M];', 'a:6:two', 'a:7:[M]', 'a:10:', 'a:11:three']);
    });

    test('what is masked by its neighbours is seen with them, wherever a file is cut for reading', async () => {
      const filler = `${'x'.repeat(99)}\n`;
      const key = `BEGIN\n${'secret\n'.repeat(40)}END\n`;
      for (const count of [2_615, 2_620, 2_778, 2_780, 2_785]) {
        write('a', `${filler.repeat(count)}${key}${filler.repeat(4_000)}${key}last\n`);
        const lines = await search((bytes) => maskingView(bytes));
        expect(lines).toHaveLength(count + 4_003);
        expect(lines.filter((line) => !line.endsWith('x'))).toEqual([
          `a:${String(count + 1)}:[M]`,
          `a:${String(count + 4_043)}:[M]`,
          `a:${String(count + 4_085)}:last`,
        ]);
      }
    });

    test('what is masked at the place where a long line is cut is not shown in halves', async () => {
      const longest = 262_144;
      for (const before of [longest - 30, longest - 5, longest - 1, longest]) {
        write('a', `${'x'.repeat(before)}BEGINsecretsecretEND${'y'.repeat(longest)}\nlast\n`);
        const [long = '', last] = await search((bytes) => maskingView(bytes));
        expect(long).toBe(`a:1:${'x'.repeat(before)}${before === longest - 30 ? `[M]${'y'.repeat(10)}` : ''}`);
        expect(last).toBe('a:2:last');
      }
    });

    test('a key longer than a margin is seen whole, wherever a file is cut for reading', async () => {
      const filler = `${'a word '.repeat(14)}\n`;
      const key = `BEGIN\n${`${'A'.repeat(64)}\r\n`.repeat(1_500)}END\n`;
      for (const count of [1_500, 4_300, 4_600, 4_900]) {
        write('a', `${filler.repeat(count)}${key}${filler.repeat(4_000)}last\n`);
        const lines = await search((bytes) => maskingView(bytes));
        expect(lines.filter((line) => !line.includes('word'))).toEqual([`a:${String(count + 1)}:[M]`, `a:${String(count + 5_503)}:last`]);
      }
    });

    test('a file that takes too long to look through is passed over and counted, and the search goes on', async () => {
      write('a', 'one\n');
      write('b', 'two\n');
      const view: SearchRequest['view'] = (bytes) => {
        if (text(bytes) === 'one\n') throw new DevsError('OUTPUT_WITHHELD');
        return maskingView(bytes);
      };
      const lines: string[] = [];
      const onLine: SearchRequest['onLine'] = (line) => lines.push(line.text) > 0;
      expect(await files.searchFiles('.', { view, onLine, signal: signal() })).toMatchObject({ files: 1, unreadable: 1 });
      expect(lines).toEqual(['two']);
    });

    test('what is shown of one place may have several lines: all of them are of the line where it begins', async () => {
      write('a', 'one\nkey: BEGIN\nx\nEND;\ntwo\nBEGIN\nEND');
      const lines = await search((bytes) => maskingView(bytes, '[M\nof\nlines]'));
      expect(lines).toEqual(['a:1:one', 'a:2:key: [M', 'a:2:of', 'a:2:lines];', 'a:5:two', 'a:6:[M', 'a:6:of', 'a:6:lines]']);
    });

    test('and is cut where it is long', async () => {
      write('a', 'one\nBEGIN\nEND\ntwo');
      const lines = await search((bytes) => maskingView(bytes, `[M\n${'x'.repeat(2_000_000)}]`));
      expect(lines.map((line) => line.slice(0, 9))).toEqual(['a:1:one', 'a:2:[M', 'a:2:xxxxx', 'a:4:two']);
      expect(lines[2]?.length).toBeLessThan(300_000);
    });

    test('a view that fails ends the search: no line is shown as it is', async () => {
      write('a', 'one\n');
      const fail = () => {
        throw new Error('broken');
      };
      await expect(search(fail)).rejects.toThrow('broken');
      expect(shown).toEqual([]);
    });
  });
}

/** Masks what stands from BEGIN to END, lines and all; of ASCII alone. */
function maskingView(bytes: Uint8Array, mark = '[M]'): TextView {
  const source = Buffer.from(bytes).toString('latin1');
  const alterations: Alteration[] = [];
  let shift = 0;
  const shown = source.replace(/BEGIN[^]*?(?:END|$)/g, (masked, offset: number) => {
    const start = offset - shift;
    alterations.push({ start, end: start + mark.length, source: { start: offset, end: offset + masked.length }, kind: 'masked' });
    shift += masked.length - mark.length;
    return mark;
  });
  const placeOf = (unit: number) => {
    const before = alterations.findLast(({ end }) => end <= unit);
    return before === undefined ? unit : before.source.end + unit - before.end;
  };
  const alterationCount = alterations.length;
  const isEdge = (unit: number) => alterations.every(({ start, end }) => unit <= start || unit >= end);
  const sourceOf: TextView['sourceOf'] = (start, end) => {
    if (!isEdge(start) || !isEdge(end)) throw new RangeError('Not a piece of the view.');
    return { start: placeOf(start), end: placeOf(end) };
  };
  return { ...plainView(bytes), text: shown, alterationCount, isEdge, sourceOf };
}
