import { expect, test } from '@jest/globals';
import { growMargin } from '../long-run.ts';

const LINE = `${'Ab0+/9aB'.repeat(8)}\n`;
const KEY = LINE.repeat(200);

test.each<[string, string, number]>([
  ['the body of a key', KEY, 4],
  ['with something before each line', `web-1  | ${KEY.replaceAll('\n', '\nweb-1  | ')}`, 4],
  ['one word, as a token', KEY.replaceAll('\n', '.'), 4],
  ['prose', 'some words, and more of them\n'.repeat(400), 1],
  ['a key that has ended', `${KEY}${'some words, and more of them\n'.repeat(40)}`, 1],
])('a margin that is %s', (_, margin, growth) => {
  const bytes = Buffer.from(margin);
  expect(growMargin(bytes, 10_000_000)).toBe(growth * bytes.length);
});

test('a margin is read as its file is', () => {
  const bytes = Buffer.from(KEY, 'utf16le');
  expect(growMargin(bytes, 10_000_000, 'utf-16le')).toBe(4 * bytes.length);
  expect(growMargin(bytes.swap16(), 10_000_000, 'utf-16be')).toBe(4 * bytes.length);
});

test('grows to where the file begins, and to a bound', () => {
  const bytes = Buffer.from(KEY);
  expect(growMargin(bytes, bytes.length + 5)).toBe(bytes.length + 5);
  expect(growMargin(bytes, bytes.length)).toBe(bytes.length);
  const long = Buffer.alloc(1_000_000, 'A');
  expect(growMargin(long, 10_000_000)).toBe(1_048_576);
  expect(growMargin(Buffer.alloc(1_048_576, 'A'), 10_000_000)).toBe(1_048_576);
});
