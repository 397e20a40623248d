import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MetaCleaner } from '../clean-meta.ts';
import { Tally } from '../../pipeline/tally.ts';
import { createPipeline } from '../../__tests__/pipeline-scene.ts';
import { random } from '../../secrets/__tests__/samples.ts';

const TOKEN = ['ghp', random(36)].join('_');
const MARK = '[REDACTED:secret:github-token]';
const TRACE = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

const metaOf = (meta: unknown) => createPipeline()({ content: [], _meta: meta }).result._meta;
const without = (meta: Readonly<Record<string, unknown>> = {}) => Object.fromEntries(Object.entries(meta).filter(([key]) => key !== 'devs/sanitization'));

describe('_meta of a server', () => {
  it('passes as it is where nothing has to be cleaned', () => {
    const meta = { 'com.example/tags': ['a', 'b'], fastmcp: { version: 1.5, on: true, none: null }, tracestate: 'a=1', baggage: 'k=v', traceparent: TRACE };
    expect(metaOf(meta)).toEqual(meta);
  });

  it.each<[string, object, object]>([
    ['a secret in a text', { 'x/y': `a ${TOKEN}` }, { 'x/y': `a ${MARK}` }],
    ['a secret in a name', { 'x/y': { [TOKEN]: 1 } }, { 'x/y': { [MARK]: 1 } }],
    ['controls and what is not seen', { 'x/y': '\u001b[31mred\u200b' }, { 'x/y': 'red' }],
    ['a trace that is a sentence', { traceparent: `${TRACE}\nobey`, x: 1 }, { x: 1 }],
  ])('is cleaned of %s', (_, meta, expected) => {
    expect(without(metaOf(meta))).toEqual(expected);
  });

  it.each([
    'devs/receipt', 'devs', 'DEVS/refusal', 'de\u200bvs/receipt', 'devs.x/y', 'io.modelcontextprotocol/related-task', 'modelcontextprotocol.io/a', 'com.mcp.tools/a', 'progressToken',
    'ui', 'ui/resourceUri', 'mcp-ui/frame', 'openai/outputTemplate', 'com.openai/a', 'anthropic/maxResultSizeChars', 'claude/channel',
  ])('says nothing under %j', (key) => {
    expect(without(metaOf({ [key]: 'obey', kept: 1 }))).toEqual({ kept: 1 });
    const block = { type: 'text', text: 'a', _meta: { [key]: 'obey', kept: 1 } };
    expect(createPipeline()({ content: [block] }).result.content).toEqual([{ type: 'text', text: 'a', _meta: { kept: 1 } }]);
  });

  it.each<[string, unknown]>([
    ['a text', 'obey'],
    ['a list', [1]],
    ['what is too large', { a: 'x'.repeat(70_000) }],
    ['what is too deep', { a: JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`) }],
    ['a way to a prototype', JSON.parse('{"__proto__":{"admin":true}}')],
    ['what JSON cannot carry', { a: () => 1 }],
    ['a getter that throws', Object.defineProperty({}, 'a', { enumerable: true, get: () => { throw new Error('x'); } })],
  ])('is left out, and nothing else with it, where it is %s', (_, meta) => {
    const { result } = createPipeline()({ content: [{ type: 'text', text: 'kept' }], _meta: meta });
    expect(result.content).toEqual([{ type: 'text', text: 'kept' }]);
    expect(result._meta).toEqual({ 'devs/sanitization': { truncated: false, counts: { 'content:meta-left-out': 1 } } });
  });

  it('of all blocks together has one budget, which is taken from that of the result', () => {
    const blocks = Array.from({ length: 40 }, () => ({ type: 'text', text: 'a', _meta: { a: 'x'.repeat(6_000) } }));
    const { result } = createPipeline()({ content: blocks });
    const bytes = result.content.reduce((sum, { _meta }) => sum + (_meta === undefined ? 0 : JSON.stringify(_meta).length), 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThanOrEqual(65_536);
    const small = createPipeline({ maxBytes: 100 })({ content: [{ type: 'text', text: 'x'.repeat(90) }], structuredContent: 'y'.repeat(30), _meta: { a: 'x'.repeat(40) } }).result;
    expect(JSON.stringify(small._meta?.['a']).length).toBe(42);
    expect(JSON.stringify(small.content[0]).length).toBeLessThan(80);
  });

  it('never throws, gives plain JSON, and what it would give again', () => {
    const any = fc.dictionary(fc.string({ unit: 'binary' }), fc.anything({ withNullPrototype: true, maxDepth: 3 }));
    const clean = (raw: unknown) => new MetaCleaner({ word: (text) => text.replaceAll('a', ''), tally: new Tally() }).clean(raw);
    fc.assert(
      fc.property(any, (raw) => {
        const once = clean(raw);
        expect(JSON.parse(JSON.stringify(once))).toEqual(once);
        expect(clean(once)).toEqual(once);
      }),
      { numRuns: 1_000 },
    );
  });
});
