import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sayTheSame } from '../decimal.ts';

describe('sayTheSame', () => {
  it.each([
    ['1', '1.0', true],
    ['100', '1e2', true],
    ['100', '1E+2', true],
    ['0.00120', '1.2e-3', true],
    ['0', '-0.000e5', true],
    ['1200e-2', '12', true],
    ['1', '-1', false],
    ['1', '10', false],
    ['1e-400', '0', false],
    ['0.1', '0.10000000000000001', false],
    ['9007199254740993', '9007199254740992', false],
  ])('%s and %s: %p', (one, other, expected) => {
    expect(sayTheSame(one, other)).toBe(expected);
    expect(sayTheSame(other, one)).toBe(expected);
  });

  it('takes its time once for each digit', () => {
    // Quadratic, this would take longer than any test may.
    expect(sayTheSame(`1.${'0'.repeat(4_000_000)}1`, '1')).toBe(false);
  });

  it('any number is what it is written as, in both ways of writing it', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(sayTheSame(String(number), number.toExponential())).toBe(true);
      }),
    );
  });
});
