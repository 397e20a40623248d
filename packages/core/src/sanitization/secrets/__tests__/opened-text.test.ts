import { describe, expect, it } from '@jest/globals';
import { Seams } from '../../pipeline/seams.ts';
import { OpenedText } from '../opened-text.ts';

function open(source: string, ...places: readonly number[]): OpenedText {
  const seams = new Seams();
  for (const place of places) seams.add(place);
  return new OpenedText(source, seams);
}

describe('a text that is opened at its seams', () => {
  it.each<[string, string, readonly number[], string]>([
    ['between two words', 'abcd', [2], 'ab cd'],
    ['at each place', 'abcd', [1, 2, 3], 'a b c d'],
    ['not at its ends', 'abcd', [0, 4], 'abcd'],
    ['not beside a space', 'ab cd', [2, 3], 'ab cd'],
    ['nowhere', 'abcd', [], 'abcd'],
  ])('%s', (_name, source, places, expected) => {
    const opened = open(source, ...places);
    expect([opened.text, opened.isOpened]).toEqual([expected, expected !== source]);
  });

  it('knows of each of its units where it stood', () => {
    const opened = open('abcd', 1, 3);
    expect(opened.text).toBe('a bc d');
    expect([0, 1, 2, 3, 4, 5, 6].map((place) => opened.sourceOf(place))).toEqual([0, 1, 1, 2, 3, 3, 4]);
  });

  it('is put together in the same way where its seams are many', () => {
    const source = 'x'.repeat(20_000);
    const opened = open(source, ...Array.from({ length: 19_999 }, (_, index) => index + 1));
    expect(opened.text).toBe('x '.repeat(20_000).trimEnd());
    expect([opened.sourceOf(0), opened.sourceOf(20_000), opened.sourceOf(39_998)]).toEqual([0, 10_000, 19_999]);
  });
});
