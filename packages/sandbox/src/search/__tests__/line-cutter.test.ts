import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LineCutter } from '../line-cutter.ts';

/** Each chunk is overwritten once the next one is asked for, as a reader's buffer is. */
function linesOf(chunks: readonly Uint8Array[], longest: number): [lines: string[], isCut: boolean] {
  const cutter = new LineCutter(longest);
  const lines = chunks.flatMap((chunk) => {
    const buffer = Buffer.from(chunk);
    const ended = [...cutter.push(buffer)];
    buffer.fill(0x21);
    return ended;
  });
  const last = cutter.last();
  return [last === undefined ? lines : [...lines, last], cutter.isCut];
}

const bytes = fc.uint8Array({ maxLength: 20 }).map((raw) => raw.map((byte) => (byte % 3 === 0 ? 0x0a : byte)));

test('law: however a file is cut into chunks, its lines are the same', () => {
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 6 }), (chunks) => {
      const whole = Buffer.concat(chunks);
      const split = whole.toString('utf8').split('\n');
      if (split.at(-1) === '') split.pop();
      const expected = split.map((line) => line.replace(/\r$/, ''));
      expect(linesOf(chunks, 1_000)).toEqual([expected, false]);
    }),
  );
});

test('law: a line is its first bytes, no more than the longest', () => {
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 6 }), fc.integer({ min: 1, max: 8 }), (chunks, longest) => {
      const [lines, isCut] = linesOf(chunks, longest);
      const [whole] = linesOf(chunks, 1_000);
      const plain = whole.every((line) => !line.includes('\uFFFD'));
      if (plain) expect(lines.every((line, index) => (whole[index] ?? '').startsWith(line.replace(/\uFFFD+$/, '')))).toBe(true);
      expect(lines).toHaveLength(whole.length);
      if (!isCut) expect(lines).toEqual(whole);
    }),
  );
});

test('a line that goes on for many chunks keeps only its beginning', () => {
  const chunk = Buffer.alloc(1_000, 'x');
  const [lines, isCut] = linesOf([...Array<Uint8Array>(500).fill(chunk), Buffer.from('y\nz')], 1_500);
  expect([lines, isCut]).toEqual([['x'.repeat(1_500), 'z'], true]);
});
