import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lawRuns } from '../../../__tests__/law-runs.ts';
import { UnitWriter } from '../unit-writer.ts';

const source = (unit: string, length: number) => Array.from({ length }, (_, at) => `${unit}${String(at % 97)}`).join('').slice(0, length);

/** Of each length at which the writer goes another way: short texts, whole chunks, pieces that are kept as they are. */
const anySource = fc.record({ unit: fc.constantFrom('a', 'é', '日', '😀'), length: fc.constantFrom(1, 90, 1_000, 1_024, 4_096, 4_097, 9_000) });
const anyStep = fc.record({ skip: fc.constantFrom(0, 1, 3, 400), keep: fc.constantFrom(0, 1, 2, 17, 256, 257, 5_000), by: fc.constantFrom('', ' ', '[REDACTED:tag]', '日', 'ı', 'y'.repeat(250), 'x'.repeat(300)) });

describe('a text that is put together', () => {
  it('is the same as one of slices', () => {
    fc.assert(
      fc.property(anySource, fc.array(anyStep, { minLength: 70, maxLength: 150, size: 'max' }), ({ unit, length }, steps) => {
        const text = source(unit, length);
        const writer = new UnitWriter(text);
        let expected = '';
        let at = 0;
        for (const { skip, keep, by } of steps) {
          const start = Math.min(text.length, at + skip);
          at = Math.min(text.length, start + keep);
          writer.copy(start, at);
          writer.write(by);
          expected += text.slice(start, at) + by;
          expect(writer.length).toBe(expected.length);
        }
        expect(writer.finish()).toBe(expected);
      }),
      lawRuns(300),
    );
  });

  it('of a thousand thousand pieces is in their order', () => {
    const text = 'ab'.repeat(1_000_000);
    const writer = new UnitWriter(text);
    for (let at = 0; at < text.length; at += 2) {
      writer.copy(at, at + 1);
      writer.write(at === 1_000_000 ? '日' : 'c');
    }
    expect(writer.finish()).toBe(`${'ac'.repeat(500_000)}a日${'ac'.repeat(499_999)}`);
  });
});
