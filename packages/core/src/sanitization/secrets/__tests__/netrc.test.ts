import { describe, expect, it } from '@jest/globals';
import { redactText } from '../../json/redact-secrets.ts';
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
    ['with comments in it', `machine h\n# [mine]\nlogin u # me\npassword «${P}»`],
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
    ['in a log with times', `2026-01-01T00:00:00Z machine h login u password «${P}»`],
    ['in a log with levels', `[INFO] machine h login u password «${P}»`],
    ['in a list', `1. machine h login u password «${P}»`],
    ['in a variable', `NETRC=machine h login u password «${P}»`],
    ['a word, in a variable', 'NETRC=machine h login u password «letmein»'],
    ['two in one line', `machine h login u password «${P}» machine i login v password «x${P}»`],
    ['behind a mark', `${mark} machine h login u password «${P}»`],
    ['before a mark', `machine h login u password «${P}» ${mark}`],
    ['before words', `machine h login u password «${P}» and words`],
    ['before another word of git', `machine h login u password «${P}» protocol https`],
    ['before a command', `machine h login u password «${P};» chmod 600 ~/.netrc`],
    ['of a user in quotes', `machine h login "a user" password «${P}»`],
    ['of a user in quotes, in JSON', `{"a":"machine h login \\"a user\\" password «${P}»"}`],
    ['in lines of a page', `machine h<br>login u<br/>password «${P}»<br />machine i`],
    ['in a list of lines', `["machine h\\n","  login u\\n", "  password «${P}»\\n"]`],
    ['in a list of lines without their ends', `["machine h", "login u", "password «${P}»"]`],
    ['three words', 'a machine h login u password «correct-horse-battery» and words'],
    ['a capital within', 'a machine h login u password «correctHorse»'],
    ['a word, in lines', 'default\nlogin u\npassword «letmein»\n'],
    ['a word, in lines of a page', 'default<br>login u<br>password «letmein»<br>'],
    ['a word, of a machine that is one', 'machine gitea login u password «letmein»'],
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
    '- default login name password required',
    'default login shell password aging',
    'Use: default login page password field',
    '- machine id, login name, password hash',
    'a machine account login name password SHA',
    'a machine account login name password field\'s',
    '[INFO] machine account login name password expiry',
    'machine account login name password expiry and more',
    'machine <host> login <user> password <password>',
    'machine h login u password $(cat token) # mine',
    "'machine h login u password ' + token + '\\n'",
    "['machine h login u password ', token]",
    '| machine | login | password |\n|---|---|---|',
    `machine h login u password ${mark} and`,
    `machine h login u password letmein ${mark}`,
    `machine h login u password ${P}${mark}`,
    `machine h login u password "${mark}"`,
    `machine h login u password "${P} ${mark}"`,
    `machine h # ${mark}\nlogin u password ${P}`,
    `${mark} machine h login u password letmein`,
    `machine h login "a ${mark}" password ${P}`,
  ])('%s is none', (text) => expect(redact(text)).toBe(text));
});

describe('what stands for a password', () => {
  it.each([
    'host=db user=app password=$(cat /run/secrets/db)',
    'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
  ])('%s', (text) => expect(redact(text)).toBe(text));
});

it.each(['password "', "password '", 'password\n  \'', 'password \\"', 'machine a login b password "'])(
  '%j before a row of what is written out, without its end, is read once: each pair doubled the work',
  (start) => {
    for (const pair of ['\\n', '\\\\', "\\'", '\\"']) {
      const text = start + pair.repeat(400);
      expect(typeof detector.find(text, { toolName: 'tool' }).length).toBe('number');
    }
  },
);

it('a quoted password may end in a backslash, and hold a quote behind one', () => {
  for (const value of ['s3cr3t\\', 's3\\"cr3t', 's3\\\\cr3t']) {
    const [found] = detector.find(`machine a login b password "${value}"\n`, { toolName: 'tool' });
    expect(found?.rule).toBe('netrc-password');
  }
});
