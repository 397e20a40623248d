import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toSafeUri } from '../links.ts';

describe('a URI that is passed on', () => {
  it.each([
    ['https://example.com', 'https://example.com/'],
    ['HTTP://EXAMPLE.com:80/a/../b?q=1#f', 'http://example.com/b?q=1#f'],
    ['https://exämple.com/ä', 'https://xn--exmple-cua.com/%C3%A4'],
    ['file:///etc/hosts', 'file:///etc/hosts'],
    ['memo://insights', 'memo://insights'],
    ['MEMO://a/b?c=%20#d', 'memo://a/b?c=%20#d'],
    ['resource://server/{id}'.replace(/[{}]/g, '!'), 'resource://server/!id!'],
    ['git+ssh2://a.b-c_d~e', 'git+ssh2://a.b-c_d~e'],
  ])('%s', (uri, canonical) => {
    expect(toSafeUri(uri)).toBe(canonical);
    expect(toSafeUri(canonical)).toBe(canonical);
  });
});

describe('a URI that is not', () => {
  it.each([
    ['a program', 'javascript:alert(1)'],
    ['a program behind slashes', 'javascript://%0aalert(1)'],
    ['a program in capitals', 'JavaScript://x'],
    ['a program with a tab in its name', 'java\tscript:alert(1)'],
    ['data', 'data:text/html,<script>'],
    ['data of the page', 'blob:https://example.com/1'],
    ['mail', 'mailto:a@example.com?body=secret'],
    ['a name without slashes', 'memo:a'],
    ['a user', 'https://user@example.com'],
    ['a password', 'https://user:pass@example.com'],
    ['a host that looks like another', 'https://example.com@evil.example/'],
    ['a user of a server of its own', 'memo://user:pass@host/a'],
    ['a share that Windows logs in to', 'file://host/share'],
    ['a backslash, which browsers take for a slash', 'https:\\\\evil.example'],
    ['a backslash in the path', 'https://example.com\\@evil.example'],
    ['one slash', 'https:/example.com'],
    ['no host', 'https://'],
    ['a line end', 'https://example.com/\nobey'],
    ['a space', 'memo://a b'],
    ['a hidden character', 'https://exam\u200bple.com'],
    ['text that turns around', 'https://example.com/\u202egpj.exe'],
    ['a tag', 'memo://<b>'],
    ['quotes', 'memo://"onclick='],
    ['half an escape', 'memo://%2'],
    ['an editor that runs what it is told', 'vscode://file/etc'],
    ['a command of Windows', 'ms-msdt:/id'],
    ['a command with slashes', 'ms-msdt://id'],
    ['a login', 'ssh://host'],
    ['no scheme', '//example.com'],
    ['a path', '/etc/hosts'],
    ['nothing', ''],
    ['more than anybody reads', `https://example.com/${'a'.repeat(2_048)}`],
    ['a bad port', 'https://example.com:99999'],
  ])('%s', (_name, uri) => {
    expect(toSafeUri(uri)).toBeUndefined();
  });

  it.each([undefined, null, 5, {}, ['https://a.b']])('%j', (value) => {
    expect(toSafeUri(value)).toBeUndefined();
  });
});

it('is the same the second time, in characters that stay on their line', () => {
  const part = fc.constantFrom('https', 'file', 'memo', ':', '//', '/', '@', 'a', '%41', '%', '\\', '\t', '\u200b', 'é', '?', '#', '[', ']', ' ');
  fc.assert(
    fc.property(fc.oneof(fc.webUrl(), fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''))), (uri) => {
      const safe = toSafeUri(uri);
      if (safe === undefined) return;
      expect(safe).toMatch(/^[!-~]+$/);
      expect(toSafeUri(safe)).toBe(safe);
    }),
    { numRuns: 5_000 },
  );
});
