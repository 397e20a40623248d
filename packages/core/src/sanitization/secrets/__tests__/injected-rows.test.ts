import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countWork } from '../../__tests__/counted-work.ts';
import { findInjected } from '../injected-values.ts';
import { SecretSpans } from '../secret-spans.ts';

function unitsFound(text: string, value: string): ReadonlySet<number> {
  const spans = new SecretSpans();
  findInjected(text, [value], spans);
  return unitsOf([...spans].map(({ start, end }) => [start, end] as const));
}

function unitsOf(parts: readonly (readonly [start: number, end: number])[]): ReadonlySet<number> {
  return new Set(parts.flatMap(([start, end]) => Array.from({ length: end - start }, (_, at) => start + at)));
}

/** One after another, each unit asked. */
function placesOf(text: string, value: string): readonly (readonly [start: number, end: number])[] {
  return Array.from(text, (_, at) => [at, at + value.length] as const).filter(([at]) => text.startsWith(value, at));
}

describe('places of a value, over one another', () => {
  it('are all found', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 8 });
    const text = fc.array(letters, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, letters, (whole, value) => {
        expect(unitsFound(whole, value)).toEqual(unitsOf(placesOf(whole, value)));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['a', 'ab', 'abc'])('in rows of %j are one, at no more cost than the text', (piece) => {
    const value = piece.repeat(1_000);
    const spans = new SecretSpans();
    findInjected(piece.repeat(100_000), [value], spans);
    expect(spans.count).toBe(1);
    expect(countWork(() => findInjected(piece.repeat(100_000), [value], new SecretSpans()))).toBeLessThan(2 * piece.length * 100_000);
  });

  it('side by side are two', () => {
    const spans = new SecretSpans();
    findInjected('a secret for youa secret for you', ['a secret for you'], spans);
    expect([...spans]).toEqual([
      { start: 0, end: 16, rule: 'injected' },
      { start: 16, end: 32, rule: 'injected' },
    ]);
  });
});
