import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_LIMITS, enforceMessageLimit, enforceToolOutputLimit } from '../limits.ts';

const functions = [
  ['enforceMessageLimit', enforceMessageLimit, /\[Truncated: (\d+) characters removed\]/],
  ['enforceToolOutputLimit', enforceToolOutputLimit, /\[\.\.\. (\d+) characters truncated \.\.\.\]/],
] as const;

/** Well-formed text with many pairs in it, long enough that it is cut. */
const unit = fc.constantFrom('a', '\n', 'é', '日', '👍', '\u{10ffff}');
const texts = fc.string({ unit, maxLength: 600, size: 'max' });
const longTexts = fc.string({ unit, minLength: 1_001, maxLength: 2_000, size: 'max' });
const limits = fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 1_300 }));

it('DEFAULT_LIMITS are those of seed 004', () => {
  expect(DEFAULT_LIMITS).toEqual({
    maxUserMessageLength: 100_000,
    maxToolOutputLength: 50_000,
    maxTotalContextTokens: 180_000,
    maxFileReadSize: 10_485_760,
  });
});

describe.each(functions)('%s', (_name, enforce, notice) => {
  it('should not modify messages under limit', () => {
    fc.assert(fc.property(texts, fc.nat(), (text, more) => expect(enforce(text, text.length + more)).toBe(text)));
  });

  it('should truncate with notice, which says how many characters went', () => {
    fc.assert(
      fc.property(longTexts, fc.integer({ min: 100, max: 1_000 }), (text, limit) => {
        const cut = enforce(text, limit);
        const [whole = '', count] = notice.exec(cut) ?? [];
        const kept = cut.length - whole.length - 4;
        expect(kept + Number(count)).toBe(text.length);
        expect(text.startsWith(cut.slice(0, cut.indexOf(`\n\n${whole}`)))).toBe(true);
        expect(text.endsWith(cut.slice(cut.indexOf(whole) + whole.length + 2))).toBe(true);
      }),
    );
  });

  it('is never longer than the limit, never half a character, keeps both ends, and is done after once', () => {
    fc.assert(
      fc.property(texts, limits, (text, limit) => {
        const cut = enforce(text, limit);
        expect(cut.length).toBeLessThanOrEqual(limit);
        expect(cut.isWellFormed()).toBe(true);
        expect(enforce(cut, limit)).toBe(cut);
        if (limit < 7 || text.length <= limit) return;
        expect(cut.startsWith(text.charAt(0))).toBe(true);
        expect(cut.endsWith(text.charAt(text.length - 1))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    [0, ''],
    [1, '…'],
    [2, 'a…'],
    [3, 'a…z'],
  ])('shows that something went even within %i', (limit, expected) => {
    expect(enforce(`a${'b'.repeat(100)}z`, limit)).toBe(expected);
  });

  it.each([Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 60])('does not take %d for a limit', (limit) => {
    expect(() => enforce('text', limit)).toThrow(RangeError);
  });
});

it('a tool output keeps 70 % and 20 % of the limit, as seed 004 has it', () => {
  const cut = enforceToolOutputLimit(`${'h'.repeat(100_000)}${'t'.repeat(100_000)}`, 50_000);
  expect(cut).toBe(`${'h'.repeat(35_000)}\n\n[... 155000 characters truncated ...]\n\n${'t'.repeat(10_000)}`);
});

it('a message is mostly its beginning', () => {
  const cut = enforceMessageLimit(`${'h'.repeat(100_000)}${'t'.repeat(100_000)}`, 100_000);
  expect(cut).toBe(`${'h'.repeat(85_000)}\n\n[Truncated: 105000 characters removed]\n\n${'t'.repeat(10_000)}`);
});
