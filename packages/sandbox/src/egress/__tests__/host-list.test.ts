import { expect, test } from '@jest/globals';
import { hostOf, parseHost } from '../host.ts';
import { HostList, isHostPattern } from '../host-list.ts';

test.each([
  ['example.com', true],
  ['EXAMPLE.com', true],
  ['example.com.', true],
  ['bücher.example', true],
  ['*.example.com', true],
  ['*.com', true],
  ['*', true],
  ['example.com:80', true],
  ['example.com:443', true],
  ['*.example.com:443', true],
  ['93.184.216.34', true],
  ['[2606:4700::1111]', true],
  ['[2606:4700::1111]:443', true],
  // Ports that are never dialled.
  ['example.com:22', false],
  ['example.com:8080', false],
  ['example.com:', false],
  ['example.com:0443', false],
  // What could never be reached.
  ['localhost', false],
  ['127.0.0.1', false],
  ['0x7f.1', false],
  ['2130706433', false],
  ['169.254.169.254', false],
  ['[::1]', false],
  ['[::ffff:93.184.216.34]', false],
  ['10.0.0.1', false],
  ['*.93.184.216.34', false],
  // No host, or more than one.
  ['', false],
  ['.', false],
  ['*.', false],
  ['**', false],
  ['a.*.com', false],
  ['*example.com', false],
  ['*.*.com', false],
  ['https://example.com', false],
  ['example.com/path', false],
  ['user@example.com', false],
  ['example.com?x', false],
  ['example.com#x', false],
  ['example.com\\x', false],
  ['exa mple.com', false],
  ['exa%2emple.com', false],
  ['exam\tple.com', false],
  ['example..com', false],
  ['example.com..', false],
  ['.example.com', false],
  ['-a.example.com', false],
  ['a,b.com', false],
  [`${'a'.repeat(64)}.com`, false],
  [`${'a.'.repeat(130)}com`, false],
  ['2606:4700::1111', false],
  ['[fe80::1%25eth0]', false],
])('is %j a pattern of hosts: %j', (pattern, expected) => {
  expect(isHostPattern(pattern)).toBe(expected);
});

test.each([
  [['example.com'], 'https://example.com/', true],
  [['example.com'], 'https://EXAMPLE.COM./', true],
  [['example.com'], 'https://ｅxample。com/', true],
  [['example.com'], 'https://exa%6Dple.com/', true],
  [['bücher.example'], 'https://xn--bcher-kva.example/', true],
  [['example.com'], 'https://www.example.com/', false],
  [['example.com'], 'https://example.com.evil.example/', false],
  [['example.com'], 'https://evilexample.com/', false],
  [['example.com'], 'https://example.com@evil.example/', false],
  [['example.com'], 'https://evil.example\\@example.com/', false],
  [['example.com'], 'https://evil.example#@example.com/', false],
  // Cyrillic letters that look the same.
  [['example.com'], 'https://ехample.com/', false],
  [['*.example.com'], 'https://a.example.com/', true],
  [['*.example.com'], 'https://a.b.c.example.com/', true],
  [['*.example.com'], 'https://example.com/', false],
  [['*.example.com'], 'https://aexample.com/', false],
  [['example.com:443'], 'https://example.com/', true],
  [['example.com:443'], 'http://example.com/', false],
  [['*'], 'https://anything.example/', true],
  [['*'], 'https://localhost/', false],
  [['*'], 'https://93.184.216.34/', false],
  [['*'], 'http://127.0.0.1/', false],
  [['93.184.216.34'], 'https://93.184.216.34/', true],
  [['93.184.216.34'], 'https://0x5d.0xb8d822/', true],
  [['93.184.216.34'], 'https://1572395042/', true],
  [['93.184.216.34'], 'https://93.184.216.35/', false],
  [['93.184.216.34'], 'https://[::ffff:93.184.216.34]/', false],
  [['[2606:4700::1111]'], 'https://[2606:4700:0:0::1111]/', true],
  [['127.0.0.1', '[::1]', 'localhost'], 'http://127.0.0.1/', false],
  [['127.0.0.1', '[::1]', 'localhost'], 'http://localhost/', false],
  [[], 'https://example.com/', false],
])('%j allows %j: %j', (patterns, text, expected) => {
  const url = new URL(text);
  const host = hostOf(url);
  expect(host !== undefined && new HostList(patterns).allows(host, url.protocol === 'http:' ? 80 : 443)).toBe(expected);
});

test('a host is read by itself: what begins another part of a URL is no part of it', () => {
  for (const part of ['/', '?', '#', '@', '\\', ':', '%', ' ', '\t', '\n', '\u0000', '\u00ad', '\u200b', '[', ']']) {
    expect(parseHost(`example${part}.com`)).toBeUndefined();
    expect(parseHost(`example.com${part}`)).toBeUndefined();
  }
  expect(parseHost('Example.COM')).toEqual({ name: 'example.com', isAddress: false });
});
