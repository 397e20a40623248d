import { Buffer } from 'node:buffer';
import { expect, test } from '@jest/globals';
import { STAND_INS, withLetters } from '../surgical-edit/stand-ins.ts';

const letters = STAND_INS.map((text) => text.repeat(64).slice(0, 64));
const countOf = (units: Iterable<string>) => new Set(units).size;

test.each<[string, (text: string) => boolean]>([
  ['only digits', (text) => /^\d+$/.test(text)],
  ['both of hexadecimal digits', (text) => /^[0-9a-f]+$/.test(text) && /^[a-f]\d|^\d[a-f]/.test(text)],
  ['no small letters', (text) => /^[A-Z0-9]+$/.test(text) && /[A-Z]/.test(text)],
  ['three kinds in turn, none twice', (text) => !/[a-z]{2}|[A-Z]{2}|\d{2}/.test(text.slice(0, 30)) && countOf(text.slice(0, 30)) === 30 && /\d/.test(text.slice(0, 3))],
])('what a rule may ask of the letters of a secret, one has: %s', (_, has) => {
  expect(letters.some(has)).toBe(true);
});

test.each([0, 1, 2, 3])('behind %d letters of base64 one gives a colon at once', (count) => {
  const holdsColon = (text: string) => /^[\x20-\x39\x3b-\x7e]{0,3}:[\x20-\x7e]/.test(Buffer.from('YWFh'.slice(0, count) + text.slice(0, 8), 'base64').toString('latin1'));
  expect(letters.some(holdsColon)).toBe(true);
});

test('whatever few letters stand beside a secret, one begins with another', () => {
  expect(countOf(letters.map((text) => text.slice(0, 1)))).toBeGreaterThanOrEqual(12);
});

test('only letters and digits are others, and only in the ranges', () => {
  const bytes = Buffer.from('key=ab-\n+Z9é; ab');
  const changed = withLetters(bytes, [{ start: 4, end: 13 }, { start: 100, end: 101 }], '01');
  expect(Buffer.from(changed).toString()).toBe('key=01-\n+01é; ab');
  expect(bytes.toString()).toBe('key=ab-\n+Z9é; ab');
});
