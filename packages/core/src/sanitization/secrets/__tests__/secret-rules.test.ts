import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { redactText } from '../../json/redact-secrets.ts';
import { Tally } from '../../pipeline/tally.ts';
import { cleanText } from '../../pipeline/text-pipeline.ts';
import { invisibles } from '../../terminal/invisibles.ts';
import { terminalControls } from '../../terminal/terminal-controls.ts';
import { SECRET_RULES } from '../rules.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { secretMark, secrets } from '../secrets-step.ts';
import { behind, HEX, jsonWebToken, random, SAMPLES } from './samples.ts';

const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
const redact = (text: string) => redactText(text, { detector, toolName: 'read_file' });
const rows = SAMPLES.map((sample, index) => ({ ...sample, name: `${sample.rule} ${String(index)}`, end: behind(sample.rule) }));

describe('each rule', () => {
  it('has a sample, a title and an id that can stand in a mark', () => {
    const sampled = new Set(SAMPLES.map(({ rule }) => rule));
    const elsewhere = ['injected', 'netrc-password', 'kubernetes-secret', 'command-password'];
    expect(SECRET_RULES.map(({ id }) => id).filter((id) => !sampled.has(id) && !elsewhere.includes(id))).toEqual([]);
    for (const { id, title } of SECRET_RULES) {
      expect(id).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
      expect(title).toMatch(/^[A-Za-z0-9].{3,60}$/);
    }
    expect(new Set(SECRET_RULES.map(({ id }) => id)).size).toBe(SECRET_RULES.length);
  });

  it.each(rows)('$name: alone, in a line, in quotes, at the end', ({ rule, before, secret, end }) => {
    const whole = before + secret + end;
    const mark = before + secretMark(rule) + end;
    expect(redact(whole)).toBe(mark);
    expect(redact(`see ${whole} there`)).toBe(`see ${mark} there`);
    expect(redact(`see ${whole}\n`)).toBe(`see ${mark}\n`);
    expect(redact(`x("${whole}");`)).toBe(`x("${mark}");`);
    expect(redact(`<b>${whole}</b>`)).toBe(`<b>${mark}</b>`);
    expect(redact(`密钥${whole}。`)).toBe(`密钥${mark}。`);
    expect(redact(redact(whole))).toBe(redact(whole));
  });

  it.each(rows)('$name: behind `_`, `-`, an escape, in a URL', ({ rule, before, secret, end }) => {
    const whole = before + secret + end;
    const mark = before + secretMark(rule) + end;
    for (const left of ['x_', 'x-', '\\n', '\\t', '\\u001b', '%3D', '%20', 'KEY=', 'https://example.com/?token=']) {
      expect(redact(left + whole)).toBe(left + mark);
    }
  });

  it.each(rows)('$name: taken apart by what is deleted', ({ rule, before, secret, end }) => {
    const middle = before.length + Math.floor(secret.length / 2);
    const whole = before + secret + end;
    const steps = [terminalControls({ stripControlChars: true, stripNullBytes: true }), invisibles, secrets(detector, 'read_file')];
    for (const piece of ['\u200b', '\u001b[31m', '\u0000', '\u00ad', '\u2066', '\u0008']) {
      const split = whole.slice(0, middle) + piece + whole.slice(middle);
      expect(cleanText(split, steps, new Tally())).toBe(before + secretMark(rule) + end);
    }
  });

  it.each(rows)('$name: in a string of JSON that is text', ({ rule, before, secret, end }) => {
    const inJson = (text: string) => JSON.stringify({ a: `x\n${text}\n` });
    expect(redact(inJson(before + secret + end))).toBe(inJson(before + secretMark(rule) + end));
  });

  it.each(rows.filter(({ before }) => before === ''))('$name: as a piece of a longer word it is none', ({ secret }) => {
    expect(redact(`abc${secret}`)).not.toMatch(/^abc\[REDACTED/);
  });
});

describe('what is no secret', () => {
  it.each<[string, string]>([
    ['a commit', random(40, HEX)],
    ['a digest in a name', `secret_${random(64, HEX)}`],
    ['a UUID', '123e4567-e89b-12d3-a456-426614174000'],
    ['integrity in a lockfile', `"integrity": "sha512-${Buffer.from(random(64)).toString('base64')}"`],
    ['an image', `data:image/png;base64,${Buffer.from(random(600)).toString('base64')}`],
    ['a placeholder', `ghp_${'x'.repeat(36)}`],
    ['a row of zeros', `sk_live_${'0'.repeat(24)}`],
    ['words for a key', 'sk-your-openai-api-key-goes-right-here-please'],
    ['a name in a program', 'hf_transformer_configuration_with_a_long_name'],
    ['a class of CSS', 'sk-loading-indicator-container-with-a-very-long-name'],
    ['a public key', `-----BEGIN PUBLIC KEY-----\n${random(64)}\n-----END PUBLIC KEY-----`],
    ['a certificate', `-----BEGIN CERTIFICATE-----\n${random(64)}\n-----END CERTIFICATE-----`],
    ['a header of a key alone', 'It begins with -----BEGIN RSA PRIVATE KEY----- and ends so.'],
    ['a variable as a password', 'postgres://app:${PASSWORD}@db/app and https://u:$PASS@h/ and http://u:%s@h'],
    ['words as a password', 'https://user:password@example.com, https://user:<password>@h, https://user:***@h, https://user:xxx@h, https://user:@h'],
    ['a port and a path', 'http://localhost:8080/users/@me and https://[::1]:443/a@b'],
    ['an Authorization of a program', 'Authorization: `Bearer ${token}`, authorization: request.headers.authorization, Authorization: Bearer your_api_token'],
    ['an AWS key that is a digest', `aws_secret_access_key = ${random(40, HEX)}`],
    ['a token without a header', `${jsonWebToken('{"alg":"HS256"}').split('.').slice(1).join('.')}`],
    ['three words and dots', 'eyJhbGxvIjoid29ybGQifQ.something.else'],
    ['base64 of JSON', Buffer.from('{"alg":"HS256"}').toString('base64url')],
  ])('%s', (_name, text) => {
    expect(redact(text)).toBe(text);
    expect(redact(`a = '${text}';`)).toBe(`a = '${text}';`);
  });
});
