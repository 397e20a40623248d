import { describe, expect, it } from '@jest/globals';
import { redactText } from '../../json/redact-secrets.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { random } from './samples.ts';

const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
const redact = (text: string) => redactText(text, { detector, toolName: 'read_file' });
const MARK = '[REDACTED:secret:private-key]';
const [first, second, last] = [random(64), random(63), 'aB3d=='];
const begin = (kind: string) => `-----BEGIN ${kind}PRIVATE KEY-----`;
const end = (kind: string) => `-----END ${kind}PRIVATE KEY-----`;

describe('a private key', () => {
  it.each(['', 'RSA ', 'EC ', 'DSA ', 'OPENSSH ', 'ENCRYPTED '])('of kind "%s" with its end', (kind) => {
    expect(redact(`a\n${begin(kind)}\n${first}\n${second}\n${last}\n${end(kind)}\nb`)).toBe(`a\n${begin(kind)}\n${MARK}\n${end(kind)}\nb`);
  });

  it.each<[string, string, string]>([
    ['without an end', `${begin('')}\n${first}\n${second}\nThen other text.`, `${begin('')}\n${MARK}\nThen other text.`],
    ['cut in its first line', `${begin('')}\n${first.slice(0, 5)}`, `${begin('')}\n${MARK}`],
    ['cut in its last line', `${begin('')}\n${first}\n${second.slice(0, 3)}`, `${begin('')}\n${MARK}`],
    ['in one line of JSON', `{"k":"${begin('')}\\n${first}\\n${last}\\n${end('')}\\n"}`, `{"k":"${begin('')}\\n${MARK}\\n${end('')}\\n"}`],
    ['escaped twice', `${begin('')}\\\\n${first}\\\\n${last}\\\\n${end('')}`, `${begin('')}\\\\n${MARK}\\\\n${end('')}`],
    ['with spaces for line ends', `${begin('')} ${first} ${second} ${end('')}`, `${begin('')} ${MARK} ${end('')}`],
    ['with CRLF', `${begin('')}\r\n${first}\r\n${second}\r\n${end('')}`, `${begin('')}\r\n${MARK}\r\n${end('')}`],
    ['in a program', `'${begin('')}\\n' +\n  '${first}\\n' +\n  '${second}\\n'`, `'${begin('')}\\n' +\n  '${MARK}\\n'`],
    ['in a quotation', `> ${begin('')}\n> ${first}\n> ${second}\n> ${end('')}`, `> ${begin('')}\n> ${MARK}\n> ${end('')}`],
    ['with numbers of lines', `1:${begin('')}\n2:${first}\n3:${second}\n4:${end('')}`, `1:${begin('')}\n2:${MARK}\n4:${end('')}`],
    [
      'with headers',
      `${begin('RSA ')}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n${first}\n${end('RSA ')}`,
      `${begin('RSA ')}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n${MARK}\n${end('RSA ')}`,
    ],
    [
      'of OpenPGP',
      `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n${first}\n${second}\n=aB3d\n-----END PGP PRIVATE KEY BLOCK-----`,
      `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n${MARK}\n-----END PGP PRIVATE KEY BLOCK-----`,
    ],
    [
      'of PuTTY',
      `PuTTY-User-Key-File-3: ssh-ed25519\nPublic-Lines: 1\n${first}\nPrivate-Lines: 1\n${second}\nPrivate-MAC: 00`,
      `PuTTY-User-Key-File-3: ssh-ed25519\nPublic-Lines: 1\n${first}\nPrivate-Lines: 1\n${MARK}\nPrivate-MAC: 00`,
    ],
    ['of SSH2', `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n${first}\n---- END`, `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n${MARK}\n---- END`],
  ])('%s', (_name, text, expected) => {
    expect(redact(text)).toBe(expected);
    expect(redact(expected)).toBe(expected);
  });

  it('two in a row', () => {
    const one = (body: string) => `${begin('')}\n${body}\n${end('')}\n`;
    expect(redact(one(first) + one(second))).toBe(one(MARK) + one(MARK));
  });
});
