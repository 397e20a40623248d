import { describe, expect, it } from '@jest/globals';
import { compilePattern, type PatternOptions } from '../compile-pattern.ts';
import { PatternRefused } from '../pattern-refused.ts';

const EMAIL = "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$";

function reasonOf(source: string, options: PatternOptions = {}): string {
  try {
    compilePattern(source, options);
  } catch (cause) {
    if (cause instanceof PatternRefused) return cause.reason;
    throw cause;
  }
  return 'not refused';
}

describe('a linear pattern', () => {
  it.each<[string, string, boolean]>([
    ['a', 'xay', true],
    ['^a$', 'a\n', false],
    ['^a|b$', 'xb', true],
    ['^a|^b', 'xb', false],
    ['', '', true],
    ['[]', 'a', false],
    ['[^]', '\n', true],
    ['.', '\u2028', false],
    ['\\s', '\ufeff', true],
    ['^.$', '\u{1f600}', true],
    // Read without `u`, where it has two characters.
    ['^\\-?.\\@?$', '\u{1f600}', false],
    ['^\\-?..\\@?$', '\u{1f600}', true],
    ['^[\ud83d][\ude00]$', '\u{1f600}', false],
    ['\ud83d', '\u{1f600}', false],
    ['\ud83d', '\ud83d', true],
    ['^(?<name>a)(?:b)$', 'ab', true],
    ['^a{2,3}$', 'aaaa', false],
    ['^a{0}$', '', true],
    ['^(?:(?:a*)*)*$', 'aaab', false],
    ['\\bclass\\b', 'a class.', true],
    ['\\bclass\\b', 'subclass', false],
    ['^\\p{Script=Greek}+$', 'αβγ', true],
    ['^[\\p{L}\\-]+$', 'a-', true],
    ['^(?=.*[A-Z])(?=.*\\d).{8,}$', 'Passw0rd', true],
    ['^(?=.*[A-Z])(?=.*\\d).{8,}$', 'Password', false],
    ['^(?=.*[A-Z])(?=.*\\d).{8,}$', 'Passw0r', false],
    ['^(?!foo$)', 'foo', false],
    ['^(?!foo$)', 'food', true],
    ['^(?=a|b)', 'b', true],
    ['^(?!.*\\n)', 'a\nb', false],
    [EMAIL, 'a.b@example.org', true],
    [EMAIL, 'a..b@example.org', false],
    [EMAIL, '.a@example.org', false],
    [EMAIL, 'a@example', false],
    // As ECMAScript says, where V8 says otherwise.
    ['\\B', 'a\u{1f600}a', false],
    ['[^]*?a^|', '', true],
  ])('/%s/ on %j: %s', (source, text, expected) => {
    expect(compilePattern(source).test(text)).toBe(expected);
  });

  it.each<[string, string, boolean]>([
    ['straße', 'STRASSE', false],
    ['k', '\u212a', true],
    ['[a-z]', '\u017f', true],
    ['\\w', '\u017f', true],
    ['^é$', 'É', true],
    ['^\\-?k\\@?$', '\u212a', false],
  ])('/%s/ on %j, case ignored: %s', (source, text, expected) => {
    expect(compilePattern(source, { ignoreCase: true }).test(text)).toBe(expected);
  });

  it('weighs a property once, however often it is repeated', () => {
    expect(compilePattern('^\\p{L}{1000}[\\p{L}_]*$').test('é'.repeat(1_000))).toBe(true);
  });

  it('says what it was made of', () => {
    expect(compilePattern('a{3}')).toMatchObject({ source: 'a{3}', size: expect.any(Number) });
  });

  it.each([
    ['(', 'it is no regular expression'],
    ['a**', 'it is no regular expression'],
    ['[b-a]', 'it is no regular expression'],
    ['(?<a>x)(?<a>y)', 'it is no regular expression'],
    ['(a)\\1', 'it refers back to a group, which takes exponential time'],
    ['(?<a>x)\\k<a>', 'it refers back to a group, which takes exponential time'],
    ['(?<=a)b', 'it looks behind'],
    ['^(?<!a)b', 'it looks behind'],
    ['a(?=b)', 'it looks ahead elsewhere than right after the ^ that it begins with'],
    ['(?=a)b', 'it looks ahead elsewhere than right after the ^ that it begins with'],
    ['^a(?!b)', 'it looks ahead elsewhere than right after the ^ that it begins with'],
    ['^(?:(?=a)b)', 'it looks ahead elsewhere than right after the ^ that it begins with'],
    ['^(?=a)b|c', 'it looks ahead elsewhere than right after the ^ that it begins with'],
    ['^(?=(?!a)b)', 'it looks ahead elsewhere than right after the ^ that it begins with'],
    ['^(?=a)*\\-b', 'it looks ahead elsewhere than right after the ^ that it begins with'],
    ['(?i:a)', 'it changes its flags on the way'],
    ['a'.repeat(2_001), 'it is longer than 2000 characters'],
    [`${'('.repeat(201)}${')'.repeat(201)}`, 'it has more than 200 groups'],
    ['a{10001}', 'it is too large with its repetitions written out'],
    ['((a{1,100}){1,100})', 'it is too large with its repetitions written out'],
    ['(?:(?:){100000}){100000}', 'it is too large with its repetitions written out'],
    [Array.from({ length: 120 }, (_, index) => `[\\p{L}${index}]`).join(''), 'it is too large with its repetitions written out'],
    ['(?:){1000000000000000000000}', 'it is too large with its repetitions written out'],
    [`${'(?:'.repeat(150)}a${'{2})'.repeat(150)}`, 'it is too large with its repetitions written out'],
    [`^${'(?=a{4000})'.repeat(3)}`, 'it is too large with its repetitions written out'],
  ])('is not made of /%.40s/: %s', (source, reason) => {
    expect(reasonOf(source)).toBe(reason);
  });

  it('runs groups as deep as it takes', () => {
    expect(compilePattern(`${'('.repeat(200)}a*${')*'.repeat(200)}b`).test(`${'a'.repeat(1_000)}b`)).toBe(true);
  });
});
