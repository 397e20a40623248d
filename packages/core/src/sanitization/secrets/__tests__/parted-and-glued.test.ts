import { describe, expect, it } from '@jest/globals';
import { cleanOne } from '../../__tests__/pipeline-scene.ts';
import { createSecretDetector } from '../secret-detector.ts';

// Put together here: no file holds a secret whole.
const BODY = 'a8Kd02LmQz71XyPvRt55WsNbCe93HgJfUo4iVb6nTc0Lk3Mj';
const HEX = '0a1b2c3d4e5f60718293a4b5c6d7e8f9';
const TOKENS: readonly (readonly [rule: string, token: string])[] = [
  ['google-api-key', `AIza${BODY.slice(0, 35)}`],
  ['aws-access-key-id', `AKIA${'Q3EGRIJ7XWBP2K9M'}`],
  ['twilio-key', `SK${HEX}`],
  ['telegram-token', `12345678:AA${BODY.slice(0, 33)}`],
  ['sendgrid-key', `SG.${BODY.slice(0, 22)}.${BODY.slice(0, 43)}`],
  ['github-token', `ghp_${BODY.slice(0, 36)}`],
];

/** As pages break long words, and terminals colour them: something that nobody sees, at every sixth unit. */
const partedBy = (token: string, hidden: string) => token.replace(/.{6}(?=.)/g, `$&${hidden}`);

describe('a token with something taken out of it, and glued to a word at both ends once more is taken out', () => {
  const rows = TOKENS.flatMap(([rule, token]) => ['\u200b', '\u00ad', '\u001b[0m'].map((hidden) => [rule, token, hidden] as const));
  it.each(rows)('%s, %j, %j', (rule, token, hidden) => {
    const text = `see key${hidden}${partedBy(token, hidden)}${hidden}Copy`;
    expect(cleanOne(text).replace(/Copy$/, '')).toBe(`see key[REDACTED:secret:${rule}]`);
  });

  it.each(['\u200b', '\u001b[0m'])('a value that only its name tells, %j', (hidden) => {
    const value = `${BODY.slice(0, 20)}${hidden}${BODY.slice(20, 40)}`;
    expect(cleanOne(`aws_secret_access_key = ${value}${hidden}region`)).toBe('aws_secret_access_key = [REDACTED:secret:aws-secret-access-key]region');
  });

  /** At every unit, and behind it a text that is parted as often. */
  const partedAtEach = (text: string, hidden: string) => text.split('').join(hidden);
  const behind = 'Copy this one and then another one that is as long as a token and longer, for there is no end to what may be parted'.replaceAll(' ', '').repeat(2);
  const long: typeof TOKENS = [...TOKENS, ['firebase-server-key', `AAAA${BODY.slice(0, 7)}:${BODY.repeat(3).slice(0, 140)}`], ['mailersend-token', `mlsn.${HEX}${HEX}`]];
  it.each(long.flatMap(([rule, token]) => ['\u200b', '\u001b[0m'].map((hidden) => [rule, token, hidden] as const)))('at each unit, %s, %j, %j', (rule, token, hidden) => {
    const cleaned = cleanOne(partedAtEach(`seekey${token}${behind}`, hidden));
    expect(cleaned).toMatch(new RegExp(`^seekey\\[REDACTED:secret:${rule}\\]`));
    expect(cleaned).not.toContain(token.slice(-16));
  });

  it('at each unit, a value that only its name tells', () => {
    const cleaned = cleanOne(partedAtEach(`aws_secret_access_key=${BODY.slice(0, 40)}${behind}`, '\u200b'));
    expect(cleaned).toBe(`aws_secret_access_key=[REDACTED:secret:aws-secret-access-key]${behind}`);
  });

  it('what is parted more often than anything honest is, is withheld or masked, and takes no longer than its length', () => {
    const rows = Array.from({ length: 20_000 }, () => `AKIA\u200b${'Q\u200b3\u200b'.repeat(6)}`).join('.');
    expect(() => cleanOne(rows)).not.toThrow(RangeError);
  });
});

it('a token that ends where another begins is masked with it, however long the word is that it begins in', () => {
  const server = `AAAA${BODY.slice(0, 7)}:${(BODY + BODY + BODY + BODY).slice(0, 139)}-`;
  const text = `see ${'x9'.repeat(60)}.${'y8'.repeat(40)}=${server}AKIA${'Q3EGRIJ7XWBP2K9M'} now`;
  const once = cleanOne(text);
  expect(once).toMatch(/=\[REDACTED:secret:firebase-server-key\]\[REDACTED:secret:aws-access-key-id\] now$/);
  expect(cleanOne(once)).toBe(once);
});

describe('a token right behind what is written out', () => {
  const token = `ghp_${BODY.slice(0, 36)}`;
  it.each([
    ['mail, quoted-printable', 'GITHUB_TOKEN=3D'],
    ['a line end of such mail', '=0D=0A'],
    ['a header of mail', '=?utf-8?Q?token=3D'],
    ['a URL in a URL', '?next=https%3A%2F%2Fb%2F%3Ftoken%253D'],
    ['a URL in a URL in a URL', '%25253D'],
    ['a URL of IIS', '%u000A'],
    ['octal', String.raw`token\012`],
    ['octal of an equals sign', String.raw`GITHUB_TOKEN\075`],
    ['the escape of a shell', String.raw`\033[31m`],
    ['a bell', String.raw`\a`],
    ['an escape character', String.raw`\e`],
    ['RTF', String.raw`\'3d`],
    ['a colour with colons', '^[[38:5:196m'],
  ])('%s', (_, before) => {
    expect(cleanOne(`${before}${token}`)).toBe(`${before}[REDACTED:secret:github-token]`);
  });

  it.each(['a=AB', 'x:y', '\'3d', 'port:8m'])('but not behind a word: %s', (before) => {
    expect(cleanOne(`${before}z${token}`)).toBe(`${before}z${token}`);
  });
});

describe('tokens without anything between them', () => {
  const npm = `npm_${BODY.slice(0, 36)}`;
  const github = `ghp_${BODY.slice(0, 36)}`;
  const [npmMark, githubMark] = ['[REDACTED:secret:npm-token]', '[REDACTED:secret:github-token]'];
  it.each([
    [npm + npm, npmMark + npmMark],
    [npm + github + npm, npmMark + githubMark + npmMark],
    [`${github}github_pat_x`, `${githubMark}_pat_x`],
  ])('%j', (text, expected) => {
    expect(cleanOne(text)).toBe(expected);
  });

  it('however many', () => {
    expect(cleanOne(npm.repeat(2_000))).toBe(npmMark.repeat(2_000));
  });
});

it.each([31, 33])('a token is found where another one begins right behind it, so that a second look finds no more: %d units', (units) => {
  const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
  const azure = `abc1Q~${BODY.slice(0, units)}`;
  const atlassian = `ATATT3xFfGF0${BODY.repeat(3)}=1A2B3C4D`;
  const found = detector.find(`${'x'.repeat(300)} see ${azure}-${azure}-${atlassian}`, { toolName: 't' });
  expect(found.map(({ rule }) => rule)).toEqual(['azure-client-secret', 'azure-client-secret', 'atlassian-token']);
});

it('and where an escape is the edge of the first, and the look back at it begins within the escape', () => {
  const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
  const firebase = `AAAA${BODY.slice(0, 7)}:${BODY.repeat(3).slice(0, 139)}-`;
  const aws = `IQoJb3JpZ2luX2Vj${BODY.repeat(2)}`;
  const found = detector.find(`${'x'.repeat(300)}\\n${firebase}${aws}`, { toolName: 't' });
  expect(found.map(({ rule }) => rule)).toEqual(['firebase-server-key', 'aws-session-token']);
});
