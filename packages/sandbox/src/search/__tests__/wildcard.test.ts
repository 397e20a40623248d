import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Effort, takesAll, type Piece } from '../wildcard.ts';

const STEPS = 100_000;

/** `*` is a run, `?` any character, every other character itself. */
function piecesOf(pattern: string): Piece<string>[] {
  return Array.from(pattern).map((character) => {
    if (character === '*') return 'run';
    return character === '?' ? () => true : (item) => item === character;
  });
}

function fits(pattern: string, text: string, effort = new Effort(STEPS)): boolean {
  return takesAll(piecesOf(pattern), Array.from(text), effort);
}

describe('takesAll', () => {
  test.each([
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['***', 'abc', true],
    ['a*', 'a', true],
    ['*a', 'ba', true],
    ['a*b*c', 'aXbXbXc', true],
    ['a*b*c', 'aXbXbX', false],
    ['?', '', false],
    ['a', 'ab', false],
    ['ab', 'a', false],
  ])('%s takes %j: %s', (pattern, text, expected) => {
    expect(fits(pattern, text)).toBe(expected);
  });

  test('law: it answers as the regular expression does', () => {
    const characters = { unit: fc.constantFrom('a', 'b', '*', '?') };
    fc.assert(
      fc.property(fc.string({ ...characters, maxLength: 8 }), fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 }), (pattern, text) => {
        const source = pattern.replaceAll('*', '.*').replaceAll('?', '.');
        expect(fits(pattern, text)).toBe(new RegExp(`^${source}$`).test(text));
      }),
    );
  });

  test('law: no pattern takes more steps than its length times that of the text', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 200 }), (stars, length) => {
        const pattern = `${'*a'.repeat(stars)}b`;
        const effort = new Effort((pattern.length + 1) * length);
        expect(fits(pattern, 'a'.repeat(length), effort)).toBe(false);
        expect(effort.isSpent).toBe(false);
      }),
    );
  });

  test('once the effort is spent, nothing fits', () => {
    const effort = new Effort(3);
    expect(fits('aaaa', 'aaaa', effort)).toBe(false);
    expect(effort.isSpent).toBe(true);
    expect(fits('a', 'a', effort)).toBe(false);
  });

  test('says now and then that other calls should have their turn', () => {
    const effort = new Effort(10_000_000);
    const turns = Array.from({ length: 3_000 }, () => {
      fits('a'.repeat(1_000), 'a'.repeat(1_000), effort);
      return effort.isDue();
    });
    expect(turns.filter((due) => due)).toHaveLength(3);
  });
});
