import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { silentLogger } from '../../logging/structured-logger.ts';
import { createOutputSanitizer } from '../../protocol/output-sanitizer.ts';
import { cleanJson } from '../clean-json.ts';
import { sanitizeSentence, sanitizeToolResult, type SanitizedResult } from '../sanitize-tool-result.ts';

const SENTINEL = '\n[OUTPUT TRUNCATED - exceeded maxToolOutputBytes limit]';
const dropNulls = (text: string) => text.replaceAll('\u0000', '').toWellFormed();

function sanitize(raw: unknown, maxToolOutputBytes = 1_000_000): SanitizedResult {
  const sanitizer = createOutputSanitizer({ mcp: { maxToolOutputBytes } });
  return sanitizeToolResult(raw, { sanitizer, logger: silentLogger, toolName: 'a', taskId: '', turnIndex: 0 });
}

function texts(...blocks: (string | Uint8Array)[]) {
  return { content: blocks.map((text) => ({ type: 'text', text })) };
}

describe('cleanJson', () => {
  it.each<[string, unknown, unknown]>([
    ['values', { a: ['x\u0000', { b: '\ud800' }] }, { a: ['x', { b: '\ufffd' }] }],
    ['keys', { 'a\u0000': { '\udc00': 1 } }, { a: { '\ufffd': 1 } }],
    ['text alone', 'x\u0000', 'x'],
    ['numbers and the rest as they are', [1, true, null, -0.5], [1, true, null, -0.5]],
    ['keys that every object inherits', { toString: 1, hasOwnProperty: 2 }, { toString: 1, hasOwnProperty: 2 }],
  ])('cleans %s', (_name, value, expected) => {
    expect(cleanJson(value, dropNulls)).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ['two keys that become one', { 'a\u0000': 1, a: 2 }],
    ['two deep keys that become one', [{ b: { '\ud800': 1, '\udc00': 2 } }]],
    ['a key that becomes a prototype key', { '__pro\u0000to__': { admin: true } }],
    ['a prototype key', JSON.parse('{"__proto__":1}')],
    ['what JSON cannot carry', { a: new Date(0) }],
    ['NaN', Number.NaN],
    ['undefined', undefined],
  ])('withholds %s', (_name, value) => {
    expect(() => cleanJson(value, dropNulls)).toThrow(/^OUTPUT_WITHHELD/);
  });
});

describe('the budget', () => {
  it.each<[string, number, unknown, string[]]>([
    ['all of it for one block', 5, texts('aaaaa'), ['aaaaa']],
    ['what one block leaves for the next', 5, texts('aaa', 'bb'), ['aaa', 'bb']],
    ['a block too long for what is left', 5, texts('aaa', 'bbb'), ['aaa', SENTINEL.slice(0, 2)]],
    ['nothing left', 5, texts('aaaaa', 'b', ''), ['aaaaa', '', '']],
    ['bytes, not characters', 5, texts('€', 'bb', 'c'), ['€', 'bb', '']],
    ['none at all', 0, texts('a'), ['']],
    ['for notices too', 3, { content: [{ type: 'image' }] }, [SENTINEL.slice(0, 3)]],
  ])('%s', (_name, limit, raw, expected) => {
    const { result, report } = sanitize(raw, limit);
    expect(result.content.map(({ text }) => text)).toEqual(expected);
    const whole = (raw as ReturnType<typeof texts>).content.map(({ text }) => String(text)).join('');
    expect(report.truncated).toBe(whole !== expected.join(''));
  });

  it('counts structured content as JSON, after the text', () => {
    const raw = { ...texts('aaaa'), structuredContent: { k: 'v' } };
    expect(sanitize(raw, 13)).toEqual({ result: { ...texts('aaaa'), structuredContent: { k: 'v' } }, report: { truncated: false } });
    expect(sanitize(raw, 12)).toEqual({ result: texts('aaaa'), report: { truncated: true } });
  });

  it('drops structured content whose strings are cut, rather than take two of them for one', () => {
    const keys = { ['a'.repeat(60)]: 1, ['b'.repeat(60)]: 2 };
    expect(sanitize({ ...texts('x'), structuredContent: keys }, 57)).toEqual({ result: texts('x'), report: { truncated: true } });
    const one = { ['a'.repeat(60)]: 1 };
    expect(sanitize({ ...texts('x'), structuredContent: one }, 57)).toEqual({ result: texts('x'), report: { truncated: true } });
  });

  it('counts what escaping adds', () => {
    expect(sanitize({ content: [], structuredContent: '\u0001' }, 8).result.structuredContent).toBe('\u0001');
    expect(sanitize({ content: [], structuredContent: '\u0001' }, 7).result.structuredContent).toBeUndefined();
  });

  it('holds, whatever the blocks are', () => {
    const anyBlock = fc.record({ type: fc.constantFrom('text', 'error', 'image'), text: fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array()) });
    fc.assert(
      fc.property(fc.array(anyBlock, { maxLength: 6 }), fc.jsonValue().filter((value) => !/\\u0000|__proto__|prototype/.test(JSON.stringify(value))), fc.nat(300), (content, structuredContent, limit) => {
        const { result } = sanitize({ content, structuredContent }, limit);
        const text = result.content.map((block) => block.text).join('');
        const structured = result.structuredContent === undefined ? '' : JSON.stringify(result.structuredContent);
        expect(Buffer.byteLength(text) + Buffer.byteLength(structured)).toBeLessThanOrEqual(limit);
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toContain('\u0000');
      }),
      { numRuns: 300 },
    );
  });
});

describe('the blocks', () => {
  it.each<[number, number, boolean]>([[1_000, 1_000, false], [1_001, 1_000, true]])('of %i, %i are kept', (count, kept, truncated) => {
    const { result, report } = sanitize(texts(...new Array<string>(count).fill('x')));
    expect(result.content).toHaveLength(kept);
    expect(report.truncated).toBe(truncated);
  });

  it('are marked as cut by a field, not by their words', () => {
    expect(sanitize(texts(SENTINEL)).report.truncated).toBe(false);
  });

  it('with an escape are said in the log, with names for machines', () => {
    const warn = jest.fn();
    const sanitizer = createOutputSanitizer({ mcp: { maxToolOutputBytes: 100 } });
    const context = { sanitizer, logger: { ...silentLogger, warn }, toolName: 'a', taskId: 't', turnIndex: 2 };
    sanitizeToolResult(texts('fine', '\u001b[31m'), context);
    expect(warn.mock.calls).toEqual([['OUTPUT_NOT_SAFE_FOR_JSON', { tool_name: 'a', task_id: 't', turn_index: 2 }]]);
  });
});

describe('sanitizeSentence', () => {
  const sanitizer = createOutputSanitizer({ mcp: { maxToolOutputBytes: 1_000 } });
  it.each([
    ['a line', 'There is no a.ts.', 'There is no a.ts.'],
    ['other scripts', 'Kein Weg: straße/日本.', 'Kein Weg: straße/日本.'],
    ['line breaks', 'a\r\nb\u0085c\u2028d\u2029e', 'a  b c d e'],
    ['controls', 'a\u001b[2Jb\u0007\u009b', 'a [2Jb  '],
    ['what reorders and hides', 'a\u202eb\u200bc\ufeffd\u{e0041}', 'a b c d '],
    ['a lone surrogate', 'a\ud800', 'a\ufffd'],
    ['NUL', 'a\u0000b', 'ab'],
  ])('%s', (_name, sentence, expected) => {
    expect(sanitizeSentence(sentence, sanitizer)).toBe(expected);
  });

  it('does not throw with a sanitizer that does', () => {
    const broken = new Proxy(sanitizer, { get: () => () => { throw new Error('bug'); } });
    expect(sanitizeSentence('x', broken)).toBe('The call was refused.');
  });
});
