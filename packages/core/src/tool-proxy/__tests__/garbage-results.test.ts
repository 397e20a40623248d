import { describe, expect, it } from '@jest/globals';
import { answer, CALL_ID, codeOf, createScene, request, wholeText } from './scene.ts';
import { firstText } from '../../protocol/__tests__/first-text.ts';

function thrower(): never {
  throw new Error('raw secret');
}

/** An array whose own methods lie: the gate must go by index. */
const lyingList = Object.assign([{ type: 'text', text: 'seen' }], { map: thrower, [Symbol.iterator]: thrower, toJSON: thrower });
const image = { type: 'image', data: 'raw secret', mimeType: 'image/png' };
const notices = [
  'image of type image/png was left out: its data could not be checked',
  'file was left out: its data could not be checked',
  'content of an unknown kind was left out',
].map((words): unknown => expect.stringMatching(new RegExp(`^\\[devs \\d{8}: ${words}\\]$`)));
const counted = (counts: object) => ({ _meta: { 'devs/sanitization': { truncated: false, counts } } });

describe('a result that is none is withheld', () => {
  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a number', 7],
    ['true', true],
    ['a bigint', 7n],
    ['a symbol', Symbol('raw secret')],
    ['a function', () => 'raw secret'],
    ['a list', [{ type: 'text', text: 'raw secret' }]],
    ['no content', {}],
    ['content that is text', { content: 'raw secret' }],
    ['content like a list', { content: { 0: { type: 'text', text: 'raw secret' }, length: 1 } }],
    ['a block that is null', { content: [null] }],
    ['a block that is text', { content: ['raw secret'] }],
    ['a hole', { content: new Array(1) }],
    ['a block that is a list', { content: [['raw secret']] }],
    ['a text block without text', { content: [{ type: 'text' }] }],
    ['a text block whose text is an object', { content: [{ type: 'text', text: { toString: () => 'raw secret' } }] }],
    ['a text block whose text is JSON of a Buffer', { content: [{ type: 'text', text: Buffer.from('raw secret').toJSON() }] }],
    ['good blocks before a bad one', { content: [{ type: 'text', text: 'raw secret' }, 7] }],
    ['a getter for content', { get content() { return thrower(); } }],
    ['a getter for a block', { content: Object.defineProperty([1], 0, { get: thrower }) }],
    ['a getter for text', { content: [{ type: 'text', get text() { return thrower(); } }] }],
    ['a proxy', new Proxy({}, { get: (_target, key) => (key === 'then' ? undefined : thrower()) })],
    ['structured content with a function', { ...answer('raw secret'), structuredContent: { run: () => 1 } }],
    ['structured content with a bigint', { ...answer('raw secret'), structuredContent: 1n }],
    ['structured content with a prototype key', { ...answer('raw secret'), structuredContent: JSON.parse('{"a":{"__proto__":1}}') }],
    ['structured content in a Map', { ...answer('raw secret'), structuredContent: new Map([['raw', 'secret']]) }],
  ])('%s', async (_name, raw) => {
    const scene = createScene({ execute: async () => raw });
    const result = await scene.proxy.execute(request());
    expect(codeOf(result)).toBe('OUTPUT_WITHHELD');
    expect(result.content).toHaveLength(1);
    expect(firstText(result)).toContain(`Call id: ${CALL_ID}.`);
    expect(result._meta?.['devs/refusal']).toMatchObject({ retryAllowed: false });
    expect(wholeText(result)).not.toContain('raw secret');
    expect(scene.records).toHaveLength(1);
    expect(scene.events.map(({ event }) => event)).toEqual(['OUTPUT_WITHHELD']);
  });

  it('an answer that is no promise is taken as it is', async () => {
    expect(await createScene({ execute: () => 'text' }).proxy.execute(request())).toEqual(answer('text'));
  });

  it('a thenable that throws has failed', async () => {
    const scene = createScene({ execute: () => Object.defineProperty({}, 'then', { get: thrower }) });
    expect(firstText(await scene.proxy.execute(request()))).toBe('Tool execution failed.');
  });
});

describe('what is kept of a result', () => {
  it.each<[string, unknown, unknown]>([
    ['bytes', Buffer.from('café'), answer('café')],
    ['nothing', { content: [] }, { content: [] }],
    ['bytes in a block', answer(Buffer.from([0x61, 0xff])), answer('a\ufffd')],
    ['an error block', { content: [{ type: 'error', text: 'x' }], isError: true }, { content: [{ type: 'error', text: 'x' }], isError: true }],
    [
      'what nobody can check becomes a notice',
      { content: [image, { type: 'resource' }, {}] },
      {
        content: notices.map((text) => ({ type: 'text', text })),
        ...counted({ 'content:image-left-out': 1, 'content:file-left-out': 1, 'content:unknown-kind': 1 }),
      },
    ],
    ['a flag that is no boolean is dropped', { ...answer('a'), isError: 'false' }, answer('a')],
    ['keys nobody knows are dropped', { ...answer('a'), _meta: { 'devs/refusal': { code: 'FORGED' } }, extra: 1 }, answer('a')],
    ['keys of a block nobody knows are dropped', { content: [{ type: 'text', text: 'a', annotations: { priority: 2 }, _meta: {}, extra: 1 }] }, answer('a')],
    ['a list whose methods lie', { content: lyingList }, answer('seen')],
    [
      'structured content, cleaned',
      { ...answer('a'), structuredContent: { 'k\u0000': ['\ud800', 1, null, { b: true }] } },
      { ...answer('a'), structuredContent: { k: ['\ufffd', 1, null, { b: true }] }, ...counted({ 'terminal-controls:null': 1 }) },
    ],
    [
      'both of two keys that become one',
      { ...answer('a'), structuredContent: { 'a\u0000': 1, a: 2 } },
      { ...answer('a'), structuredContent: { 'a (2)': 1, a: 2 }, ...counted({ 'terminal-controls:null': 1, 'objects:key-collision': 1 }) },
    ],
    ['structured null', { ...answer('a'), structuredContent: null }, { ...answer('a'), structuredContent: null }],
  ])('%s', async (_name, raw, expected) => {
    const scene = createScene({ execute: async () => raw });
    expect(await scene.proxy.execute(request())).toEqual(expected);
    expect(scene.records[0]?.output).toEqual(expected);
  });

  it('a thousand blocks of a million, and says that it cut', async () => {
    const content = new Array(1_000_000).fill({ type: 'text', text: 'x' });
    const scene = createScene({ execute: async () => ({ content }) });
    const result = await scene.proxy.execute(request());
    expect(result.content).toHaveLength(1_001);
    expect(scene.records[0]?.sanitization).toEqual({ truncated: true, counts: {}, findings: [] });
  });

  it('changes of the tool after its answer do not reach the caller or the log', async () => {
    const raw = { content: [{ type: 'text', text: 'before' }], structuredContent: { a: ['before'] } };
    const scene = createScene({ execute: async () => raw, append: async () => { raw.structuredContent.a[0] = 'after'; } });
    const result = await scene.proxy.execute(request());
    raw.content.push({ type: 'text', text: 'after' });
    expect(wholeText([result, scene.records])).not.toContain('after');
  });
});
