import { describe, expect, it } from '@jest/globals';
import { redactText } from '../../json/redact-secrets.ts';
import { endOfJsonWebToken } from '../json-web-token.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { base64Url, jsonWebToken, random } from './samples.ts';

const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
const redact = (text: string) => redactText(text, { detector, toolName: 't' });

describe('marks of devs', () => {
  it.each([
    `[REDACTED:secret:authorization], Bearer ${random(30)}`,
    `[REDACTED:secret:authorization]: Bearer ${random(30)}`,
    'redis://user:[REDACTED:secret:github-token]@example.com',
    'redis://user:abc[REDACTED:secret:injected]@example.com',
    'machine a.example login me password [REDACTED:secret:github-token]\n',
    'machine a.example login me password [REDACTED:secret:netrc-password]abc\n',
    'Authorization: Bearer [REDACTED:secret:json-web-token]',
  ])('are no secrets and name none: %s', (text) => {
    expect(redact(text)).toBe(text);
  });
});

it('a secret in the name of a member is none of its value', () => {
  expect(detector.find('x', { toolName: 't', memberName: `ghp_${random(36)}-key` })).toEqual([]);
});

it('a header of a JSON Web Token that is longer than any is not decoded: it would be from each of its units', () => {
  const make = (length: number) => jsonWebToken(JSON.stringify({ alg: 'HS256', x: 'y'.repeat(length) }));
  const endOf = (text: string) => endOfJsonWebToken(text, { start: 0, wordEnd: text.indexOf('.') });
  expect(endOf(make(500))).toBe(make(500).length);
  expect(endOf(make(2_000))).toBeUndefined();
  const alone = base64Url('{"alg":"HS256"}');
  expect(endOfJsonWebToken(`${alone} .abc`, { start: 0, wordEnd: alone.length })).toBeUndefined();
});
