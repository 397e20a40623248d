import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { redactSecrets, redactText } from '../../json/redact-secrets.ts';
import { Tally } from '../../pipeline/tally.ts';
import { cleanText } from '../../pipeline/text-pipeline.ts';
import { createSecretDetector, type SecretDetectorOptions } from '../secret-detector.ts';
import { secrets } from '../secrets-step.ts';
import { random } from './samples.ts';

const fingerprintKey = new Uint8Array(32).fill(7);
const make = (options: Partial<SecretDetectorOptions> = {}) =>
  createSecretDetector({ enabled: true, allowed: [], fingerprintKey, ...options });
const token = `ghp_${random(36)}`;
const other = `glpat-${random(20)}`;
const context = { toolName: 'read_file' };
const redact = (text: string, options: Partial<SecretDetectorOptions> = {}) => redactText(text, { detector: make(options), ...context });

describe('a finding', () => {
  it('says where, which rule, and a keyed fingerprint', () => {
    const expected = createHmac('sha256', fingerprintKey).update(token).digest('hex').slice(0, 16);
    const [found] = make().find(`a ${token} b`, context);
    expect({ start: found?.start, end: found?.end, rule: found?.rule, fingerprint: found?.fingerprint }).toEqual({
      start: 2,
      end: 42,
      rule: 'github-token',
      fingerprint: expected,
    });
    expect(make({ fingerprintKey: new Uint8Array(32) }).find(token, context)[0]?.fingerprint).not.toBe(expected);
  });

  it('covers all of two that overlap, under the name of the first', () => {
    expect(redact(`https://user:${token}@example.com`)).toBe('https://user:[REDACTED:secret:github-token]@example.com');
    expect(redact(`https://user:abc-${token}@example.com`)).toBe('https://user:[REDACTED:secret:url-password]@example.com');
    expect(redact(`Authorization: Bearer ${token}`)).toMatch(/^Authorization: Bearer \[REDACTED:secret:[a-z-]+\]$/);
  });

  it('takes along what is glued to its end', () => {
    expect(redact(`dop_v1_${'0123456789abcdef'.repeat(4)}${token} b`)).toBe('[REDACTED:secret:digitalocean-token] b');
    expect(redact(`${token}-a_b`)).toBe('[REDACTED:secret:github-token]-a_b');
  });
});

describe('what is allowed', () => {
  const fingerprint = make().find(token, context)[0]?.fingerprint ?? '';
  it.each<[string, SecretDetectorOptions['allowed'][number], boolean]>([
    ['by rule', { rule: 'github-token' }, true],
    ['by another rule', { rule: 'gitlab-token' }, false],
    ['by tool', { tool: 'read_file' }, true],
    ['by another tool', { tool: 'web_fetch' }, false],
    ['by fingerprint', { fingerprint }, true],
    ['by another fingerprint', { fingerprint: '0'.repeat(16) }, false],
    ['by all three', { rule: 'github-token', tool: 'read_file', fingerprint }, true],
    ['by rule, not by tool', { rule: 'github-token', tool: 'web_fetch' }, false],
    ['by fingerprint, not by rule', { rule: 'gitlab-token', fingerprint }, false],
    ['by an entry that gives nothing', {}, false],
  ])('%s', (_name, entry, isAllowed) => {
    expect(redact(`${token} ${other}`, { allowed: [entry] })).toContain(isAllowed ? token : '[REDACTED:secret:github-token]');
    if (entry.tool === undefined) expect(redact(other, { allowed: [entry] }).includes(other)).toBe(entry.rule === 'gitlab-token' && entry.fingerprint === undefined);
  });

  it('lets values that devs handed out through by their own rule or fingerprint alone, not by a tool', () => {
    const value = 'some injected value';
    const injected = [value];
    const print = make({ injected }).find(value, context)[0]?.fingerprint ?? '';
    expect(redact(value, { injected, allowed: [{ tool: 'read_file' }] })).toBe('[REDACTED:secret:injected]');
    expect(redact(value, { injected, allowed: [{ rule: 'injected' }] })).toBe(value);
    expect(redact(value, { injected, allowed: [{ fingerprint: print, tool: 'read_file' }] })).toBe(value);
  });

  it('finds nothing when it is switched off, but what devs itself handed out', () => {
    expect(redact(`${token} some injected value`, { enabled: false, injected: ['some injected value'] })).toBe(
      `${token} [REDACTED:secret:injected]`,
    );
  });
});

describe('injected values', () => {
  const value = 'p4ss "wörd"/?&';
  const injected = [value, 'short'];
  const base64 = [0, 1, 2].map((offset) => Buffer.from('-'.repeat(offset) + value + '-'.repeat(5 - offset)).toString('base64'));
  it.each<[string, string]>([
    ['as it is', value],
    ['within a word', `x${value}y`],
    ['in JSON', JSON.stringify({ a: value })],
    ['in a URL', `https://example.com/?a=${encodeURIComponent(value)}`],
    ...base64.map((text, offset): [string, string] => [`in base64 at offset ${String(offset)}`, text]),
    ...base64.map((text, offset): [string, string] => [`in base64url at offset ${String(offset)}`, text.replaceAll('+', '-').replaceAll('/', '_')]),
  ])('%s', (_name, text) => {
    const redacted = redact(text, { injected });
    expect(redacted).toContain('[REDACTED:secret:injected]');
    expect(redacted.replace('[REDACTED:secret:injected]', '')).toMatch(/^.{0,40}$/);
    expect(redact(redacted, { injected })).toBe(redacted);
  });

  it.each<[string, (value: string) => string]>([
    ['lower case in a URL', (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase())],
    ['Python', (text) => encodeURIComponent(text).replaceAll('!', '%21').replaceAll('%2F', '/')],
    ['PHP', (text) => JSON.stringify(text).replaceAll('/', '\\/')],
    ['Go', (text) => JSON.stringify(text).replaceAll('&', '\\u0026')],
    ['HTML', (text) => text.replaceAll('&', '&amp;')],
  ])('as %s writes them', (_name, write) => {
    const strange = 'S3cr3t/Pa+ss=w0rd&more!';
    expect(redact(`x ${write(strange)} y`, { injected: [strange] })).toContain('[REDACTED:secret:injected]');
  });

  it('under 12 characters are not looked for, longer ones twice', () => {
    expect(redact('short', { injected })).toBe('short');
    expect(redact(`${value}${value}`, { injected })).toBe('[REDACTED:secret:injected][REDACTED:secret:injected]');
  });

  it('do not hide what stands beside them', () => {
    const text = `AKIA${random(16, 'ABCDEFGHIJKLMNOP')}${value}${token}`;
    const redacted = redact(text, { injected });
    expect(redacted).toBe('[REDACTED:secret:aws-access-key-id][REDACTED:secret:injected][REDACTED:secret:github-token]');
  });

  it('overlapping themselves are masked whole', () => {
    const row = 'abab'.repeat(3);
    expect(redact(`${row}ab`, { injected: [row] })).toBe('[REDACTED:secret:injected]');
  });
});

describe('values that their names give away', () => {
  const key = random(40);
  it.each(['aws_secret_access_key', 'SecretAccessKey', 'AWS_SECRET_ACCESS_KEY'])('under %s', (memberName) => {
    const [found] = make().find(key, { ...context, memberName });
    expect([found?.start, found?.end]).toEqual([0, 40]);
    expect(make().find(key, { ...context, memberName: 'commit' })).toEqual([]);
    expect(make().find(key, context)).toEqual([]);
  });

  it('in objects, lists and keys, and the same object where there are none', () => {
    const value = { env: { aws_secret_access_key: key, list: [1, token, null] }, [other]: true, [`${other}x`]: false };
    expect(redactSecrets(value, { detector: make(), toolName: 'read_file' })).toEqual({
      env: { aws_secret_access_key: '[REDACTED:secret:aws-secret-access-key]', list: [1, '[REDACTED:secret:github-token]', null] },
      '[REDACTED:secret:gitlab-token]': true,
      '[REDACTED:secret:gitlab-token] (2)': false,
    });
    const clean = { a: [1, 'two', { three: null }], authorization: 'none' };
    expect(redactSecrets(clean, { detector: make(), toolName: 'read_file' })).toBe(clean);
    expect(redactSecrets({ Authorization: `Bearer ${random(30)}` }, { detector: make(), toolName: 'x' })).toEqual({ Authorization: 'Bearer [REDACTED:secret:authorization]' });
  });

  it('a key named like a prototype stays a key', () => {
    const value = JSON.parse(`{"__proto__":"${token}"}`);
    const redacted = redactSecrets(value, { detector: make(), toolName: 'x' });
    expect(JSON.stringify(redacted)).toBe('{"__proto__":"[REDACTED:secret:github-token]"}');
  });
});

describe('a netrc file', () => {
  it('shows all but its passwords', () => {
    const file = (password: string) => `machine example.com\n  login me\n  password ${password}\nmachine b.example login you password ${password}\n`;
    expect(redact(file('hunter2'))).toBe(file('[REDACTED:secret:netrc-password]'));
    expect(redact(file('[REDACTED:secret:netrc-password]'))).toBe(file('[REDACTED:secret:netrc-password]'));
    expect(redact('your login name and password here')).toBe('your login name and password here');
  });
});

describe('the step', () => {
  it('counts by rule and notes the fingerprints of the first twenty', () => {
    const tally = new Tally();
    const text = Array.from({ length: 30 }, (_, index) => `ghp_${random(36 + index)}`).join(' ');
    expect(cleanText(text, [secrets(make(), 'read_file')], tally)).toBe(Array(30).fill('[REDACTED:secret:github-token]').join(' '));
    expect(tally.counts).toEqual({ 'secrets:github-token': 30 });
    expect(tally.findings).toHaveLength(20);
  });

  it('knows the member whose value it cleans', () => {
    expect(cleanText(random(40), [secrets(make(), 'read_file', 'SecretAccessKey')], new Tally())).toBe(
      '[REDACTED:secret:aws-secret-access-key]',
    );
  });
});
