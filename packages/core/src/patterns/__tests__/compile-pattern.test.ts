import { describe, expect, it } from '@jest/globals';
import { compilePattern, measurePattern, type PatternOptions } from '../compile-pattern.ts';
import { PatternRefused } from '../pattern-refused.ts';

const EMAIL = "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$";

const NO_PATTERN = 'it is no regular expression of ECMAScript with the u flag';

function reasonOf(source: string, options: PatternOptions = {}): string {
  const reason = refusalOf(() => compilePattern(source, options));
  // Who only asks for the size is told the same.
  expect(refusalOf(() => measurePattern(source))).toBe(reason);
  return reason;
}

function refusalOf(read: () => unknown): string {
  try {
    read();
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
    // None with `u` as they are written.
    ['^.\\-?\\@?$', '\u{1f600}', true],
    ['^[^\\p{Cc}\\_]*$', '\u0007', false],
    ['^\\p{L}\\_$', 'a_', true],
    ['^[^\\u{1F600}\\_]*$', '\u{1f600}', false],
    ['^[\\w-.]+$', 'a-.', true],
    ['^[\\d--a]$', '5', true],
    ['^[\\d--a]$', 'A', false],
    ['^[\\d-x-z]$', 'y', false],
    ['^[^--a\\_]$', '5', false],
    ['^[\\d-\\u0061-z]$', 'm', false],
    ['^[\\d-\\x61-z]$', 'm', false],
    ['^\\[[a-z]+]$', '[ab]', true],
    ['^{[a-z]+}$', '{ab}', true],
    ['^a{1,2}}$', 'aa}', true],
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
    ['[\\s\\S]$', '\u{1f600}', true],
  ])('/%s/ on %j: %s', (source, text, expected) => {
    expect(compilePattern(source).test(text)).toBe(expected);
  });

  it.each<[string, string, boolean]>([
    ['straße', 'STRASSE', false],
    ['k', '\u212a', true],
    ['[a-z]', '\u017f', true],
    ['\\w', '\u017f', true],
    ['^é$', 'É', true],
    ['^\\-?k\\@?$', '\u212a', true],
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
    ['(', NO_PATTERN],
    ['a**', NO_PATTERN],
    ['[b-a]', NO_PATTERN],
    ['(?<a>x)(?<a>y)', NO_PATTERN],
    ['\\Aa\\z', NO_PATTERN],
    ['\\pL', NO_PATTERN],
    ['\\h+', NO_PATTERN],
    ['\\1', NO_PATTERN],
    ['a\\u00', NO_PATTERN],
    ['a{,5}', NO_PATTERN],
    ['[^]]', NO_PATTERN],
    ['[]a]', NO_PATTERN],
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
    ['^(?=a)*\\-b', NO_PATTERN],
    ['(?i:a)', 'it changes its flags on the way'],
    ['a'.repeat(2_001), 'it is longer than 2000 characters'],
    [`${'('.repeat(201)}${')'.repeat(201)}`, 'it has more than 200 groups'],
    ['a{10001}', 'it is too large with its repetitions written out'],
    ['((a{1,100}){1,100})', 'it is too large with its repetitions written out'],
    ['(?:(?:){100000}){100000}', 'it is too large with its repetitions written out'],
    [`[${'\\p{L}'.repeat(41)}]`, 'it is too large with its repetitions written out'],
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
