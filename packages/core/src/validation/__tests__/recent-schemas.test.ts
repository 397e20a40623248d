import { expect, it } from '@jest/globals';
import { RecentSchemas } from '../schema.ts';

function counting(cache: RecentSchemas<string>) {
  const made: string[] = [];
  const get = (key: string) =>
    cache.getOrMake(key, () => {
      made.push(key);
      return key.toUpperCase();
    });
  return { made, get };
}

it('makes each once, as long as there is room', () => {
  const { made, get } = counting(new RecentSchemas(2));
  expect(['a', 'b', 'a', 'b'].map(get)).toEqual(['A', 'B', 'A', 'B']);
  expect(made).toEqual(['a', 'b']);
});

it('lets the one go that was not asked for the longest', () => {
  const { made, get } = counting(new RecentSchemas(2));
  ['a', 'b', 'a', 'c', 'a', 'b'].map(get);
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});

it('is bounded by the characters of its keys', () => {
  const cache = new RecentSchemas<string>(100, 10);
  const { made, get } = counting(cache);
  ['aaaa', 'bbbb', 'cccc', 'bbbb', 'aaaa'].map(get);
  expect(made).toEqual(['aaaa', 'bbbb', 'cccc', 'aaaa']);
  get('x'.repeat(11));
  expect(cache.size).toBe(0);
});

it('keeps nothing of what could not be made', () => {
  const cache = new RecentSchemas<string>();
  const fail = () => {
    throw new Error('no');
  };
  expect(() => cache.getOrMake('a', fail)).toThrow('no');
  expect(cache.size).toBe(0);
  expect(cache.getOrMake('a', () => 'A')).toBe('A');
});
