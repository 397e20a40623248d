import { describe, expect, it } from '@jest/globals';
import { Alphabet } from '../alphabet.ts';

const FIRST_HAN = 0x4e00;

/** An alphabet of one set for each of the first Han characters, and what it has spent. */
function ofHan(count: number): { readonly alphabet: Alphabet; readonly spent: () => number } {
  let steps = 0;
  const alphabet = new Alphabet({ ignoreCase: false, spend: (spent) => (steps += spent) });
  for (let index = 0; index < count; index += 1) alphabet.addCharacter(FIRST_HAN + index);
  return { alphabet, spent: () => steps };
}

describe('an alphabet', () => {
  it('asks each of its sets for a character, once, and says so', () => {
    const { alphabet, spent } = ofHan(40);
    alphabet.kindOf(FIRST_HAN);
    expect(spent()).toBe(40);
    alphabet.kindOf(FIRST_HAN);
    expect(spent()).toBe(40);
  });

  it('forgets characters when they are many', () => {
    const { alphabet, spent } = ofHan(1);
    for (let index = 0; index < 10_000; index += 1) alphabet.kindOf(FIRST_HAN + index);
    alphabet.kindOf(FIRST_HAN);
    expect(spent()).toBe(10_001);
  });

  it('remembers a bounded number of kinds, and tells the others all the same', () => {
    const { alphabet } = ofHan(1_000);
    const kinds = Array.from({ length: 1_000 }, (_, index) => alphabet.kindOf(FIRST_HAN + index));
    expect(kinds.map(({ id }) => id)).toEqual(kinds.map((_, index) => (index < 256 ? index : -1)));
    expect(kinds.every((kind, index) => kind.isIn(index) && !kind.isIn((index + 1) % 1_000))).toBe(true);
  });

  it('can forget all of it', () => {
    const { alphabet, spent } = ofHan(10);
    for (let index = 0; index < 1_000; index += 1) alphabet.kindOf(index);
    expect(alphabet.bytes).toBeGreaterThan(800 * 40);
    alphabet.forget();
    expect(alphabet.bytes).toBe(0);
    const before = spent();
    expect([alphabet.kindOf(0x61).id, alphabet.kindOf(FIRST_HAN).id]).toEqual([0, 1]);
    expect(spent() - before).toBe(20);
  });

  it('has each set once', () => {
    const alphabet = new Alphabet({ ignoreCase: true, spend: () => undefined });
    expect([alphabet.addCharacter(0x61), alphabet.addSet('[a]'), alphabet.addCharacter(0x61), alphabet.addSet('[a]')]).toEqual([0, 1, 0, 1]);
    expect([alphabet.has('[a]'), alphabet.has('[b]')]).toEqual([true, false]);
  });
});
