import { describe, expect, it } from '@jest/globals';
import { createOutputSanitizer } from '../output-sanitizer.ts';
import { C0 } from '../unit-kinds.ts';

const sanitizer = createOutputSanitizer({ mcp: { maxToolOutputBytes: 1_000 } });

describe('isSafeForJSON', () => {
  it.each([
    ['nothing', '', true],
    ['text', 'plain text, café, 日本, 😀', true],
    ['tab, line feed, carriage return', '\t\n\r', true],
    ['DEL and C1', '\u007f\u0080\u009f', true],
    ['separators', '\u2028\u2029', true],
    ['the replacement character', '\ufffd', true],
    ['a lone high surrogate', 'a\ud800', false],
    ['a lone low surrogate', '\udfffa', false],
    ['a pair the wrong way round', '\ude00\ud83d', false],
    ['a pair and a half', '😀\ud83d', false],
    ['NUL', '\u0000', false],
    ['escape', '\u001b[31m', false],
  ])('%s', (_name, text, expected) => {
    expect(sanitizer.isSafeForJSON(text)).toBe(expected);
    // A regular expression with memory would say something else the second time.
    expect(sanitizer.isSafeForJSON(text)).toBe(expected);
  });

  it('refuses each C0 control but three', () => {
    const safe = Array.from({ length: 32 }, (_, code) => code).filter((code) =>
      sanitizer.isSafeForJSON(`a${String.fromCharCode(code)}b`),
    );
    expect(safe).toEqual([9, 10, 13]);
  });
});

describe('isSafeForJSON, of a text that somebody has looked at', () => {
  it('believes what is known of this text, and nothing of another', () => {
    expect(sanitizer.isSafeForJSON('a', { text: 'a', kinds: 0 })).toBe(true);
    expect(sanitizer.isSafeForJSON('a', { text: 'a', kinds: C0 })).toBe(false);
    expect(sanitizer.isSafeForJSON('a\u0001', { text: 'a', kinds: 0 })).toBe(false);
    expect(sanitizer.isSafeForJSON('a\ud800', { text: 'a\ud800', kinds: 0 })).toBe(false);
  });
});

describe('what is neither text nor bytes, from JavaScript', () => {
  const revoked = Proxy.revocable(new Uint8Array(1), {});
  revoked.revoke();
  it.each<[string, unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['a number', 42],
    ['an object', { toString: () => 'x' }],
    ['an array of bytes', [0x61]],
    ['a symbol', Symbol('x')],
    ['a bigint', 1n],
    ['a function', () => 'x'],
    ['a string object', Object('x')],
    ['an ArrayBuffer', new ArrayBuffer(4)],
    ['a DataView', new DataView(new ArrayBuffer(4))],
    ['other units', new Uint16Array(2)],
    ['a forged Uint8Array', Object.create(Uint8Array.prototype)],
    ['bytes that throw', Object.defineProperty(new Uint8Array(2), 'length', { get: () => { throw new Error('x'); } })],
    ['a proxy of bytes', new Proxy(new Uint8Array(2), {})],
    ['a revoked proxy', revoked.proxy],
    ['JSON of a Buffer', Buffer.from('a').toJSON()],
  ])('%s is said to be withheld, and nothing throws', (_name, input) => {
    const notice = '[OUTPUT WITHHELD: neither text nor bytes]';
    expect(sanitizer.sanitize(input as string)).toBe(notice);
    expect(sanitizer.sanitizeText(input as string)).toBe(notice);
    expect(createOutputSanitizer({ mcp: { maxToolOutputBytes: 3 } }).sanitize(input as string)).toBe('\n[O');
  });
});
