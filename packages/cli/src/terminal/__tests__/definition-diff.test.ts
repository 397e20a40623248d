import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeDefinition, diffLines } from '../definition-diff.ts';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });

describe('the difference of two texts', () => {
  it('holds all that is only in one of them, in order, and nothing else with a sign', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const shown = diffLines(before, after);
        const kept = shown.filter((line) => line.startsWith(' ') && line !== ' …').length;
        const [gone, come] = ['-', '+'].map((sign) => shown.filter((line) => line.startsWith(sign)).length);
        const hidden = before.length - (gone ?? 0) - kept;
        expect(hidden).toBeGreaterThanOrEqual(0);
        expect(after.length - (come ?? 0) - kept).toBe(hidden);
        if (before.join() === after.join()) expect(gone).toBe(0);
        else expect((gone ?? 0) + (come ?? 0)).toBeGreaterThan(0);
      }),
    );
  });

  it('is shown whole where comparing would cost too much', () => {
    const many = (word: string) => Array.from({ length: 3_000 }, (_, index) => `${word}${String(index)}`);
    expect(diffLines(many('a'), many('b'))).toHaveLength(6_000);
  });
});

describe('a definition for a person', () => {
  it('is the same whatever the order of its members, and no text in it passes for a member', () => {
    const one = { name: 'a', description: 'x\ninputSchema:\n\u202egnp', inputSchema: { type: 'object', a: [1, { c: 1, b: '\u2028' }] } };
    const other = { inputSchema: { a: [1, { b: '\u2028', c: 1 }], type: 'object' }, description: one.description, name: 'a' };
    expect(describeDefinition(one)).toEqual(describeDefinition(other));
    const shown = describeDefinition(one);
    expect(shown.filter((line) => line === 'inputSchema:')).toHaveLength(1);
    expect(shown).toEqual(expect.arrayContaining(['  | inputSchema:', '  | \\u{202e}gnp']));
    expect(shown.join('')).not.toMatch(/[\u2028\u202e]/);
  });
});
