import { describe, expect, it } from '@jest/globals';
import { redactText } from '../redact-secrets.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { secretMark } from '../secrets-step.ts';
import { random } from './samples.ts';

const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
const redact = (text: string) => redactText(text, { detector, toolName: 't' });
const P = random(12);
const mark = secretMark('github-token');

/** What stands between `«` and `»` is the password: it alone is masked, and a second look changes nothing. */
function expectMasked(text: string): void {
  const masked = text.replaceAll(/«[^»]*»/g, secretMark('netrc-password'));
  expect(redact(text.replaceAll(/[«»]/g, ''))).toBe(masked);
  expect(redact(masked)).toBe(masked);
}

describe('an entry of a netrc', () => {
  it.each([
    ['in one line', `machine h login u password «${P}»`],
    ['in several', `machine h\n  login u\n  password «${P}»\n`],
    ['with ends of Windows', `machine h\r\nlogin u\r\npassword «${P}»\r\n`],
    ['behind another', `machine h login u password «${P}»\nmachine i\n\tlogin v\n\taccount a\n\tpassword «x${P}»\n`],
    ['password first', `machine h password «${P}» login u`],
    ['password first, in lines', `machine h\npassword «${P}»\nlogin u`],
    ['the default one', `default login anonymous password «${P}»`],
    ['the default one, in lines', `machine h login u\ndefault\nlogin u\npassword «${P}»\n`],
    ['quoted', `machine h login u password "«a ${P}»"`],
    ['quoted, with a quote in it', `machine h login u password "«a \\" ${P}»"\n`],
    ['in single quotes', `machine h login u password '«a ${P}»' # mine`],
    ['before a comment', `machine h login u password «${P}» # mine`],
    ['with comments in it', `machine h\n# mine\nlogin u # me\npassword «${P}»`],
    ['before an account', `machine h login u password «${P}» account a`],
    ['before a macro', `machine h login u password «${P}» macdef init\ncd /pub\n\n`],
    ['words of other readers', `machine h port 22 user u password «${P}»`],
    ['user and a host', 'machine h.example.com user deploy password «letmein»'],
    ['words alone', 'machine localhost login admin password «letmein»'],
    ['names that are words of it', `machine default login user password «${P}»`],
    ['a user that holds a word of it', `machine h login machine-default password «${P}»`],
    ['as a program writes it', `echo machine h login u password «${P}» >> ~/.netrc`],
    ['as a program writes it, with an option', `echo -n machine h login u password «${P}» > .netrc`],
    ['as a program writes it, quoted', `RUN echo "machine h login u password «${P}»" > ~/.netrc`],
    ['as a program writes it, with escapes', `RUN echo -e "machine h\\nlogin u\\npassword «${P}»" > ~/.netrc`],
    ['in JSON', `{"a":"machine h login u password \\"«a ${P}»\\"\\n","b":"machine h login u password «${P}»\\n"}`],
    ['in a page', `<pre>machine h login u password «${P}»</pre>`],
    ['as a hit', `.netrc:3:machine h login u password «${P}»`],
    ['as a numbered line', `     3\tmachine h login u password «${P}»`],
    ['in a difference', `+machine h login u password «${P}»`],
    ['in a log', `web-1  | machine h login u password «${P}»`],
  ])('%s', (_name, text) => expectMasked(text));

  it.each([
    'Change the default user account password immediately after login.',
    'Reset the default user account password in the admin panel.',
    'default user account password rotation',
    'The default login name password field is empty',
    'default login user password is needed.',
    'By default user accounts password protected',
    'each virtual machine default user root password root',
    'machine learning user study password managers',
    '- machine learning user study password managers.',
    'machine learning login study password managers are common',
    'default login account password policy',
    `machine h password ${P}`,
    `login u password ${P}`,
    `machine h login u password ${P} and words`,
    '| machine | login | password |\n|---|---|---|',
    `machine h login u password ${mark} and`,
    `machine h login u password ${P} ${mark}`,
    `machine h login u password ${P}${mark}`,
    `machine h login u password "${mark}"`,
    `${mark} machine h login u password ${P}`,
  ])('%s is none', (text) => expect(redact(text)).toBe(text));
});

describe('what stands for a password', () => {
  it.each([
    'host=db user=app password=$(cat /run/secrets/db)',
    'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
  ])('%s', (text) => expect(redact(text)).toBe(text));
});
