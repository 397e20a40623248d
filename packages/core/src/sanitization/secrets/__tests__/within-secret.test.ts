import { expect, test } from '@jest/globals';
import { createSecretDetector } from '../secret-detector.ts';
import { mayBeWithinSecret } from '../within-secret.ts';
import { random } from './samples.ts';

const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
/** As short as no reader's margin is. */
const MARGIN = 2_048;
const STEP = 89;

const HEADER = ['-----BEGIN PGP', 'PRIVATE KEY BLOCK-----'].join(' ');
const FOOTER = ['-----END PGP', 'PRIVATE KEY BLOCK-----'].join(' ');
const lines = Array.from({ length: 120 }, () => random(64));
const key = [HEADER, '', ...lines, FOOTER, ''].join('\n');
const withEach = (prefix: string, suffix = '') => key.split('\n').map((line) => `${prefix}${line}${suffix}`).join('\n');
const token = (length: number) => `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.${random(length)}.${random(40)}`;
const encoded = ['LS0tLS1CRUdJTi', Buffer.from(key).toString('base64').slice(14)].join('');

test.each<[string, string]>([
  ['bare', key],
  ['with line ends of Windows', key.replaceAll('\n', '\r\n')],
  ['indented', withEach('    ')],
  ['with blanks behind its lines', withEach('', ' \t')],
  ['in a diff', withEach('+')],
  ['in a quotation', withEach('> ')],
  ['in the log of a container', withEach('web-1  | ')],
  ['with file names, as grep writes', withEach('./deploy/keys/backup-of-2024.asc-12-')],
  ['with the numbers of lines', withEach('12:\t')],
  ['in the items of a list', withEach('  "', '",')],
  ['put together in a program', withEach('  "', '\\n" +')],
  ['as one text with escapes', `{"key": "${key.replaceAll('\n', '\\n')}"}`],
  ['with escaped slashes', `{"key": "${key.replaceAll('\n', '\\n').replaceAll('/', '\\/')}"}`],
  ['in a page', `<pre>${key.replaceAll('\n', '<br>')}</pre>`],
  ['in tables of a page', withEach('<tr><td class="line">7</td><td>', '</td></tr>')],
  ['in a form', `key=${encodeURIComponent(key)}`],
  ['with what is hidden written out in its lines', [HEADER, '', ...lines.map((line) => `${line.slice(0, 30)}\\u200b${line.slice(30)}`), FOOTER].join('\n')],
  ['in short lines', [HEADER, '', ...lines.map((line) => line.slice(0, 24)), FOOTER].join('\n')],
  ['a web token', `authorization ${token(12_000)}`],
  ['in base64', `client-key-data: ${encoded}`],
  ['in base64, in lines', `tls.key: |\n    ${encoded.match(/.{1,76}/g)?.join('\n    ') ?? ''}\n`],
])('whoever reads on in the midst of a key is told: %s', (_, text) => {
  const found = detector.find(text, { toolName: 'read_file' }).filter(({ start, end }) => end - start > MARGIN);
  expect(found).not.toHaveLength(0);
  const unnoticed: number[] = [];
  for (const { start, end } of found) {
    for (let at = start + MARGIN; at < end; at += STEP) {
      if (!mayBeWithinSecret(Buffer.from(text.slice(at - MARGIN, at)))) unnoticed.push(at);
    }
  }
  expect(unnoticed).toEqual([]);
});

const BODY = lines.slice(0, 40).map((line) => `${line}\n`).join('');

test.each<[string, string]>([
  ['prose', 'some words, and more of them\n'.repeat(400)],
  ['a program', 'export function longNameOfSomething(argument: string): void {\n'.repeat(80)],
  ['digests', `sha256-${'0123456789abcdef'.repeat(4)}  a/file\n`.repeat(80)],
  ['a key that has ended', `${BODY}${FOOTER}\nwords\n`],
  ['a key, and words behind it', `${BODY}some words, and more of them\n${'and more words\n'.repeat(20)}`],
  ['a key, words, and another', `${BODY}${'and more words\n'.repeat(30)}${BODY}`],
  ['a hole in a file', '\0'.repeat(10_000)],
  ['nothing', ''],
])('no key goes on behind %s', (_, text) => {
  expect(mayBeWithinSecret(Buffer.from(text))).toBe(false);
});

test.each([
  ['colours', '\u001b[36m'.repeat(80)],
  ['what nobody sees', '\u200b'.repeat(300)],
  ['what nobody sees, written out', '\\u200b'.repeat(300)],
])('what rules read a text without parts no lines: %s', (_, hidden) => {
  const long = lines.slice(0, 60).map((line) => `${line.repeat(hidden.length / 32)}\n`).join('');
  expect(mayBeWithinSecret(Buffer.from(long.replaceAll('\n', `\nx${hidden}web-1  | `)))).toBe(true);
});

test('what is written out is read, and as it stands too: a title that is written out would take lines away', () => {
  const isTitled = (index: number) => index >= 40 && index < 50;
  const titled = lines.slice(0, 60).map((line, index) => `web${isTitled(index) ? `\\x1b]0;${line.repeat(12)}\\x07` : ` | ${line.repeat(12)}`}\n`);
  expect(mayBeWithinSecret(Buffer.from(titled.join('\u001b[36m'.repeat(80))))).toBe(true);
});

test('a text of which little is left', () => {
  const header = `Comment: ${'words '.repeat(30)}\n`.repeat(8);
  for (const hidden of ['\u200b', '\\u200b']) {
    expect(mayBeWithinSecret(Buffer.from(header.replaceAll('words', `words${hidden.repeat(40)}`) + BODY.slice(0, 200)))).toBe(true);
  }
});

test('of a file in UTF-16', () => {
  // Read as another encoding, what stands in front of each line is twice as long, and parts one line from the next.
  const bytes = Buffer.from(BODY.replaceAll('\n', `\n${'\u2e2e'.repeat(140)} `), 'utf16le');
  expect(mayBeWithinSecret(bytes, 'utf-16le')).toBe(true);
  expect(mayBeWithinSecret(bytes.swap16(), 'utf-16be')).toBe(true);
  expect(mayBeWithinSecret(bytes)).toBe(false);
});

test('with as many header lines as the rule passes over', () => {
  const header = `Comment: ${'w '.repeat(100).trim()}\n${' '.repeat(200)}\n`.repeat(8);
  expect(detector.find(`${HEADER}\n${header}\n${BODY}`, { toolName: 't' }).map(({ rule }) => rule)).toEqual(['private-key']);
  for (let body = BODY.repeat(3); body.length < 20_000; body += BODY) {
    expect(mayBeWithinSecret(Buffer.from(header + body))).toBe(true);
  }
});

test.each(['', 'web-1  | '])('with lines of words right at the beginning alone, and %j before each line', (prefix) => {
  const words = `Version: a b c\nComment: ${'some more words '.repeat(20)}\n`;
  expect(mayBeWithinSecret(Buffer.from(words + BODY.repeat(3).replaceAll('\n', `\n${prefix}`)))).toBe(true);
});
