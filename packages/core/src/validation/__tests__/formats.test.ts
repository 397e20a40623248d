import { describe, expect, it } from '@jest/globals';
import { FORMATS } from '../json-schema/keywords/formats.ts';
import { validateToolInput } from '../schema.ts';

function fits(format: string, value: unknown): boolean {
  return validateToolInput('x', { format }, value).valid;
}

describe('formats', () => {
  it.each<[string, unknown, boolean]>([
    ['date', '2024-02-29', true],
    ['date', '2023-02-29', false],
    ['time', '12:00:00Z', true],
    ['time', '12:00:00', false],
    ['date-time', '2024-01-01T12:00:00Z', true],
    ['date-time', '2024-01-01', false],
    ['duration', 'P1D', true],
    ['duration', 'P', false],
    ['uri', 'https://example.com/a?b#c', true],
    ['uri', '/a', false],
    ['uri-reference', '/a', true],
    ['uri-template', '/a/{b}', true],
    ['uri-template', '/a/{b', false],
    ['email', 'a@example.com', true],
    ['email', 'a', false],
    ['hostname', 'example.com', true],
    ['hostname', '-a', false],
    ['ipv4', '127.0.0.1', true],
    ['ipv4', '127.0.0.256', false],
    ['ipv6', '::1', true],
    ['ipv6', '12345::', false],
    ['uuid', '00000000-0000-4000-8000-000000000000', true],
    ['uuid', 'x', false],
    ['regex', 'a+', true],
    ['regex', '(', false],
    ['json-pointer', '/a/b', true],
    ['json-pointer', 'a', false],
    ['relative-json-pointer', '1/a', true],
    ['relative-json-pointer', '/a', false],
    ['byte', 'YWI=', true],
    ['byte', 'YWJ', false],
    ['byte', '!!!!\nYWI=', false],
    ['byte', 'A'.repeat(100_000), true],
    ['password', 'x'.repeat(100_000), true],
    ['int32', 2_147_483_647, true],
    ['int32', 2_147_483_648, false],
    ['int32', 'x', true],
    ['int64', 1.5, false],
    ['float', 1.5, true],
    ['date', 5, true],
    ['colour', 'anything', true],
    ['constructor', 'anything', true],
    ['devs-path', '../../etc/passwd', true],
  ])('%s of %j: %s', (format, value, expected) => {
    expect(fits(format, value)).toBe(expected);
  });

  it.each([...FORMATS.keys()].filter((name) => !['byte', 'password', 'binary'].includes(name)))('%s looks at no long text', (name) => {
    for (const character of ['a', '1', ':', '/', '.', '{', '\n']) expect(fits(name, character.repeat(4_097))).toBe(false);
  });

  it('are paid for: the one that takes the square of a text is not asked of thousands of them', () => {
    const texts = Array.from({ length: 1_000 }, () => `http://${':'.repeat(4_000)}`);
    const { errors } = validateToolInput('x', { items: { anyOf: [{ format: 'url' }, {}] } }, texts);
    expect(errors).toMatchObject([{ code: 'VALIDATION_TOO_LARGE' }]);
  });
});
