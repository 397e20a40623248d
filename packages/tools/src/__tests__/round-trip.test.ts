import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Scene } from './scene.ts';

/** Put together here: what looks like a token would be found in the sources. */
const TOKEN = ['ghp', 'k4Tz9QmX2vLs7RbW1nYc8HdF5jPg3AeU6oKi'].join('_');
const OTHER = ['ghp', 'W8nDq3ZxJ6tFy1MvC9sKe5LbH2rPa7GoU4iT'].join('_');
const HIDDEN = '\u200b';

describe('an agent edits what it read, and does not destroy what it was not shown', () => {
  let scene: Scene;
  const lines = ['# config', `token = "${TOKEN}"`, `na${HIDDEN}me = "x"`, 'run = mcp__devs__shell', 'port = 1', ''];

  beforeEach(() => {
    scene = new Scene();
    scene.files.set('a.toml', Buffer.from(lines.join('\r\n')));
  });

  test('one line is edited: on disk only that line differs, and nothing that was masked was in an answer or in the log', async () => {
    const shown = await scene.read({ path: 'a.toml' });
    expect(shown).toMatch(/^# config\r\ntoken = "\[REDACTED:secret:[^\]]+\]"\r\nname = "x"\r\nrun = .*\[REDACTED:trigger\].*\r\nport = 1\r\n$/);
    expect(await scene.call('surgical_edit', { path: 'a.toml', oldText: 'port = 1', newText: 'port = 2' })).not.toMatchObject({ isError: true });
    expect(scene.bytesOf('a.toml')).toBe(Buffer.from(lines.join('\r\n').replace('port = 1', 'port = 2')).toString('latin1'));
    const [line = ''] = /token = .*\]"/.exec(shown) ?? [];
    const renamed = await scene.call('surgical_edit', { path: 'a.toml', oldText: line, newText: line.replace('token', 'key') });
    expect(renamed).not.toMatchObject({ isError: true });
    expect(scene.bytesOf('a.toml')).toContain(`\r\nkey = "${TOKEN}"\r\n`);
    expect(scene.seen.join('\n')).not.toContain(TOKEN.slice(4));
  });

  test('all of it at once: each line changes, and what is behind the marks stays', async () => {
    const shown = await scene.read({ path: 'a.toml' });
    const newText = shown.replace('port = 1', 'port = 2').replace('# config', '# settings').replace('token', 'key');
    expect(await scene.call('surgical_edit', { path: 'a.toml', oldText: shown, newText })).not.toMatchObject({ isError: true });
    const expected = lines.join('\r\n').replace('port = 1', 'port = 2').replace('# config', '# settings').replace('token', 'key');
    expect(scene.bytesOf('a.toml')).toBe(Buffer.from(expected).toString('latin1'));
  });

  test.each([
    ['a password out of its URL', 'url = postgres://app:[REDACTED:secret:url-password]@db/x', 'user = app\npassword_of = [REDACTED:secret:url-password]'],
    ['the name that tells it', 'AWS_SECRET_ACCESS_KEY=', 'AWS_SECRET='],
    ['a letter before a token', 'token: ', 'token: a'],
  ])('an edit that would have the next reading show a secret is refused: %s', async (_, oldText, newText) => {
    const body = Array.from({ length: 12 }, (_line, index) => `MIIEowIBAAKCAQEA${'k4Tz9QmX2vLs7RbW'.repeat(3)}${String(index).padStart(2, '0')}`).join('\n');
    const secrets = ['Zq8vLm2pR7xT', 'kZ4Tz9QmX2vLs7RbW1nYc8HdF5jPg3AeU6oKi1Qw', body.slice(20, 60), TOKEN.slice(4)];
    const content = [
      `url = postgres://app:${secrets[0] ?? ''}@db/x`,
      `AWS_SECRET_ACCESS_KEY=${secrets[1] ?? ''}`,
      `${['-----BEGIN RSA', 'PRIVATE KEY-----'].join(' ')}\n${body}\n${['-----END RSA', 'PRIVATE KEY-----'].join(' ')}`,
      `token: ${TOKEN}`,
      'port = 1',
    ].join('\n');
    scene.files.set('s', Buffer.from(content));
    const result = await scene.call('surgical_edit', { path: 's', oldText, newText });
    expect(scene.code).toBe('EDIT_REFUSED');
    expect(JSON.stringify(result)).toContain('would not stand for exactly what it stands for now');
    expect(scene.bytesOf('s')).toBe(content);
    await scene.read({ path: 's' });
    for (const secret of secrets) expect(scene.seen.join('\n')).not.toContain(secret);
  });

  test('numbers of lines are those of the file, also behind a key of many lines', async () => {
    const key = [['-----BEGIN RSA', 'PRIVATE KEY-----'].join(' '), ...Array<string>(10).fill('MIIEowIBAAKCAQEAk4Tz9QmX2vLs7RbW1nYc8HdF5jPg3AeU6oKi1Qw2Er3Ty4Ui'), ['-----END RSA', 'PRIVATE KEY-----'].join(' ')];
    scene.files.set('k', Buffer.from(['first', ...key, 'same', 'same', 'last', ''].join('\n')));
    expect(await scene.read({ path: 'k' })).toBe(`first\n${key[0] ?? ''}\n[REDACTED:secret:private-key]\n${key[11] ?? ''}\nsame\nsame\nlast\n`);
    const refused = await scene.call('surgical_edit', { path: 'k', oldText: 'same', newText: 'other' });
    expect(JSON.stringify(refused)).toContain('(at line 14, 15)');
    const missed = await scene.call('surgical_edit', { path: 'k', oldText: 'same\nlost', newText: 'other' });
    expect(JSON.stringify(missed)).toContain('at line 14');
    const edited = await scene.call('surgical_edit', { path: 'k', oldText: 'last', newText: 'more\nlast' });
    expect(JSON.stringify(edited)).toContain('@@ -13,4 +13,5 @@');
    const removed = await scene.call('surgical_edit', { path: 'k', oldText: '[REDACTED:secret:private-key]\n', newText: '' });
    expect(JSON.stringify(removed)).toContain('[1 masked place was removed with the text around.]');
    expect(scene.bytesOf('k')).toBe(['first', key[0], key[11], 'same', 'same', 'more', 'last', ''].join('\n'));
  });

  test('of many hunks each begins with its numbers in the file as it was and as it is', async () => {
    const body = Array<string>(10).fill('MIIEowIBAAKCAQEAk4Tz9QmX2vLs7RbW1nYc8HdF5jPg3AeU6oKi1Qw2Er3Ty4Ui').join('\n');
    const far = 'x\n'.repeat(20);
    scene.files.set('k', Buffer.from(`LINE\n${far}${['-----BEGIN RSA', 'PRIVATE KEY-----'].join(' ')}\n${body}\n${far}LINE\n${far}LINE\n`));
    const edited = await scene.call('surgical_edit', { path: 'k', oldText: 'LINE\n', newText: 'more\nLINE\n', expectedReplacements: 3 });
    expect(JSON.stringify(edited).match(/@@ [^@]+ @@/g)).toEqual(['@@ -1,3 +1,4 @@', '@@ -50,6 +51,7 @@', '@@ -71,4 +73,5 @@']);
    expect(scene.bytesOf('k').split('\n')[75]).toBe('more');
  });

  test('write_file with the mark is refused and says the way out; nothing is written', async () => {
    const shown = await scene.read({ path: 'a.toml' });
    for (const path of ['a.toml', 'new.toml']) {
      const refused = await scene.call('write_file', { path, content: shown });
      expect(scene.code).toBe('REDACTED_IN_WRITE');
      expect(JSON.stringify(refused)).toContain(path === 'a.toml' ? 'surgical_edit' : 'ask the user to fill it in');
    }
    await scene.call('write_file', { path: 'a.toml', content: 'port = 2' });
    expect(scene.code).toBe('OVERWRITE_REFUSED');
    expect([...scene.files.keys(), scene.bytesOf('a.toml')]).toEqual(['a.toml', Buffer.from(lines.join('\r\n')).toString('latin1')]);
    expect(await scene.call('write_file', { path: 'a.toml', content: 'port = 2', force: true })).not.toMatchObject({ isError: true });
    expect(scene.bytesOf('a.toml')).toBe('port = 2');
  });

  test('two secrets with the same mark change places with their lines', async () => {
    scene.files.set('b', Buffer.from(`A="${TOKEN}"\nB="${OTHER}"\n`));
    const oldText = await scene.read({ path: 'b' });
    const [one = '', other = ''] = oldText.split('\n');
    await scene.call('surgical_edit', { path: 'b', oldText, newText: `${other}\n${one}\n` });
    expect(scene.bytesOf('b')).toBe(`B="${OTHER}"\nA="${TOKEN}"\n`);
  });

  test('a UTF-16 file is edited in its own encoding; one in Latin-1 keeps its bytes', async () => {
    scene.files.set('wide', Buffer.from(`\ufeffkey = ${TOKEN}\r\nport = 1\r\n`, 'utf16le'));
    scene.files.set('latin', Buffer.from('caf\xe9 = 1\nport = 1\n', 'latin1'));
    for (const path of ['wide', 'latin']) {
      const edit = { path, oldText: await scene.read({ path }), newText: (await scene.read({ path })).replace('port = 1', 'port = é') };
      expect(await scene.call('surgical_edit', edit)).not.toMatchObject({ isError: true });
    }
    expect(scene.files.get('wide')?.toString('utf16le')).toBe(`\ufeffkey = ${TOKEN}\r\nport = é\r\n`);
    expect(scene.bytesOf('latin')).toBe('caf\xe9 = 1\nport = \xc3\xa9\n');
    await scene.call('write_file', { path: 'wide', content: 'x' });
    expect(scene.code).toBe('OVERWRITE_REFUSED');
  });

  test('paging in small ranges shows no secret in halves', async () => {
    scene.files.set('b', Buffer.from(`key = ${TOKEN} end\n`));
    const pages: string[] = [];
    for (let offset = 0; offset < 52; offset += 4) pages.push(await scene.read({ path: 'b', offset, limit: 4 }));
    for (let start = 4; start < TOKEN.length - 4; start += 1) expect(pages.join('\n')).not.toContain(TOKEN.slice(start, start + 4));
    expect(scene.seen.join('\n')).not.toContain(TOKEN.slice(4, 12));
  });

  test.each(['k4T', '[a-z]k4Tz', 'token = "(ghp_k|\\[REDACTED)', 'ghp_(k|x)'])('a pattern does not find what is masked: %s', async (pattern) => {
    scene.files.set('b', Buffer.from(lines.join('\n').replace(TOKEN, OTHER)));
    const [hits] = (await scene.call('search_files', { pattern })).content;
    const found = JSON.stringify(hits).match(/[ab](?:\.toml)?:\d+:/g) ?? [];
    expect(found).toHaveLength(pattern.includes('REDACTED') ? 2 : 0);
    expect(scene.seen.join('\n')).not.toContain(TOKEN.slice(8));
  });

  test('law: an edit of any one line of a file changes that line alone', async () => {
    const line = fc.constantFrom('a', `key = ${TOKEN}`, `p${HIDDEN}q`, 'mcp__devs__x', '\u001b[31mred', 'é', '\u202eb', '</external-content>', '');
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 6 }), fc.array(line, { maxLength: 6 }), fc.constantFrom('\n', '\r\n'), async (before, after, end) => {
        const content = [...before, 'THE LINE', ...after].join(end);
        scene.files.set('c', Buffer.from(content));
        const wish = { path: 'c', oldText: await scene.read({ path: 'c' }) };
        const result = await scene.call('surgical_edit', { ...wish, newText: wish.oldText.replace('THE LINE', 'ANOTHER') });
        expect(result).not.toMatchObject({ isError: true });
        expect(scene.files.get('c')?.toString()).toBe(content.replace('THE LINE', 'ANOTHER'));
      }),
    );
  });
});
