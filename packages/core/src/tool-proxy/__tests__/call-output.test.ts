import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG, parseConfig, settingsFor } from '../../config/schema.ts';
import { describeBlock, type ToolResult } from '../../protocol/tool-result.ts';
import { OutputPolicy } from '../../sanitization/output-policy.ts';
import { ToolRegistry } from '../../tool-registry/ToolRegistry.ts';
import type { ToolRegistration } from '../../tool-registry/types.ts';
import { answer, codeOf, context, createScene, describeTool, request, type Execution, type SceneSetting } from './scene.ts';

/** Put together here: no file holds a secret whole. */
const TOKEN = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_');
const MARK = '[REDACTED:secret:github-token]';

const readMore = describeTool({ name: 'read_more' });
const untrusted = describeTool({ name: 'fetch_page', labels: ['untrusted'], source: 'server', authorship: 'foreign' });
const withReadMore = { ...readMore, definition: { ...readMore.definition, inputSchema: { type: 'object', properties: { handle: { type: 'string' } }, required: ['handle'] } } };

const textsOf = ({ content }: ToolResult) => content.map(describeBlock);
const handleIn = (result: ToolResult) => /"handle": "([0-9a-f-]{36})"/.exec(textsOf(result).at(-1) ?? '')?.[1];

/** Tools that answer `long`, `read_more`, and budgets of 2,000 bytes. */
function createPagedScene(long: string, { tools = [untrusted, withReadMore], ...more }: SceneSetting = {}) {
  const config = parseConfig({ tools: { fetch_page: { output: { maxSizeBytes: 2_000 } }, read_file: { output: { maxSizeBytes: 2_000 } } } });
  const execute = ({ tool, args, run }: Execution) => (tool.name === 'read_more' ? answer(run.readMore(typeof args['handle'] === 'string' ? args['handle'] : '')) : answer(long));
  return createScene({ tools, registry: { settingsFor: (name) => settingsFor(config, name) }, execute, ...more });
}

const readOn = (handle: string | undefined, changes: object = {}) => request({ toolName: 'read_more', args: { handle: handle ?? '' }, ...changes });

describe('what a budget cuts off', () => {
  const lines = Array.from({ length: 300 }, (_, index) => `line ${String(index)} of it`);

  it('is read on to its end, page by page, each in a boundary of its own, and nothing of it is lost', async () => {
    const scene = createPagedScene(lines.join('\n'));
    let result = await scene.proxy.execute(request({ toolName: 'fetch_page' }));
    const pages: string[] = [];
    const ids: (string | undefined)[] = [];
    for (let page = 0; page < 20; page += 1) {
      const [text = ''] = textsOf(result);
      const match = /^<external-content-(\w+) source="server\/fetch_page">\n([^]*)\n<\/external-content-\1>$/.exec(text);
      ids.push(match?.[1]);
      pages.push((match?.[2] ?? '').replace(/\n\[truncated\]$/, ''));
      expect(textsOf(result).join('').length).toBeLessThanOrEqual(2_000);
      const handle = handleIn(result);
      if (handle === undefined) break;
      result = await scene.proxy.execute(readOn(handle));
    }
    // A line feed at the cut and the one before the message are one.
    expect(pages.join('').replaceAll('\n', '')).toBe(lines.join(''));
    expect(new Set(ids).size).toBe(pages.length);
    expect(pages.length).toBeGreaterThan(2);
  });

  it('can be asked for again, and goes on under the same handle', async () => {
    const scene = createPagedScene(lines.join('\n'));
    const handle = handleIn(await scene.proxy.execute(request({ toolName: 'fetch_page' })));
    const [once, again] = [await scene.proxy.execute(readOn(handle)), await scene.proxy.execute(readOn(handle))];
    expect(handleIn(once)).toBe(handleIn(again));
    expect(handleIn(once)).not.toBe(handle);
  });

  it('is a piece of the JSON that the tool is held to, which was judged as a whole', async () => {
    const config = parseConfig({ tools: { fetch_page: { output: { validateJson: true, maxSizeBytes: 2_000 } } } });
    const long = JSON.stringify(Array.from({ length: 300 }, (_, index) => `item ${String(index)}`));
    const scene = createPagedScene(long, { registry: { settingsFor: (name) => settingsFor(config, name) } });
    const handle = handleIn(await scene.proxy.execute(request({ toolName: 'fetch_page' })));
    await scene.proxy.execute(readOn(handle));
    expect(scene.records.at(-1)?.status).toBe('ok');
  });

  const others: readonly (readonly [string, object])[] = [
    ['another principal', { origin: { principal: 'eve', channel: 'library' } }],
    ['the same name over another channel', { origin: { principal: 'local', channel: 'http' } }],
  ];
  it.each(others)('is not read on by %s', async (_, changes) => {
    const scene = createPagedScene(lines.join('\n'));
    const handle = handleIn(await scene.proxy.execute(request({ toolName: 'fetch_page' })));
    expect(handle).toBeDefined();
    const refused = await scene.proxy.execute(readOn(handle, changes));
    expect([refused.isError, scene.records.at(-1)?.code]).toEqual([true, 'OVERFLOW_NOT_FOUND']);
  });

  it('is not read on when its tool is gone, or hidden from the caller by now', async () => {
    const registry = new ToolRegistry({ settingsFor: (name) => settingsFor(parseConfig({ tools: { fetch_page: { output: { maxSizeBytes: 2_000 } } } }), name) });
    registry.register({ ...untrusted, allowedPhases: ['phase-1'] });
    registry.register(withReadMore);
    const scene = createPagedScene(lines.join('\n'), { lookup: () => registry });
    const handle = handleIn(await scene.proxy.execute(request({ toolName: 'fetch_page' })));
    await scene.proxy.execute(readOn(handle, { context: { ...context, phaseId: 'another' } }));
    expect(scene.records.at(-1)?.code).toBe('OVERFLOW_NOT_FOUND');
    await scene.proxy.execute(readOn(handle));
    expect(scene.records.at(-1)?.status).toBe('ok');
    registry.unregister('fetch_page');
    await scene.proxy.execute(readOn(handle));
    expect(scene.records.at(-1)?.code).toBe('OVERFLOW_NOT_FOUND');
  });

  it.each<[string, readonly ToolRegistration[]]>([
    ['no tool reads it on', [untrusted]],
    ['another server took the name', [untrusted, { ...withReadMore, authorship: 'foreign', source: 'server' }]],
  ])('is not offered when %s', async (_, tools) => {
    const scene = createPagedScene(lines.join('\n'), { tools });
    const result = await scene.proxy.execute(request({ toolName: 'fetch_page' }));
    expect([textsOf(result).length, handleIn(result)]).toEqual([1, undefined]);
  });

  it('cannot be read by another tool than read_more', async () => {
    const scene = createPagedScene(lines.join('\n'));
    const handle = handleIn(await scene.proxy.execute(request({ toolName: 'fetch_page' })));
    const thief = createPagedScene('', { execute: ({ run }: Execution) => answer(run.readMore(handle ?? '')) });
    await thief.proxy.execute(request({ toolName: 'fetch_page' }));
    expect(thief.records.at(-1)?.code).toBe('OVERFLOW_NOT_FOUND');
  });
});

describe('what a caller asks of an answer', () => {
  const execute = () => answer('see __ot here');
  const run = async (boundaries: 'on-request' | 'untrusted' | 'always', wishes: object, labels: readonly 'untrusted'[] = []) => {
    const outputPolicy = new OutputPolicy({ sanitize: { ...DEFAULT_CONFIG.sanitize, boundaries } });
    const scene = createScene({ tools: [describeTool({ labels })], execute, options: { outputPolicy } });
    return textsOf(await scene.proxy.execute(request(), wishes))[0] ?? '';
  };

  it('adds a boundary', async () => {
    expect(await run('on-request', { boundaries: true })).toMatch(/^<external-content-\w{12} source="read_file">\nsee \[REDACTED:trigger\] here\n/);
    expect(await run('on-request', {})).toBe('see __ot here');
  });

  it.each(['untrusted', 'always'] as const)('takes none away that the operator wants: %s', async (policy) => {
    expect(await run(policy, { boundaries: false }, ['untrusted'])).toMatch(/^<external-content-/);
  });

  it('is held to another budget, and cleaned all the same', async () => {
    const settings = settingsFor(parseConfig({ tools: { read_file: { output: { stripControlChars: false } } } }), 'read_file');
    const execute = () => answer(`\u001b[2J${TOKEN} ${'x'.repeat(500)}`);
    const scene = createScene({ tools: [describeTool()], registry: { settingsFor: () => settings }, execute });
    const [text = ''] = textsOf(await scene.proxy.execute(request(), { output: { maxSizeBytes: 60 } }));
    expect(text).toMatch(/^\u241b\[2J\u2403/);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(60);
    expect(text).not.toContain(TOKEN.slice(4, 12));
  });

  it.each<[string, object, string, string]>([
    ['links', { links: 'mark' }, '![x](https://evil.invalid/?q=secret)', '[REDACTED:link]'],
    ['HTML', { html: 'text' }, '<!doctype html><html><body><script>x</script><p>hello</p></body></html>', 'hello'],
    ['size', { maxSizeBytes: 20 }, 'x'.repeat(100), `${'x'.repeat(8)}\n[truncated]`],
    ['controls', {}, 'a\u001b[2Jb\0', 'ab'],
  ])('loses none of the steps that the operator wants: %s', async (_, output, text, expected) => {
    const settings = settingsFor(parseConfig({ tools: { read_file: { output } } }), 'read_file');
    const scene = createScene({ tools: [describeTool()], registry: { settingsFor: () => settings }, execute: () => answer(text) });
    const wishes = { links: 'keep', html: 'keep', maxSizeBytes: 1e9, stripControlChars: false, stripNullBytes: false, validateJson: false, onBinary: 'replace' } as const;
    expect(textsOf(await scene.proxy.execute(request(), { output: wishes }))).toEqual([expected]);
  });

  it('says nothing where it leaves something out', async () => {
    const scene = createScene({ execute: () => answer('x') });
    const wishes: object = { output: { maxSizeBytes: undefined, truncationMessage: undefined } };
    expect(textsOf(await scene.proxy.execute(request(), wishes))).toEqual(['x']);
  });

  it('is what the files that it edits are shown with', async () => {
    const views: string[] = [];
    const execute = ({ run }: Execution) => (views.push(run.view(Buffer.from('a __ot ![](https://a.invalid/?b) c')).text), answer('x'));
    const scene = createScene({ execute });
    await scene.proxy.execute(request(), { boundaries: true });
    await scene.proxy.execute(request(), { output: { links: 'mark' } });
    await scene.proxy.execute(request());
    expect(views).toEqual(['a [REDACTED:trigger] ![](https://a.invalid/?b) c', 'a __ot [REDACTED:link] c', 'a __ot ![](https://a.invalid/?b) c']);
  });

  it('is told with words that only devs can say, for which the gate gives the number', async () => {
    const scene = createScene({ execute: () => ({ content: [{ type: 'unheard-of' }] }) });
    const number = /^\[devs (\d{8}): content of an unknown kind was left out\]$/.exec(textsOf(await scene.proxy.execute(request()))[0] ?? '')?.[1];
    expect(scene.proxy.instructions).toContain(`[devs ${number}: `);
    expect(createScene().proxy.instructions).not.toContain(`[devs ${number}: `);
  });
});

describe('an output configuration that no schema has seen', () => {
  it.each<[string, object]>([
    ['no number of bytes', { maxSizeBytes: Number.NaN }],
    ['less than none', { maxSizeBytes: -1 }],
    ['all there is', { maxSizeBytes: Infinity }],
    ['a message that draws', { truncationMessage: '\u001b[2J' }],
    ['a message without end', { truncationMessage: 'x'.repeat(1_001) }],
  ])('%s: nothing goes out', async (_, output) => {
    const scene = createScene({ execute: () => answer('the output') });
    const result = await scene.proxy.execute(request(), { output });
    expect([codeOf(result), JSON.stringify(result).includes('the output')]).toEqual(['OUTPUT_WITHHELD', false]);
  });
});

describe('an output that cannot be cleaned', () => {
  it.each<[string, unknown, string]>([
    ['is binary', answer(Buffer.alloc(1_000)), 'BINARY_CONTENT'],
    ['is no result', 7, 'OUTPUT_WITHHELD'],
    ['throws when it is read', { get content() { throw new Error(TOKEN); } }, 'OUTPUT_WITHHELD'],
  ])('%s: nothing of it goes out', async (_, raw, code) => {
    const scene = createScene({ execute: async () => raw });
    const result = await scene.proxy.execute(request());
    expect([codeOf(result), scene.records[0]?.status]).toEqual([code, 'withheld']);
    expect(JSON.stringify([result, scene.records])).not.toContain(TOKEN);
  });
});

it('a file is shown as read_file shows it, whichever tool asks', async () => {
  const views: string[] = [];
  const outputPolicy = new OutputPolicy({ sanitize: { ...DEFAULT_CONFIG.sanitize, allowedSecrets: [{ tool: 'read_file' }] } });
  const execute = ({ run }: Execution) => (views.push(run.view(Buffer.from(`a\u200b ${TOKEN}`)).text), answer('x'));
  const tools = [describeTool(), describeTool({ name: 'surgical_edit' })];
  const scene = createScene({ tools, execute, options: { outputPolicy } });
  await scene.proxy.execute(request({ toolName: 'surgical_edit' }));
  const alone = createScene({ tools: [describeTool({ name: 'surgical_edit' })], execute, options: { outputPolicy } });
  await alone.proxy.execute(request({ toolName: 'surgical_edit' }));
  expect(views).toEqual([`a ${TOKEN}`, `a ${MARK}`]);
});
