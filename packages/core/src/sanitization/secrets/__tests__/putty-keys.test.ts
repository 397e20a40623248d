import { describe, expect, it } from '@jest/globals';
import { redactText } from '../../json/redact-secrets.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { secretMark } from '../secrets-step.ts';
import { random } from './samples.ts';

const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
const redact = (text: string) => redactText(text, { detector, toolName: 't' });
const [first, second] = [random(64), random(63)];

/** What stands between `«` and `»` is the key: it alone is masked, and a second look changes nothing. */
function expectMasked(text: string): void {
  const masked = text.replaceAll(/«[^»]*»/gs, secretMark('private-key'));
  expect(redact(text.replaceAll(/[«»]/g, ''))).toBe(masked);
  expect(redact(masked)).toBe(masked);
}

describe('the lines of a PuTTY key', () => {
  it.each([
    ['as they are', '', '\n'],
    ['in a string', '', '\\n'],
    ['in a page', '', '<br>\n'],
    ['in a form', '', '%0D%0A'],
    ['in a log', 'web-1  | ', '\n'],
    ['as hits', './key.ppk-12-', '\n'],
    ['marked in a page', '<code>', '</code>\n'],
  ])('%s', (_name, before, end) => {
    expectMasked(`${before}Private-Lines: 2${end}${before}«${first}${end}${before}${second}»${end}${before}Private-MAC: 00`);
  });

  it('in a gap of 256 units at most', () => {
    expectMasked(`Private-Lines: 2${'. '.repeat(128)}«${first}»\n`);
    expectMasked(`Private-Lines: 2${'. '.repeat(128)}.${first}\n`);
  });

  it('behind a name that leads to none', () => {
    expectMasked(`Private-Lines: 9 and\n\n\n\nPrivate-Lines: 2\nx: «${first}\nx: ${second}»\n`);
  });
});

it('header lines of a key in one line of a page end where they are shown to end', () => {
  expectMasked(`-----BEGIN PGP PRIVATE KEY BLOCK-----<br>Version: 1<br>Comment: x<br><br>«${first}<br>${second}»<br>`);
  expectMasked(`-----BEGIN PGP PRIVATE KEY BLOCK-----&#10;Version: 1&#10;&#10;«${first}&#10;${second}»&#10;`);
});
