import { describe, expect, it, jest } from '@jest/globals';
import { DEFAULT_CONFIG } from '../../config/schema.ts';
import { DevsError } from '../../errors.ts';
import { silentLogger } from '../../logging/structured-logger.ts';
import { checkSanitizer, createOutputSanitizer, isBuiltInSanitizer, isSafeText, OutputSanitizer, type IOutputSanitizer } from '../output-sanitizer.ts';
import { TRUNCATION_SENTINEL } from '../text.ts';

const SENTINEL = '\n[OUTPUT TRUNCATED - exceeded maxToolOutputBytes limit]';

function sanitizerOf(maxToolOutputBytes: number): OutputSanitizer {
  return createOutputSanitizer({ mcp: { maxToolOutputBytes } });
}

const wide = sanitizerOf(1_000_000);

describe('sanitize(bytes)', () => {
  it.each<[string, number[] | Buffer, string]>([
    ['pure ASCII', Buffer.from('plain text\twith\r\nlines'), 'plain text\twith\r\nlines'],
    ['nothing', [], ''],
    ['a valid multi-byte character', [0xe2, 0x82, 0xac], '€'],
    ['four bytes', [0xf0, 0x9f, 0x98, 0x80], '😀'],
    ['a lone FF', [0xff], '\ufffd'],
    ['a lone FF between letters', [0x61, 0xff, 0x62], 'a\ufffdb'],
    ['only the invalid parts of a mix', [0x61, 0xc3, 0xa9, 0xfe, 0xe2, 0x82, 0xac, 0x80, 0x62], 'aé\ufffd€\ufffdb'],
    ['a character cut short', [0x61, 0xe2, 0x82], 'a\ufffd'],
    ['an overlong slash', [0xc0, 0xaf], '\ufffd\ufffd'],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80], '\ufffd\ufffd\ufffd'],
    ['beyond the last character', [0xf4, 0x90, 0x80, 0x80], '\ufffd\ufffd\ufffd\ufffd'],
    ['a NUL', [0x61, 0x00, 0x62], 'ab'],
    ['NULs alone', [0, 0, 0], ''],
    ['a NUL within a character', [0xe2, 0x00, 0x82], '\ufffd\ufffd'],
  ])('%s', (_name, bytes, expected) => {
    const text = wide.sanitize(Buffer.from(bytes));
    expect(text).toBe(expected);
    expect(JSON.parse(JSON.stringify(text))).toBe(expected);
  });

  it.each<[string, number[], string]>([
    ['UTF-8: dropped', [0xef, 0xbb, 0xbf, 0x61], 'a'],
    ['UTF-8: the first alone', [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 0x61], '\ufeffa'],
    ['UTF-8: not in the middle', [0x61, 0xef, 0xbb, 0xbf], 'a\ufeff'],
    ['UTF-16 LE: honoured', [0xff, 0xfe, 0x61, 0x00, 0xac, 0x20], 'a€'],
    ['UTF-16 LE: alone', [0xff, 0xfe], ''],
    ['UTF-16 LE: a byte over', [0xff, 0xfe, 0x61, 0x00, 0x62], 'a\ufffd'],
    ['UTF-16 LE: a lone surrogate', [0xff, 0xfe, 0x00, 0xd8, 0x61, 0x00], '\ufffda'],
    ['UTF-16 BE: honoured', [0xfe, 0xff, 0x00, 0x61, 0x20, 0xac], 'a€'],
    ['UTF-32 LE: binary', [0xff, 0xfe, 0x00, 0x00, 0x61, 0x00, 0x00, 0x00], '\ufffd\ufffda'],
    ['UTF-32 BE: binary', [0x00, 0x00, 0xfe, 0xff, 0x00, 0x00, 0x00, 0x61], '\ufffd\ufffda'],
  ])('byte order mark, %s', (_name, bytes, expected) => {
    expect(wide.sanitize(Uint8Array.from(bytes))).toBe(expected);
  });

  it('reads a view where it lies, and shared and detached memory', () => {
    expect(wide.sanitize(Buffer.from('abcdef').subarray(2, 4))).toBe('cd');
    expect(wide.sanitize(new Uint8Array(new SharedArrayBuffer(2)).fill(0x61))).toBe('aa');
    const detached = new Uint8Array([0x61]);
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    expect(wide.sanitize(detached)).toBe('');
  });

  const PIECE = 4 * 1024 * 1024;
  it.each<[string, Buffer, number]>([
    ['€', Buffer.from('€'), 1],
    ['€', Buffer.from('€'), 2],
    ['😀', Buffer.from('😀'), 1],
    ['😀', Buffer.from('😀'), 2],
    ['😀', Buffer.from('😀'), 3],
    ['\ufffd', Buffer.from([0xff]), 1],
  ])('keeps %s whole across the border of two pieces (%#)', (expected, character, before) => {
    const bytes = Buffer.concat([Buffer.alloc(PIECE - before, 'a'), character, Buffer.from('z')]);
    const text = sanitizerOf(PIECE * 2).sanitize(bytes);
    expect(text.slice(PIECE - before)).toBe(`${expected}z`);
    expect(text.slice(0, PIECE - before)).toBe('a'.repeat(PIECE - before));
  });

  it('stops reading once the limit is passed, however much is there', () => {
    const bytes = Buffer.alloc(PIECE * 3, 'a');
    expect(sanitizerOf(100).sanitize(bytes)).toBe('a'.repeat(100 - SENTINEL.length) + SENTINEL);
    expect(Buffer.byteLength(sanitizerOf(PIECE * 3 - 1).sanitize(bytes))).toBe(PIECE * 3 - 1);
    expect(sanitizerOf(PIECE * 3).sanitize(bytes)).toHaveLength(PIECE * 3);
  });
});

describe('sanitize(string)', () => {
  it.each([
    ['text: é alone is no UTF-8', 'café', 'café'],
    ['text: beyond one byte', '€', '€'],
    ['text: beyond one byte, beside a byte string', '€\xe2\x82\xac', '€\xe2\x82\xac'],
    ['text: ASCII', 'abc', 'abc'],
    ['text: no C1 and no UTF-8', '\xff', 'ÿ'],
    ['text: no C1 and no UTF-8', '\xff\xfe', 'ÿþ'],
    ['text: 日本', '日本', '日本'],
    ['bytes: UTF-8', '\xe2\x82\xac', '€'],
    ['bytes: UTF-8 of café', 'caf\xc3\xa9', 'café'],
    ['bytes: a C1 unit', 'a\x80b', 'a\ufffdb'],
    ['bytes: a C1 unit beside Latin-1', '\xff\x9b', '\ufffd\ufffd'],
    ['NULs go', 'a\u0000b', 'ab'],
    ['NULs go before pairs are judged', '\ud83d\u0000\ude00', '😀'],
    ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
    ['a pair', '😀', '😀'],
    ['a pair the wrong way round', '\ude00\ud83d', '\ufffd\ufffd'],
    ['nothing', '', ''],
  ])('%s', (_name, input, expected) => {
    expect(wide.sanitize(input)).toBe(expected);
  });
});

describe('sanitizeText', () => {
  it.each([
    ['never decodes again', '\xe2\x82\xac', '\xe2\x82\xac'],
    ['leaves C1 units', '\x9b', '\x9b'],
    ['leaves a mark', '\ufeffa', '\ufeffa'],
    ['drops NULs', 'a\u0000', 'a'],
    ['makes well formed', '\udc00', '\ufffd'],
  ])('%s', (_name, input, expected) => {
    expect(wide.sanitizeText(input)).toBe(expected);
  });
});

describe('the limit', () => {
  it('has the one spelling of the sentinel, in ASCII', () => {
    expect(TRUNCATION_SENTINEL).toBe(SENTINEL);
    expect(SENTINEL).toMatch(/^[\n\x20-\x7e]+$/);
  });

  it.each<[number, string, string]>([
    [0, 'a', ''],
    [0, '', ''],
    [1, 'aa', '\n'],
    [10, 'a'.repeat(11), SENTINEL.slice(0, 10)],
    [SENTINEL.length - 1, 'a'.repeat(99), SENTINEL.slice(0, -1)],
    [SENTINEL.length, 'a'.repeat(99), SENTINEL],
    [SENTINEL.length + 1, 'a'.repeat(99), `a${SENTINEL}`],
    [99, 'a'.repeat(99), 'a'.repeat(99)],
    [99, 'a'.repeat(100), 'a'.repeat(99 - SENTINEL.length) + SENTINEL],
    [3, '€', '€'],
    [2, '€', SENTINEL.slice(0, 2)],
    [SENTINEL.length + 2, '€'.repeat(40), SENTINEL],
    [SENTINEL.length + 3, '€'.repeat(40), `€${SENTINEL}`],
    [SENTINEL.length + 5, '€'.repeat(40), `€${SENTINEL}`],
    [SENTINEL.length + 3, '😀'.repeat(40), SENTINEL],
    [SENTINEL.length + 4, '😀'.repeat(40), `😀${SENTINEL}`],
    [SENTINEL.length + 7, '😀'.repeat(40), `😀${SENTINEL}`],
    [SENTINEL.length + 8, '😀'.repeat(40), `😀😀${SENTINEL}`],
  ])('of %i bytes holds the sentinel too and cuts between characters (%#)', (limit, input, expected) => {
    expect(sanitizerOf(limit).sanitize(Buffer.from(input))).toBe(expected);
    expect(sanitizerOf(limit).sanitizeText(input)).toBe(expected);
  });

  it('is 10 MB by default', () => {
    const text = createOutputSanitizer(DEFAULT_CONFIG).sanitize(Buffer.alloc(10_485_761, 'a'));
    expect(Buffer.byteLength(text)).toBe(10_485_760);
    expect(text.endsWith(SENTINEL)).toBe(true);
    expect(text.startsWith('aaa')).toBe(true);
  });

  it('is warned of in the log, once, and only when something was cut', () => {
    const warn = jest.fn();
    const sanitizer = createOutputSanitizer({ mcp: { maxToolOutputBytes: 60 } }, { logger: { ...silentLogger, warn } });
    sanitizer.sanitize('a'.repeat(60));
    expect(warn).not.toHaveBeenCalled();
    sanitizer.sanitize('a'.repeat(61));
    expect(warn.mock.calls).toEqual([['OUTPUT_TRUNCATED', { limitBytes: 60 }]]);
  });

  it('survives a logger that throws', () => {
    const warn = () => {
      throw new Error('disk full');
    };
    const sanitizer = createOutputSanitizer({ mcp: { maxToolOutputBytes: 1 } }, { logger: { ...silentLogger, warn } });
    expect(sanitizer.sanitize('abc')).toBe('\n');
  });

  it.each([
    ['lowers it', 60, 59, 59],
    ['cannot lift it', 60, 61, 60],
    ['below zero is none', 60, -1, 0],
    ['NaN is none', 60, Number.NaN, 0],
    ['infinity cannot lift it', 60, Number.POSITIVE_INFINITY, 60],
    ['a fraction is cut', 60, 59.9, 59],
  ])('an argument of clean %s', (_name, configured, asked, bytes) => {
    const cleaned = sanitizerOf(configured).clean('a'.repeat(99), asked);
    expect(cleaned.truncated).toBe(true);
    expect(Buffer.byteLength(cleaned.text)).toBe(bytes);
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('cannot be %p', (limit) => {
    const make = () => new OutputSanitizer({ mcp: { maxToolOutputBytes: limit } });
    expect(make).toThrow(DevsError);
    expect(make).toThrow(/CONFIG_INVALID: mcp\.maxToolOutputBytes .* it is /);
  });

  it('tells truncation by a field, not by the text', () => {
    expect(wide.clean(`quoted: ${SENTINEL}`)).toEqual({ text: `quoted: ${SENTINEL}`, truncated: false });
    expect(sanitizerOf(60).maxBytes).toBe(60);
  });
});

describe('decode(raw, maxBytes)', () => {
  it.each<[string, Uint8Array | string, number, string, boolean]>([
    ['NULs and controls stay: who cleans it must see them', 'a\u0000\u001b[2Jb', 100, 'a\u0000\u001b[2Jb', false],
    ['of bytes too', Buffer.from('a\u0000b'), 100, 'a\u0000b', false],
    ['bad bytes are characters', Buffer.from([0x61, 0xff]), 100, 'a\ufffd', false],
    ['halves of pairs are characters', 'a\ud83d', 100, 'a\ufffd', false],
    ['it is cut between characters, without a sentinel', '€€€', 7, '€€', true],
    ['bytes as well', Buffer.from('€€€'), 7, '€€', true],
    ['what fits is not cut', '€€', 6, '€€', false],
    ['the limit may be over the configured one', 'a'.repeat(70), 80, 'a'.repeat(70), false],
  ])('%s', (_name, raw, maxBytes, text, truncated) => {
    expect(sanitizerOf(60).decode(raw, maxBytes)).toEqual({ text, truncated });
  });

  it.each<[string, unknown]>([
    ['no text', 7],
    ['nothing', undefined],
    ['bytes that throw when they are read', new Proxy(new Uint8Array(3), {})],
    ['bytes with a length of their own', Object.defineProperty(new Uint8Array(3), 'length', { get: () => { throw new Error('raw'); } })],
  ])('never throws: %s', (_name, raw) => {
    expect(wide.decode(raw as Uint8Array, 10)).toEqual({ text: '[OUTPUT WITHHELD: neither text nor bytes]', truncated: false });
  });
});

describe('the built-in sanitizer', () => {
  class Louder extends OutputSanitizer {
    override sanitize(raw: Uint8Array | string): string {
      return super.sanitize(raw).toUpperCase();
    }
  }
  const config = { mcp: { maxToolOutputBytes: 100 } };

  it('is known as such, and so is a subclass that replaces nothing', () => {
    class Named extends OutputSanitizer {}
    expect(isBuiltInSanitizer(wide)).toBe(true);
    expect(isBuiltInSanitizer(new Named(config))).toBe(true);
  });

  it.each<[string, IOutputSanitizer]>([
    ['of a subclass', new Louder(config)],
    ['on the object', Object.assign(sanitizerOf(100), { decode: () => ({ text: 'mine', truncated: false }) })],
    ['by an object of its own', { sanitize: String, isSafeForJSON: () => true }],
  ])('is not, with a method replaced: %s', (_name, sanitizer) => {
    expect(isBuiltInSanitizer(sanitizer)).toBe(false);
  });
});

describe('an object that is to be a sanitizer', () => {
  it.each<[string, IOutputSanitizer]>([
    ['the built-in one', wide],
    ['two methods', { sanitize: String, isSafeForJSON: () => true }],
    ['three methods', { sanitize: String, isSafeForJSON: () => true, sanitizeText: (text: string) => text }],
  ])('is taken: %s', (_name, sanitizer) => {
    expect(() => checkSanitizer(sanitizer)).not.toThrow();
  });

  it.each<[string, object]>([
    ['sanitize', { isSafeForJSON: () => true }],
    ['isSafeForJSON', { sanitize: String }],
    ['sanitizeText', { sanitize: String, isSafeForJSON: () => true, sanitizeText: 'no function' }],
  ])('is refused, by name of what is missing: %s', (method, sanitizer) => {
    expect(() => checkSanitizer(sanitizer as IOutputSanitizer)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(`no method ${method}:`) }),
    );
  });
});

it('what is known of a text counts for this text alone', () => {
  expect(isSafeText('a\u0007b', { text: 'a\u0007b', kinds: 0 })).toBe(true);
  expect(isSafeText('a\u0007b', { text: 'another', kinds: 0 })).toBe(false);
  expect(isSafeText('a\ud800', { text: 'a\ud800', kinds: 0 })).toBe(false);
});
