import { chmod, mkdtemp, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseHttpAddress } from '../commands/http-address.ts';
import { locateState, prepareState } from '../state/state-folder.ts';
import { clientSnippets } from '../terminal/client-snippets.ts';
import { printable, printableLine, toJsonText } from '../terminal/terminal.ts';

describe('parseHttpAddress', () => {
  it.each([
    ['7337', { host: '127.0.0.1', port: 7337 }],
    ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    ['localhost:80', { host: '127.0.0.1', port: 80 }],
    ['LocalHost:80', { host: '127.0.0.1', port: 80 }],
    ['[::1]:7337', { host: '::1', port: 7337 }],
  ])('understands %s', (text, expected) => {
    expect(parseHttpAddress(text)).toEqual(expected);
  });

  it.each(['', 'x', '-1', '1.5', '65536', ':7337', '::1:7337', '127.0.0.1', 'evil.example:1', 'localhost.evil.example:1', '0.0.0.0:1', '[::]:1', '127.0.0.1 :1'])(
    'does not take %j',
    (text) => {
      expect(() => parseHttpAddress(text)).toThrow();
    },
  );
});

describe('printable', () => {
  it.each([
    ['plain text\n\tstays: äöü 日本 👍', 'plain text\n\tstays: äöü 日本 👍'],
    ['\u001b[31mred', '\\u{1b}[31mred'],
    ['\u009b31m', '\\u{9b}31m'],
    ['over\rwrite', 'over\\u{d}write'],
    ['\u202egnp.exe', '\\u{202e}gnp.exe'],
    ['tag\u{e0041}', 'tag\\u{e0041}'],
  ])('shows %j as %j', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  it.each([0x3164, 0x115f, 0x34f, 0xfe0f, 0x2800, 0xa0, 0x2003, 0x3000, 0x180e, 0xe0041, 0xe0100, 0xf0000])(
    'spells code point %i out wherever it stands, also as JSON of the same value',
    (point) => {
      const character = String.fromCodePoint(point);
      const text = `rm${character} 日本👍${character}${character}x`;
      expect(printable(text)).toBe(text.replaceAll(character, `\\u{${point.toString(16)}}`));
      expect(toJsonText({ text })).not.toContain(character);
      expect(JSON.parse(toJsonText({ text }))).toEqual({ text });
    },
  );

  it('keeps a line one line', () => {
    expect(printableLine('a\nb\tc')).toBe('a\\nb\\tc');
  });
});

describe('the state folder', () => {
  it('lies outside the root, and tells roots of one name apart', () => {
    const environment = { XDG_STATE_HOME: '/state' };
    const one = locateState('/a/shop', environment).path;
    expect(one).toMatch(/^\/state\/devs\/shop-[0-9a-f]{16}$/);
    expect(locateState('/b/shop', environment).path).not.toBe(one);
    expect(locateState('/a/shop', environment).path).toBe(one);
  });

  it.each([
    [{ DEVS_STATE_DIR: '/named', XDG_STATE_HOME: '/state' }, /^\/named$/],
    [{ XDG_STATE_HOME: 'relative' }, /\.local\/state\/devs\//],
    [{ DEVS_STATE_DIR: '', XDG_STATE_HOME: '' }, /\.local\/state\/devs\//],
  ])('follows %j', (environment, expected) => {
    expect(locateState('/a/shop', environment).path).toMatch(expected);
  });

  it('makes a name of any folder name', () => {
    const { path: folder } = locateState('/a/../b c\n☃', { XDG_STATE_HOME: '/state' });
    expect(path.basename(folder)).toMatch(/^[A-Za-z0-9._-]+$/);
  });

  it('is refused when others may enter it, or when it is a link', async () => {
    const place = await mkdtemp(path.join(os.tmpdir(), 'devs-state-'));
    const environment = { DEVS_STATE_DIR: path.join(place, 'state') };
    await prepareState(locateState('/a', environment));
    await chmod(environment.DEVS_STATE_DIR, 0o755);
    await expect(prepareState(locateState('/a', environment))).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
    await chmod(environment.DEVS_STATE_DIR, 0o700);
    await symlink(environment.DEVS_STATE_DIR, path.join(place, 'link'));
    const linked = locateState('/a', { DEVS_STATE_DIR: path.join(place, 'link') });
    await expect(prepareState(linked)).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
    await rm(place, { recursive: true });
  });
});

describe('clientSnippets', () => {
  const connection = { url: 'http://127.0.0.1:7337/mcp', tokenFile: "/home/o'neil/state/token" };

  it('are JSON that names the variable, and a shell line that survives a quote in the path', () => {
    const lines = clientSnippets(connection);
    const snippets = lines.filter((line) => line.startsWith('  {'));
    expect(snippets).toHaveLength(3);
    const named = snippets.map((snippet) => /Bearer (\$\{[^}]+\})/.exec(JSON.stringify(JSON.parse(snippet)))?.[1]);
    expect(named).toEqual(['${DEVS_TOKEN}', '${env:DEVS_TOKEN}', '${input:devs-token}']);
    expect(lines[1]).toBe(`  export DEVS_TOKEN="$(cat '/home/o'\\''neil/state/token')"`);
  });

  it('carry no header when no token is asked for', () => {
    expect(clientSnippets({ ...connection, tokenFile: undefined }).join('\n')).not.toMatch(/TOKEN|Authorization/);
  });
});
