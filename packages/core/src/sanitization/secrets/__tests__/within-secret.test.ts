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

test('what is taken out before anybody looks for secrets parts no lines', () => {
  for (const hidden of ['\u001b[36m'.repeat(80), '\u200b'.repeat(300)]) {
    expect(mayBeWithinSecret(Buffer.from(BODY.repeat(8).replaceAll('\n', `\n${hidden}web-1  | `)))).toBe(true);
  }
});

test('of a file in UTF-16', () => {
  // Read as another encoding, what stands in front of each line is twice as long, and parts one line from the next.
  const bytes = Buffer.from(BODY.replaceAll('\n', `\n${'\u2e2e'.repeat(140)} `), 'utf16le');
  expect(mayBeWithinSecret(bytes, 'utf-16le')).toBe(true);
  expect(mayBeWithinSecret(bytes.swap16(), 'utf-16be')).toBe(true);
  expect(mayBeWithinSecret(bytes)).toBe(false);
});

test.each(['', 'web-1  | '])('with lines of words right at the beginning alone, and %j before each line', (prefix) => {
  const words = `Version: a b c\nComment: ${'some more words '.repeat(20)}\n`;
  expect(mayBeWithinSecret(Buffer.from(words + BODY.repeat(3).replaceAll('\n', `\n${prefix}`)))).toBe(true);
});
