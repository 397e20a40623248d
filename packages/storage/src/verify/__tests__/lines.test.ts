import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { splitLines } from '../export-source.ts';

describe('lines', () => {
  async function* chunks(text: string, size: number): AsyncIterable<Buffer> {
    const bytes = Buffer.from(text);
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
  }

  it('are the same however the bytes come', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary' }).map((line) => line.toWellFormed().replaceAll('\n', ''))), fc.integer({ min: 1, max: 9 }), async (lines, size) => {
        const read: string[] = [];
        for await (const some of splitLines(chunks(lines.map((line) => `${line}\n`).join(''), size))) read.push(...some);
        expect(read).toEqual(lines);
      }),
    );
  });
});
