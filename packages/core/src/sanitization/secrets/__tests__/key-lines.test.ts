import { describe, expect, it } from '@jest/globals';
import { redactText } from '../../json/redact-secrets.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { random } from './samples.ts';

const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
const redact = (text: string) => redactText(text, { detector, toolName: 't' });
const MARK = '[REDACTED:secret:private-key]';
const [BEGIN, END] = ['-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----'];
/** Long ones are seen behind anything, short ones only where a line of a key may stand. */
const [first, second] = [random(64), random(63)];
const [short, other] = [random(24), random(25)];
/** Goes as the words of a name do. */
const name = `${'privatekey'.repeat(3)}Lines`;
const path = `/opt/${'longnameofafolder'.repeat(3)}/Some2`;

/** What stands between `«` and `»` is the key: it alone is masked, and a second look changes nothing. */
function expectMasked(text: string): void {
  const masked = text.replaceAll(/«[^»]*»/gs, MARK);
  expect(redact(text.replaceAll(/[«»]/g, ''))).toBe(masked);
  expect(redact(masked)).toBe(masked);
}

describe('short lines of a private key', () => {
  it.each([
    '\n', '\r\n', '\\r\\n', '\\n\\t', '\\u000a', '\\u000D\\u000A', '%0A', '%0d%0a', '&#10;', '&#13;&#10;', '&#xA;', '&#x0a;', '<br>', '<br/>', '<br />', '$\n', '\n- ', '\n+ ',
    '\n// ', '\n * ', '\n# ', '\n> ', '\n12\t', '\n12: ', '\n12|', "',\n  '", '`;\n`', '"\n\t+ "', '\\n" +\n"', ' | ',
  ])('with %j between them', (between) => {
    expectMasked(`${BEGIN}${between}«${short}${between}${other}»${between}Then.`);
  });

  it('of 16 units and more, of which the first is told apart from a name', () => {
    expectMasked(`${BEGIN}\n«${random(16)}»\nThen.`);
    expectMasked(`${BEGIN}\n${random(15)}\nThen.`);
    expectMasked(`${BEGIN}\n${name}\nThen.`);
    expectMasked(`${BEGIN}\n«${name}${'Abc'.repeat(2)}»\nThen.`);
    expectMasked(`${BEGIN}\n${name}${'Abcd'}\nThen.`);
    expectMasked(`${BEGIN}\n«${name}»`);
    expectMasked(`${BEGIN} «${first} ${name}»`);
  });

  it('that end it', () => {
    expectMasked(`${BEGIN}\n«${first}\nAb3=»\nThen.`);
    expectMasked(`${BEGIN}\n«${first}\n=aB3d»\nThen.`);
    expectMasked(`${BEGIN}\n«${first}»\naB3d\nThen.`);
    expectMasked(`${BEGIN}\n«${first}\naB3d»`);
    expectMasked(`${BEGIN} «${first}» aB3d`);
    expectMasked(`${BEGIN}\n«${first}»\naB3d\n[REDACTED:secret:github-token]`);
    expectMasked(`${BEGIN}\n«${first}\nAb3d»\n\n\n\n${END}`);
    expectMasked(`${BEGIN}\nAb3=\nThen.`);
  });

  it('behind up to eight headers', () => {
    const headers = (count: number) => `${BEGIN}\n${'Comment: x\n'.repeat(count)}\n`;
    expectMasked(`${headers(8)}«${short}\n${other}»\n${END}`);
    expectMasked(`${headers(9)}${short}\nThen.`);
  });
});

describe('forms, pages and strings', () => {
  const body = `${random(20)}+${random(20)}/${random(20)}\n${random(30)}//${random(9)}++==`;
  it.each<[string, (text: string) => string]>([
    ['a form', (text) => encodeURIComponent(text).replaceAll('%20', '+')],
    ['a form in lower case', (text) => encodeURIComponent(text).replaceAll('%20', '+').replace(/%../g, (code) => code.toLowerCase())],
    ['a URL', (text) => encodeURIComponent(text)],
    ['JSON of PHP', (text) => JSON.stringify(text).replaceAll('/', '\\/').slice(1, -1)],
  ])('%s', (_name, write) => {
    expectMasked(`${write(`${BEGIN}\n`)}«${write(body)}»${write(`\n${END}`)}`);
    expectMasked(`x ${write('-----BEGIN EC PRIVATE KEY-----\n')}«${write(body)}»`);
  });

  it('four dashes, spaces, a number in its name', () => {
    expectMasked(`---- BEGIN SSH2 PRIVATE KEY ----\n«${short}\n${other}»\n---- END SSH2 PRIVATE KEY ----`);
    expectMasked(`--- BEGIN PRIVATE KEY ---\n${short}`);
    expectMasked(`-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n«${short}»\n=aB3d\n`.replace('»\n=aB3d', '\n=aB3d»'));
  });
});

describe('long lines with something before them, without an END', () => {
  it.each(['./key.pem-', 'key.pem-12-', 'Jan 01 10:00:00 host app[12]: ', 'web-1  | ', '^abc1234 (Bob 2020-01-01 1) '])('%s', (before) => {
    expectMasked(`${before}${BEGIN}\n${before}«${first}\n${before}${second}»\nThen.`);
  });

  it('are of 40 units, in a gap of 256 units and two more line ends at most', () => {
    expectMasked(`${BEGIN}\nx: «${random(40)}»\nThen.`);
    expectMasked(`${BEGIN}\nx: ${random(39)}\nThen.`);
    expectMasked(`${BEGIN}\n${'. '.repeat(124)}«${first}»\nThen.`);
    expectMasked(`${BEGIN}\n${'. '.repeat(160)}${first}\nThen.`);
    expectMasked(`${BEGIN}\n.\n.\n. «${first}»\nThen.`);
    expectMasked(`${BEGIN}\n.\n.\n.\n. ${first}\nThen.`);
  });

  it('are not paths, names, digests, what is masked, or of another kind', () => {
    expectMasked(`${BEGIN}\nsee ${path} for it`);
    expectMasked(`${BEGIN}\nx: ${'abcd1234'.repeat(8)} for it`);
    expectMasked(`${BEGIN}\nx: ${'ABCD1234'.repeat(8)} for it`);
    expectMasked(`${BEGIN}\nx: ${'abCD'.repeat(16)} for it`);
    expectMasked(`${BEGIN}\nx: ${'abcdefghIJKLMNOPQRST1234'.repeat(3)} for it`);
    expectMasked(`${BEGIN}\nx: «${'aaBB22'.repeat(11)}» for it`);
    expectMasked(`${BEGIN}\nx: [REDACTED:secret:github-token] ${first}`);
    expectMasked(`${BEGIN}\nx: ---- ${first}`);
  });

  it('begin behind an escape', () => {
    expectMasked(`${BEGIN}\nx:\\n«${first}»\nThen.`);
    expectMasked(`${BEGIN}\nx:%0A«${first}»\nThen.`);
  });
});

describe('lines before an END whose header was cut off', () => {
  it('are masked from the first to the last, whatever stands before each', () => {
    const lines = Array.from({ length: 20 }, (_, index) => random(60 + (index % 4)));
    expectMasked(`«${lines.join('\n')}\naB3d==»\n${END}`);
    expectMasked(`x: «${lines.join('\nx: ')}\nx: aB3d==»\nx: ${END}`);
    expectMasked(`x: «${lines.join('&#10;x: ')}&#10;x: aB3d==»&#10;x: ${END}`);
    expectMasked(`x: «${lines.join('%0Ax: ')}%0Ax: aB3d==»%0Ax: ${END}`);
    expectMasked(`x: «${lines.join('\\nx: ')}\\nx: aB3d==»\\nx: ${END}`);
    expectMasked(`x:\\n«${first}»\\nx: ${END}`);
  });

  it('are not what stands far away, or belongs to something else', () => {
    expectMasked(`${first}\n.\n.\n.\n«${second}»\n${END}`);
    expectMasked(`${first}\n.\n.\n.\n${END}`);
    expectMasked(`${first}\n${'. '.repeat(160)}\n${END}`);
    expectMasked(`${first} ${'. '.repeat(160)} «${second}»\n${END}`);
    expectMasked(`${path}\n${END}`);
    expectMasked(`Ab3dE\n${END}`);
    expectMasked(`${random(39)}\n${END}`);
    expectMasked(`«${random(40)}»\n${END}`);
    expectMasked(`${first}\n-----END CERTIFICATE-----\n«${second}»\n${END}`);
    expectMasked(`${first}\n-----END CERTIFICATE-----\n${END}`);
    expectMasked(`${first}\n[REDACTED:secret:github-token]\n${END}`);
  });
});

it('of two keys each has its own lines', () => {
  expectMasked(`${BEGIN}\n«${first}»\n${END}\n${BEGIN}\n«${second}\naB3d==»\n${END}\n«${random(50)}»\n${END}`);
  expectMasked(`Private-Lines: 1\n«${first}»\nPrivate-MAC: 00\n.\n.\n.\n${BEGIN}\n«${second}»\n${END}`);
});

describe('a run before the END of a key', () => {
  it('is a line of it wherever it looks encoded: what is glued to its front may be masked, and then it begins there', () => {
    const token = `napi_${random(64, 'abcdefghijklmnopqrstuvwxyz0123456789')}`;
    for (const line of [`1//0${random(60)}`, `+${random(64)}`, `=${random(64)}/${'a'.repeat(80)}`]) {
      const once = redact(`${token}${line}${END}`);
      expect(once).not.toContain(line.slice(4, 40));
      expect(redact(once)).toBe(once);
    }
  });

  it('is none where it is a path', () => {
    const words = 'see /usr/local/lib/modules/some/Long/Path/of/Files2/more for it';
    expectMasked(`${BEGIN}\n${words}`);
    expectMasked(`${words}\n${END}`);
  });

  it('is not judged by what stands behind it', () => {
    expectMasked(`${BEGIN}\n. ${'0123456789abcdef'.repeat(3).slice(0, 40)}.${random(30)}`);
  });
});
