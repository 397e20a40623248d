import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { OutputConfig } from '../../config/output-config.ts';
import { contentSize, sanitizeOutput, validateJsonOutput, wasTruncated } from '../sanitize-output.ts';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('sanitizeOutput (seed 002)', () => {
  it.each<[string, string | Uint8Array, Partial<OutputConfig>, string, boolean]>([
    ['plain', 'hello\n', {}, 'hello\n', false],
    ['nothing', '', {}, '', false],
    ['bytes', Buffer.from('h\u00e9llo'), {}, 'h\u00e9llo', false],
    ['bad bytes', Buffer.from([0x61, 0xff, 0x62]), {}, 'a\ufffdb', false],
    ['a lone surrogate', 'a\ud800b', {}, 'a\ufffdb', false],
    ['colours and NULs', '\u001b[31mred\u001b[0m\u0000', {}, 'red', false],
    ['controls shown', '\u001b[1m\u0000', { stripControlChars: false, stripNullBytes: false }, '\u241b[1m\u2403\u2400', false],
    ['hidden words', 'a\u200bb', {}, 'ab', false],
    ['10 NULs', `${'\u0000'.repeat(10)}abc`, {}, 'abc', false],
    ['exactly the limit', 'a'.repeat(10), { maxSizeBytes: 10 }, 'a'.repeat(10), false],
    ['over the limit', 'a'.repeat(50), { maxSizeBytes: 20 }, `${'a'.repeat(8)}\n[truncated]`, true],
    ['over the default limit', 'a'.repeat(102_401), {}, `${'a'.repeat(102_388)}\n[truncated]`, true],
    ['a limit smaller than the message', 'a'.repeat(50), { maxSizeBytes: 4 }, '[tru', true],
    ['a limit of nothing', 'a', { maxSizeBytes: 0 }, '', true],
    ['head and tail', 'h'.repeat(50) + 't'.repeat(50), { maxSizeBytes: 60, strategy: 'head-and-tail' }, `${'h'.repeat(36)}\n[truncated]\n${'t'.repeat(11)}`, true],
    ['text that quotes the message', 'it says [truncated]', {}, 'it says [truncated]', false],
    ['binary that is to be replaced', Buffer.from('\u007fELF\u0000\u0001', 'latin1'), { onBinary: 'replace' }, 'ELF', false],
    ['JSON of 50 levels', nested(50), { validateJson: true }, nested(50), false],
  ])('%s', (_name, input, config, text, truncated) => {
    const result = sanitizeOutput(input, config);
    expect(result).toMatchObject({ ok: true, text, truncated });
    expect(wasTruncated(result)).toBe(truncated);
    expect(contentSize(result)).toBe(Buffer.byteLength(text));
  });

  it.each<[string, string | Uint8Array, Partial<OutputConfig>, object]>([
    ['11 NULs in 1,000', '\u0000'.repeat(11) + 'a'.repeat(989), {}, { kind: 'BinaryContent', nullBytes: 11, checkedBytes: 1_000 }],
    ['a picture', Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1'), {}, { kind: 'BinaryContent', nullBytes: 0, checkedBytes: 8, type: 'png' }],
    ['JSON of 51 levels', nested(51), { validateJson: true }, { kind: 'MalformedJson', reason: 'it is nested deeper than 50 levels' }],
    ['no JSON', '{"password": hunter2', { validateJson: true }, { kind: 'MalformedJson', reason: 'it cannot be parsed' }],
  ])('refuses %s', (_name, input, config, error) => {
    const result = sanitizeOutput(input, config);
    expect(result).toEqual({ ok: false, error });
    expect(wasTruncated(result)).toBe(false);
    expect(contentSize(result)).toBe(0);
  });

  it('counts what it did', () => {
    expect(sanitizeOutput('\u001b[1ma\u200bb')).toMatchObject({ counts: { 'terminal-controls:csi': 1, 'invisibles:zero-width': 1 } });
  });

  it('never throws, and what is neither text nor bytes is not given out', () => {
    const detached = new Uint8Array(8);
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    const nothing: unknown = undefined;
    for (const input of [nothing, 7, {}, [1], { length: 3 }, new Proxy({}, {})]) {
      expect(sanitizeOutput(input as string)).toEqual({ ok: false, error: { kind: 'BinaryContent', nullBytes: 0, checkedBytes: 0 } });
    }
    expect(() => sanitizeOutput(detached)).not.toThrow();
    expect(() => sanitizeOutput('a'.repeat(100), { maxSizeBytes: Number.NaN })).not.toThrow();
  });

  it('its text is within the limit, well formed, and the same when cleaned again', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 200 })), fc.integer({ min: 0, max: 80 }), (input, maxSizeBytes) => {
        const result = sanitizeOutput(input, { maxSizeBytes, onBinary: 'replace' });
        if (!result.ok) throw new Error('withheld');
        expect(contentSize(result)).toBeLessThanOrEqual(maxSizeBytes);
        expect(result.text.isWellFormed()).toBe(true);
        expect(sanitizeOutput(result.text, { maxSizeBytes, onBinary: 'replace' })).toMatchObject({ text: result.text, truncated: false, counts: {} });
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('validateJsonOutput', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 'end' : levels % 2 === 0 ? [deep(levels - 1)] : { next: deep(levels - 1) });

  it.each<[string, unknown]>([
    ['50 levels', deep(50)],
    ['50 levels of text', nested(50)],
    ['brackets in a string', JSON.stringify(`"${'['.repeat(99)}\\"`)],
    ['nothing said', null],
    ['numbers', [1, -0, 1e300]],
    ['no prototype', Object.assign(Object.create(null), { a: 1 })],
    ['an absent member', { a: undefined }],
    ['many values', Array.from({ length: 100_000 }, () => 1)],
    ['siblings, one level each', nested(1).repeat(1)],
    ['fifty times one level', `[${Array.from({ length: 60 }, () => '[]').join(',')}]`],
  ])('lets through %s', (_name, value) => {
    expect(validateJsonOutput(value)).toBeUndefined();
  });

  let hasRun = false;
  const trap = () => {
    hasRun = true;
    return 1;
  };
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const wide = Array.from({ length: 30 }).reduce<unknown>((inner) => [inner, inner], 1);

  it.each<[string, unknown, string]>([
    ['51 levels', deep(51), 'it is nested deeper than 50 levels'],
    ['51 levels of text', nested(51), 'it is nested deeper than 50 levels'],
    ['a million levels of text', nested(1_000_000), 'it is nested deeper than 50 levels'],
    ['itself', circular, 'it is nested deeper than 50 levels'],
    ['one part a billion times', wide, 'it holds more than 1000000 values'],
    ['a billion holes', new Array(1e9), 'it holds more than 1000000 values'],
    ['a hole', new Array(2), 'it holds a member that is no data'],
    ['no number', [NaN], 'it holds a value that JSON has no form for'],
    ['a function', { a: () => 1 }, 'it holds a value that JSON has no form for'],
    ['a big integer', [1n], 'it holds a value that JSON has no form for'],
    ['nothing', undefined, 'it holds a value that JSON has no form for'],
    ['a date', { at: new Date(0) }, 'it holds an object that is not plain data'],
    ['a getter', { get a() { return trap(); } }, 'it holds a member that is no data'],
    ['a proxy', new Proxy({}, { ownKeys: () => [String(trap())], getPrototypeOf: () => (trap(), null) }), 'it holds an object that is not plain data'],
    ['a text that is none, which it does not quote', '{"key": s3cret}', 'it cannot be parsed'],
  ])('refuses %s', (_name, value, reason) => {
    expect(validateJsonOutput(value)).toEqual({ kind: 'MalformedJson', reason });
    expect(hasRun).toBe(false);
  });
});

it('contentSize counts all text of a result', () => {
  expect(
    contentSize({
      content: [
        { type: 'text', text: '€' },
        { type: 'error', text: 'ab' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'memo://x', text: 'abc' } },
      ],
    }),
  ).toBe(8);
});
