import { expect, test } from '@jest/globals';
import { growMargin } from '../long-run.ts';

const LINE = `${'Ab0+/9_-'.repeat(8)}\n`;
const KEY = LINE.repeat(200);

test.each<[string, string, number]>([
  ['the body of a key', KEY, 4],
  ['with line ends of Windows', KEY.replaceAll('\n', '\r\n'), 4],
  ['indented', KEY.replaceAll('\n', '\n    '), 4],
  ['with blanks at the ends of its lines', KEY.replaceAll('\n', ' \t\n'), 4],
  ['written as one text with escapes', KEY.replaceAll('\n', '\\n').replaceAll('9', '\\r\\n'), 4],
  ['in UTF-16', Buffer.from(KEY, 'utf16le').toString('latin1'), 4],
  ['one word, as a token', KEY.replaceAll('\n', '.'), 4],
  ['with lines of words right at its beginning alone', `Version: a b c\n${KEY}`, 4],
  ['prose', 'some words, and more of them\n'.repeat(400), 1],
  ['two words in the midst of it', `${KEY}two words\n${KEY}`, 1],
  ['two words in UTF-16', Buffer.from(`${KEY}two words\n${KEY}`, 'utf16le').toString('latin1'), 1],
  ['a quote in the midst of it', `${KEY}"${KEY}`, 1],
  ['a backslash before another letter', `${KEY}\\t${KEY}`, 1],
  ['nothing', '', 1],
])('a margin that is %s', (_, margin, growth) => {
  const bytes = Buffer.from(margin, 'latin1');
  expect(growMargin(bytes, 10_000_000)).toBe(growth * bytes.length);
});

test('grows to where the file begins, and to a bound', () => {
  const bytes = Buffer.from(KEY);
  expect(growMargin(bytes, bytes.length + 5)).toBe(bytes.length + 5);
  expect(growMargin(bytes, bytes.length)).toBe(bytes.length);
  const long = Buffer.alloc(1_000_000, 'A');
  expect(growMargin(long, 10_000_000)).toBe(1_048_576);
  expect(growMargin(Buffer.alloc(1_048_576, 'A'), 10_000_000)).toBe(1_048_576);
});
