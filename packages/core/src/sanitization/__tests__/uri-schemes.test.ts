import { describe, expect, it } from '@jest/globals';
import { toCleanUri, toSafeUri } from '../results/links.ts';

describe('a name that a server makes up', () => {
  it.each([
    'javascript', 'livescript', 'vbscript', 'data', 'blob', 'about', 'filesystem', 'view-source', 'jar', 'chrome', 'chrome-extension', 'edge', 'opera', 'brave', 'moz-extension', 'intent',
    'android-app', 'itms', 'itms-apps', 'ms-word', 'search-ms', 'shell', 'vscode', 'vscode-insiders', 'cursor', 'windsurf', 'jetbrains', 'skype', 'zoommtg', 'steam', 'mailto', 'tel', 'sms',
    'facetime', 'facetime-audio', 'ssh', 'ftp', 'ftps', 'sftp', 'telnet', 'rlogin', 'smb', 'cifs', 'nfs', 'afp', 'ldap', 'ldaps', 'rdp', 'vnc', 'ws', 'wss',
  ])('is not one of a program: %s', (scheme) => {
    expect(toSafeUri(`${scheme}://host/a`)).toBeUndefined();
    expect(toSafeUri(`${scheme.toUpperCase()}://host/a`)).toBeUndefined();
    expect(toSafeUri(`x${scheme}x://host/a`)).toBe(`x${scheme}x://host/a`);
  });
});

describe('a URI', () => {
  it('has 2,048 characters at most, also once its characters are escaped', () => {
    const [web, own] = ['https://example.com/', 'memo://'];
    for (const start of [web, own]) {
      expect(toSafeUri(start.padEnd(2_048, 'a'))).toBe(start.padEnd(2_048, 'a'));
      expect(toSafeUri(start.padEnd(2_049, 'a'))).toBeUndefined();
    }
    expect(toSafeUri(`${web}${'ä'.repeat(338)}`)?.length).toBe(web.length + 338 * 6);
    expect(toSafeUri(`${web}${'ä'.repeat(339)}`)).toBeUndefined();
  });

  it.each([
    'https://user:@example.com/', 'https://:pass@example.com/', 'memo://user@host/a', 'https:example.com', 'file:/etc/hosts', 'file://host/a', 'https://example.com/a|b', 'https://example.com/a^b',
    'https://example.com/a`b', 'https://example.com/{a}', 'https://example.com/\u00a0', 'https://example.com/%zz',
  ])('is not passed on: %j', (uri) => expect(toSafeUri(uri)).toBeUndefined());

  it('is clean as it is written and as it is read', () => {
    const isClean = (text: string) => !text.includes('TOKEN') && !text.includes('%41');
    expect(toCleanUri('https://example.com/a', isClean)).toBe('https://example.com/a');
    expect(toCleanUri('https://example.com/TOKEN', isClean)).toBeUndefined();
    expect(toCleanUri('https://example.com/%54OKEN', isClean)).toBeUndefined();
    expect(toCleanUri('https://example.com/%41', isClean)).toBeUndefined();
    expect(toCleanUri('https://example.com/%ff', isClean)).toBeUndefined();
    expect(toCleanUri('javascript:alert(1)', isClean)).toBeUndefined();
  });
});
