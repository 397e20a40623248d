import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { plainView } from '../../__tests__/playground.ts';
import { TextBlocks, type BlockLimits } from '../text-blocks.ts';
import { viewedLines } from '../viewed-lines.ts';

const LARGE: BlockLimits = { longestLine: 1_000, block: 1_000, margin: 100 };

/** Each chunk is overwritten once the next one is asked for, as a reader's buffer is. */
function linesOf(chunks: readonly Uint8Array[], limits: BlockLimits): [lines: string[], isCut: boolean] {
  const blocks = new TextBlocks(limits);
  const lines: string[] = [];
  const show = (block: ReturnType<TextBlocks['last']>) => {
    if (block === undefined) return;
    for (const { number, text } of viewedLines(block, plainView)) {
      lines.push(text);
      expect(number).toBe(lines.length);
    }
  };
  for (const chunk of chunks) {
    const buffer = Buffer.from(chunk);
    const block = blocks.push(buffer);
    buffer.fill(0x21);
    show(block);
  }
  show(blocks.last());
  return [lines, blocks.isCut];
}

const bytes = fc.uint8Array({ maxLength: 20 }).map((raw) => raw.map((byte) => (byte % 3 === 0 ? 0x0a : byte)));
const limits = fc.record({ longestLine: fc.constant(1_000), block: fc.integer({ min: 1, max: 30 }), margin: fc.integer({ min: 0, max: 30 }) });

test('law: however a file is cut into chunks and blocks, its lines are the same', () => {
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 6 }), limits, (chunks, small) => {
      const whole = Buffer.concat(chunks);
      const split = new TextDecoder().decode(whole).split('\n');
      if (split.at(-1) === '') split.pop();
      const expected = split.map((line) => line.replace(/\r$/, ''));
      expect(linesOf(chunks, LARGE)).toEqual([expected, false]);
      expect(linesOf(chunks, small)).toEqual([expected, false]);
    }),
  );
});

test('law: a line is its first bytes, no more than the longest', () => {
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 6 }), fc.integer({ min: 1, max: 8 }), (chunks, longestLine) => {
      const [lines, isCut] = linesOf(chunks, { ...LARGE, longestLine });
      const [whole] = linesOf(chunks, LARGE);
      const plain = whole.every((line) => !line.includes('\uFFFD'));
      if (plain) expect(lines.every((line, index) => (whole[index] ?? '').startsWith(line.replace(/\uFFFD+$/, '')))).toBe(true);
      expect(lines).toHaveLength(whole.length);
      if (!isCut) expect(lines).toEqual(whole);
    }),
  );
});

test('a line that goes on for many chunks keeps only its beginning', () => {
  const chunk = Buffer.alloc(1_000, 'x');
  const [lines, isCut] = linesOf([...Array<Uint8Array>(500).fill(chunk), Buffer.from('y\nz')], { ...LARGE, longestLine: 1_500 });
  expect([lines, isCut]).toEqual([['x'.repeat(1_500), 'z'], true]);
});

test.each(['', '> ', 'web-1  | '])('a block in the midst of a key with %j before each line comes with all of it', (prefix) => {
  const blocks = new TextBlocks(LARGE);
  const line = `${prefix}${'Ab0+/9aB'.repeat(8)}\n`;
  const starts: string[] = [];
  const note = (block: ReturnType<TextBlocks['last']>) => {
    if (block !== undefined) starts.push(block.bytes.toString('latin1', 0, 6));
  };
  note(blocks.push(Buffer.from(`BEGIN\n${line.repeat(8)}`)));
  for (let count = 0; count < 30; count += 1) note(blocks.push(Buffer.from(line.repeat(8))));
  note(blocks.last());
  expect(starts.length).toBeGreaterThan(5);
  expect(new Set(starts)).toEqual(new Set(['BEGIN\n']));
});
