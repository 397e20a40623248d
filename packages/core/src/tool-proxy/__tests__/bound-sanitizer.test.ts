import { Buffer } from 'node:buffer';
import { describe, expect, it, jest } from '@jest/globals';
import { silentLogger } from '../../logging/structured-logger.ts';
import { createOutputSanitizer, OutputSanitizer, type IOutputSanitizer } from '../../protocol/output-sanitizer.ts';
import { describeBlock, type ToolResult } from '../../protocol/tool-result.ts';
import type { CallNotice } from '../../tool-registry/upstream-call.ts';
import { answer, codeOf, createScene, describeTool, request, type SceneSetting } from './scene.ts';

const TOKEN = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_');

const textOf = ({ content }: ToolResult) => content.map(describeBlock).join('');

/** The class as seed 000 describes it, method by method, with its reading of a string as bytes. */
class SeedSanitizer implements IOutputSanitizer {
  sanitize(raw: Buffer | string): string {
    const bytes = typeof raw === 'string' ? Buffer.from(raw, 'binary') : raw;
    return new TextDecoder('utf-8', { fatal: false }).decode(bytes).replace(/\0/g, '');
  }

  isSafeForJSON(text: string): boolean {
    return !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);
  }
}

/** Two methods; what it is given comes back with one word replaced. */
const masking: IOutputSanitizer = {
  sanitize: (raw) => raw.toString('utf8').replaceAll('Aurora', '[project]'),
  isSafeForJSON: () => true,
};

async function run(sanitizer: IOutputSanitizer, output: unknown, setting: SceneSetting = {}) {
  const warn = jest.fn();
  const scene = createScene({ ...setting, execute: async () => output, options: { ...setting.options, sanitizer, logger: { ...silentLogger, warn } } });
  return { result: await scene.proxy.execute(request()), warn, scene };
}

/** What an own tool shows of a file: the bytes from `start`, with those around them as context. */
const shown = (file: string | Uint8Array, start: number, more: object = {}) => {
  const text = typeof file === 'string' ? Buffer.from(file) : file;
  return { content: [{ type: 'text', text, shown: { start, end: text.length }, ...more }] };
};

describe('the sanitizer of seed 000, two methods and nothing else', () => {
  it.each<[string, unknown, string]>([
    ['bytes', Buffer.from('grün €'), 'grün €'],
    ['bad bytes', Buffer.from([0x61, 0xff, 0x62]), 'a\ufffdb'],
    ['a string that holds bytes', '\xe2\x82\xac', '€'],
    ['text beyond ASCII, which it would read as bytes', answer('grün € 日本 😀'), 'grün € 日本 😀'],
    ['ASCII text', answer('plain'), 'plain'],
    ['NULs', Buffer.from('a\0b'), 'ab'],
    ['nothing', Buffer.alloc(0), ''],
    ['a part of a file', shown('één twee', 3), ' twee'.replace(' ', 'n ')],
    ['a file in UTF-16', shown(Buffer.from('\ufeffgrün', 'utf16le'), 2), 'grün'],
  ])('gives %s as text', async (_, output, expected) => {
    const { result } = await run(new SeedSanitizer(), output);
    expect(result.isError).toBeUndefined();
    expect(textOf(result)).toBe(expected);
  });

  it('leaves the rest of the pipeline in force: binary is refused, secrets are masked, the limit holds', async () => {
    expect(codeOf((await run(new SeedSanitizer(), Buffer.alloc(50))).result)).toBe('BINARY_CONTENT');
    expect(textOf((await run(new SeedSanitizer(), Buffer.from(`x ${TOKEN}`))).result)).toBe('x [REDACTED:secret:github-token]');
    const { result } = await run(new SeedSanitizer(), Buffer.from('x'.repeat(500)), { options: { maxToolOutputBytes: 100 } });
    expect(Buffer.byteLength(textOf(result))).toBe(100);
  });
});

describe('a bound sanitizer', () => {
  const resource = (fields: object) => ({ content: [{ type: 'resource', resource: { uri: 'memo://a', ...fields } }] });
  const foreign = { tools: [describeTool({ authorship: 'foreign', source: 'server' })] };

  it.each<[string, unknown]>([
    ['bytes', Buffer.from('on Aurora')],
    ['a bare string', 'on Aurora'],
    ['a text block', answer('on Aurora')],
    ['a block of bytes', { content: [{ type: 'text', text: Buffer.from('on Aurora') }] }],
    ['a part of a file', shown('see: on Aurora', 5)],
    ['what stands around it, too', shown('Aurora: on Aurora', 8)],
    ['a page', { content: [{ type: 'text', text: '<p>on Aurora</p>', markup: 'html' }] }],
    ['a notice of a tool', { content: [{ type: 'notice', text: 'on Aurora' }] }],
    ['structured content', { content: [], structuredContent: { of: ['on Aurora'], Aurora: 1 } }],
    ['a resource', resource({ text: 'on Aurora' })],
    ['a resource in base64', resource({ blob: Buffer.from('on Aurora').toString('base64') })],
    ['a link', { content: [{ type: 'resource_link', uri: 'memo://a', name: 'on Aurora', description: 'on Aurora' }] }],
    ['_meta', { content: [], _meta: { 'x/note': 'on Aurora' } }],
    ['an error', { ...answer('on Aurora'), isError: true }],
  ])('makes the text of %s', async (name, output) => {
    const { result, scene } = await run(masking, output, name === 'a link' ? foreign : {});
    expect(JSON.stringify(result)).toContain('on [project]');
    expect(JSON.stringify([result, scene.records[0]?.output])).not.toContain('Aurora');
  });

  it('is asked about what devs says itself, and what a server says during a call', async () => {
    const notices: CallNotice[] = [];
    const said = [{ kind: 'progress', progress: 1, message: 'on Aurora' }, { kind: 'log', level: 'info', logger: 'Aurora', data: { note: 'on Aurora' } }];
    const scene = createScene({
      tools: [{ ...describeTool({ authorship: 'foreign', source: 'server' }), kind: 'upstream', handler: () => Promise.reject(new Error('not here')) }],
      execute: ({ run: { upstream } }) => {
        for (const notice of said) upstream.notify?.(notice);
        return answer('done');
      },
      options: { sanitizer: masking },
    });
    await scene.proxy.execute(request({ onNotice: (notice: CallNotice) => void notices.push(notice) }));
    const refused = await scene.proxy.execute(request({ args: { Aurora: 1 } }));
    expect(JSON.stringify(notices)).toContain('on [project]');
    expect(JSON.stringify([notices, refused])).not.toContain('Aurora');
  });

  it('works before the pipeline, which cleans what it returns', async () => {
    const leaking: IOutputSanitizer = { sanitize: () => `\u001b[2Jx ${TOKEN} \ud800 \u200b`, isSafeForJSON: () => true };
    for (const output of [Buffer.from('a'), answer('a'), shown('a', 0)]) {
      const [first = ''] = (await run(leaking, output)).result.content.map(describeBlock);
      expect(first).toBe('x [REDACTED:secret:github-token] \ufffd ');
    }
    expect((await run(leaking, { content: [], structuredContent: { a: 'a' } })).result.structuredContent).toEqual({
      [`x [REDACTED:secret:github-token] \ufffd `]: 'x [REDACTED:secret:github-token] \ufffd ',
    });
  });

  it('gets text by sanitizeText where it has one, and bytes by sanitize', async () => {
    const calls: [string, unknown][] = [];
    const both: IOutputSanitizer = {
      sanitize: (raw) => (calls.push(['sanitize', raw]), 'bytes'),
      sanitizeText: (text) => (calls.push(['sanitizeText', text]), 'text'),
      isSafeForJSON: () => true,
    };
    const { result } = await run(both, { content: [{ type: 'text', text: Buffer.from('a') }, { type: 'text', text: 'é' }] });
    expect(textOf(result)).toBe('bytestext');
    expect(calls).toEqual([['sanitize', Buffer.from('a')], ['sanitizeText', 'é']]);
    expect(Buffer.isBuffer(calls[0]?.[1])).toBe(true);
  });

  it('is used when it is a subclass, or an object whose method was replaced', async () => {
    class Loud extends OutputSanitizer {
      override sanitize(raw: Uint8Array | string): string {
        return super.sanitize(raw).toUpperCase();
      }
    }
    const config = { mcp: { maxToolOutputBytes: 1_000 } };
    expect(textOf((await run(new Loud(config), Buffer.from('loud'))).result)).toBe('LOUD');
    const patched = Object.assign(createOutputSanitizer(config), { sanitizeText: () => 'patched' });
    expect(textOf((await run(patched, answer('loud'))).result)).toBe('patched');
  });

  it('says by isSafeForJSON what is not safe: a warning a text, and no lone surrogate', async () => {
    const unsafe: IOutputSanitizer = { sanitize: () => 'a\ud800', isSafeForJSON: (text) => text.isWellFormed() };
    const { result, warn } = await run(unsafe, Buffer.from('a'));
    expect(textOf(result)).toBe('a\ufffd');
    expect(warn.mock.calls).toEqual([['OUTPUT_NOT_SAFE_FOR_JSON', { tool_name: 'read_file', task_id: 'task-9', turn_index: 3 }]]);
  });

  it.each<[string, unknown, string]>([
    ['throws', () => { throw new Error('no charset table'); }, 'no charset table'],
    ['returns undefined', () => undefined, 'returned undefined'],
    ['returns bytes', () => Buffer.from('a'), 'returned object'],
    ['returns a promise', async () => 'a', 'returned a promise'],
  ])('that %s withholds every kind of output, and the log says why', async (_, sanitize, cause) => {
    const broken = { sanitize, isSafeForJSON: () => true } as IOutputSanitizer;
    for (const output of [Buffer.from('raw'), answer('raw'), shown('raw', 0), { content: [], structuredContent: { a: 'raw' } }]) {
      const { result, scene } = await run(broken, output);
      expect(codeOf(result)).toBe('OUTPUT_WITHHELD');
      expect(JSON.stringify([result, scene.records])).not.toContain('raw');
      expect(scene.records[0]?.detail).toContain(cause);
    }
  });

  it('that throws when it is asked whether a text is safe withholds it', async () => {
    const broken: IOutputSanitizer = { sanitize: String, isSafeForJSON: () => { throw new Error('bug'); } };
    expect(codeOf((await run(broken, Buffer.from('raw'))).result)).toBe('OUTPUT_WITHHELD');
  });

  it.each<[string, object, string]>([
    ['sanitize', { isSafeForJSON: () => true }, 'sanitize'],
    ['isSafeForJSON', { sanitize: String }, 'isSafeForJSON'],
    ['a sanitizeText that can be called', { sanitize: String, isSafeForJSON: () => true, sanitizeText: 'x' }, 'sanitizeText'],
  ])('without %s is refused when the gate is built', (_, incomplete, method) => {
    expect(() => createScene({ options: { sanitizer: incomplete as IOutputSanitizer } })).toThrow(`The output sanitizer has no method ${method}:`);
  });

  it('may lower the limit of a result and never raises it', async () => {
    for (const [maxBytes, expected] of [[50, 50], [1_000, 100], [Number.NaN, 100], [undefined, 100]] as const) {
      const { result, scene } = await run({ ...masking, ...(maxBytes !== undefined && { maxBytes }) }, Buffer.from('x'.repeat(500)), { options: { maxToolOutputBytes: 100 } });
      expect(Buffer.byteLength(textOf(result))).toBe(expected);
      expect(scene.records[0]?.sanitization?.truncated).toBe(true);
    }
  });

  it('that cuts by itself leaves no half of a secret at the cut', async () => {
    const cutting: IOutputSanitizer = { sanitize: (raw) => raw.toString('utf8').slice(0, 40_000), isSafeForJSON: () => true };
    const { result } = await run(cutting, Buffer.from(`${'word '.repeat(7_996)}${TOKEN} ${'x'.repeat(9_000)}`), { options: { maxToolOutputBytes: 40_000 } });
    expect(textOf(result)).not.toContain(TOKEN.slice(0, 12));
  });
});
