import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Scene } from './scene.ts';

const ANY_LETTER = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'.split('');
const lettersOf = (length: number) => fc.array(fc.constantFrom(...ANY_LETTER), { minLength: length, maxLength: length }).map((letters) => letters.join(''));
const URL_PASSWORD = '[REDACTED:secret:url-password]';
const GITHUB = '[REDACTED:secret:github-token]';

/** What an agent is told of an edit, and what it reads then. */
async function answerOf(content: string, { oldText, newText }: { readonly oldText: string; readonly newText: string }): Promise<unknown> {
  const scene = new Scene();
  scene.files.set('s', Buffer.from(content));
  const answer = await scene.call('surgical_edit', { path: 's', oldText, newText });
  return { code: scene.code, answer: JSON.stringify(answer).replaceAll(/external-content-[0-9a-f]+/g, ''), then: await scene.read({ path: 's' }) };
}

async function shownOf(content: string): Promise<string> {
  const scene = new Scene();
  scene.files.set('s', Buffer.from(content));
  return await scene.read({ path: 's' });
}

/** Put together here: what looks like a token would be found in the sources. */
const github = (letters: string) => ['ghp', letters].join('_');
const urlOf = (password: string) => `DATABASE_URL=postgres://u:${password}@h/x\n`;
const URL_LINE = urlOf(URL_PASSWORD).trim();
const fillerOf = (letters: string, length: number) => letters.repeat(length).slice(0, length);
const RANDOM = 'k4Tz9QmX2vLs7RbW1nYc8HdF5jPg3AeU6oKi';

describe('no edit tells what a secret is', () => {
  test.each<[string, (secret: string) => string, [string, string], string, string]>([
    ['which of five letters begins it', urlOf, ['493817', '993817'], URL_LINE, `T=glpat-${fillerOf('01234', 63)}${URL_PASSWORD} `],
    ['which of five letters ends it', urlOf, ['718394', '718399'], URL_LINE, `T=${URL_PASSWORD}${fillerOf('01234', 63)}`],
    ['which of five begins it, left in its URL', urlOf, ['493817', '993817'], 'DATABASE_URL=postgres://u:', `DATABASE_URL=postgres://u:glpat-${fillerOf('01234', 63)}`],
    [
      'whether there is a digit in it',
      (secret) => `t: ${github(secret)}\n`,
      [`4${RANDOM.slice(1)}`, `k${RANDOM.slice(1)}`],
      `t: ${GITHUB}`,
      `authorization: bearer ${fillerOf('Abcdefg', 58)}.${GITHUB}`,
    ],
    [
      'whether one letter is one of those before',
      (secret) => `t: ${github(secret)}\n`,
      [`g${RANDOM.slice(1)}`, `k${RANDOM.slice(1)}`],
      `t: ${GITHUB}`,
      `_authToken=${fillerOf('ghp_', 58)}.${GITHUB}`,
    ],
    [
      'where a colon is once it is decoded',
      (secret) => `t: ${['AK', 'IA'].join('')}${secret}\n`,
      ['OjQ3EGRIJ7XWBP2K'.toUpperCase(), 'AJQ3EGRIJ7XWBP2K'],
      't: [REDACTED:secret:aws-access-key-id]',
      `"auth": "${fillerOf('YWFh', 8)}/[REDACTED:secret:aws-access-key-id]"`,
    ],
  ])('%s', async (_, contentOf, [one, other], oldText, newText) => {
    expect(await shownOf(contentOf(one))).toBe(await shownOf(contentOf(other)));
    expect(await shownOf(contentOf(one))).toContain(oldText);
    expect(await answerOf(contentOf(one), { oldText, newText })).toEqual(await answerOf(contentOf(other), { oldText, newText }));
  });

  test('what would be masked by another rule, or more, or less, is refused in the same words', async () => {
    const edits = [`x=${URL_PASSWORD}`, `T=glpat-${fillerOf('01234', 63)}${URL_PASSWORD} `, `u=postgres://u:a${URL_PASSWORD}@h`, `Server=db;Password=${URL_PASSWORD}x`];
    const answers = await Promise.all(edits.map(async (newText) => await answerOf(urlOf('493817'), { oldText: URL_LINE, newText })));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ code: 'EDIT_REFUSED', then: urlOf(URL_PASSWORD) });
  });

  test('law: of two files that differ in the letters of a secret alone, every edit is answered alike', async () => {
    const fragment = fc.constantFrom(
      'a', ' ', '\n', '"', '=', ':', '.', '/', '@h/x', '# ', 'glpat-', 'AKIA', 'sk-ant-', 'SG.', 'Basic ', '"auth": "', 'authorization: bearer ', '_authToken=', 'x-api-key: ',
      'aws_secret_access_key = ', 'AccountKey=', 'postgres://u:', 'Server=db;Password=', 'machine h login u password ', 'Cookie: session=', '12345678:AA',
      `authorization: bearer ${fillerOf('Abcdefg', 58)}.`, `_authToken=${fillerOf('ghp_', 58)}.`, `x-api-key: ${fillerOf('aB', 14)}.`, fillerOf('01234', 15), fillerOf('01234', 63), fillerOf('aB3dE', 58), fillerOf('Abcdefghi', 35), fillerOf('0f', 31),
    );
    const around = fc.record({ before: fc.array(fragment, { maxLength: 4 }), behind: fc.array(fragment, { maxLength: 2 }) });
    const place = fc.constantFrom<readonly [number, (letters: string) => string]>(
      [8, urlOf],
      [16, (letters) => `machine h login u password ${letters}\n`],
      [36, (letters) => `t: ${github(letters)}\n`],
      [40, (letters) => `aws_secret_access_key = ${letters}\n`],
      [24, (letters) => `Server=db;User Id=a;Password=${letters};\n`],
    );
    // As often as not they differ in one letter: that is what is asked for.
    const pair = (length: number) =>
      fc.tuple(lettersOf(length), lettersOf(length), fc.option(fc.nat(3))).map(([one, other, at]) => [one, at === null ? other : one.slice(0, at) + other.slice(at, at + 1) + one.slice(at + 1)]);
    const files = place.chain(([length, contentOf]) => pair(length).map((letters) => letters.map(contentOf)));
    await fc.assert(
      fc.asyncProperty(files, around, fc.boolean(), async ([one = '', other = ''], { before, behind }, isLine) => {
        const shown = await shownOf(one);
        const mark = /\[REDACTED:secret:[a-z-]+\]/.exec(shown)?.[0] ?? '';
        fc.pre(mark !== '' && shown === (await shownOf(other)));
        const oldText = isLine ? shown.trim() : mark;
        const edit = { oldText, newText: `${before.join('')}${mark}${behind.join('')}` };
        fc.pre(edit.oldText !== edit.newText);
        expect(await answerOf(one, edit)).toEqual(await answerOf(other, edit));
      }),
      { numRuns: 300 },
    );
  });
});

describe('ordinary edits around a secret', () => {
  const KEY = [['-----BEGIN RSA', 'PRIVATE KEY-----'].join(' '), ...Array.from({ length: 6 }, (_, line) => `${RANDOM}${RANDOM.slice(0, 26)}${String(line)}a`), ['-----END RSA', 'PRIVATE KEY-----'].join(' ')].join('\n');
  const AWS = `${RANDOM}Ab0+`;
  const content = [
    'first', urlOf('493817').trim(), 'between', `GITHUB_TOKEN=${github(RANDOM)}`, `AWS_SECRET_ACCESS_KEY = ${AWS}  # of the bucket`, `curl -H 'Authorization: Bearer ${github(RANDOM)}' https://a.example/b`,
    'last', KEY, 'end', '',
  ].join('\n');
  const GITHUB_LINE = `GITHUB_TOKEN=${GITHUB}`;
  const MARKED_AWS = 'AWS_SECRET_ACCESS_KEY = [REDACTED:secret:aws-secret-access-key]';

  test.each<[string, string, string, (file: string) => string]>([
    ['lines before it', 'first\n', 'first\nsecond\nauthor: me\n', (file) => file.replace('first\n', 'first\nsecond\nauthor: me\n')],
    ['lines behind it', '\nbetween\n', '\nbetween\nA=1\nB=2\n', (file) => file.replace('\nbetween\n', '\nbetween\nA=1\nB=2\n')],
    ['the line before goes', 'between\n', '', (file) => file.replace('between\n', '')],
    ['another host', `${URL_PASSWORD}@h/x`, `${URL_PASSWORD}@db.example.com/y`, (file) => file.replace('@h/x', '@db.example.com/y')],
    ['another user', `postgres://u:${URL_PASSWORD}`, `postgres://admin:${URL_PASSWORD}`, (file) => file.replace('://u:', '://admin:')],
    ['a remark on its line', '# of the bucket', '# of the other bucket', (file) => file.replace('of the bucket', 'of the other bucket')],
    ['another name for a token', 'GITHUB_TOKEN=', 'export GH_TOKEN=', (file) => file.replace('GITHUB_TOKEN=', 'export GH_TOKEN=')],
    ['the address of a request', 'https://a.example/b', 'https://a.example/c?d=1', (file) => file.replace('example/b', 'example/c?d=1')],
    ['the line with its name moves', `between\nGITHUB_TOKEN=${GITHUB}\n${MARKED_AWS}`, `${MARKED_AWS}\nGITHUB_TOKEN=${GITHUB}\nbetween`, (file) =>
      file.replace(/(between)\n(GITHUB.*)\n(AWS.*?)(?=  # of)/, '$3\n$2\n$1')],
    ['a comment', MARKED_AWS, `# ${MARKED_AWS}`, (file) => file.replace('AWS_SECRET', '# AWS_SECRET')],
    ['the line goes', `GITHUB_TOKEN=${GITHUB}\n`, '', (file) => file.replace(/GITHUB_TOKEN=.*\n/, '')],
    ['beside a key', 'last\n', 'last\nand a key:\n', (file) => file.replace('last\n', 'last\nand a key:\n')],
    ['behind a key', 'end\n', 'the end\n', (file) => file.replace('end\n', 'the end\n')],
  ])('are made: %s', async (_, oldText, newText, expected) => {
    const scene = new Scene();
    scene.files.set('s', Buffer.from(content));
    expect(await scene.call('surgical_edit', { path: 's', oldText, newText })).not.toMatchObject({ isError: true });
    expect(scene.bytesOf('s')).toBe(expected(content));
  });

  test.each<[string, string, string]>([
    // Any value of such a setting is masked, of the other only what has the form of a token: the edit would tell which it is.
    ['out of a setting that masks any value', GITHUB_LINE, `github-token: "${GITHUB}"`],
    ['a second time', GITHUB_LINE, `A=${GITHUB}\nB=${GITHUB}`],
    ['without its name', MARKED_AWS, MARKED_AWS.replace('SECRET_ACCESS_KEY', 'OTHER')],
    ['with a word behind it that would be masked with it', GITHUB_LINE, `${GITHUB_LINE}abc`],
    ['out of its URL', URL_LINE, `password: ${URL_PASSWORD}`],
  ])('what is masked is not written %s', async (_, oldText, newText) => {
    const scene = new Scene();
    scene.files.set('s', Buffer.from(content));
    expect(await scene.call('surgical_edit', { path: 's', oldText, newText })).toMatchObject({ isError: true });
    expect(scene.bytesOf('s')).toBe(content);
  });
});
