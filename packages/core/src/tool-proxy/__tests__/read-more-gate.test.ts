import { describe, expect, it } from '@jest/globals';
import { parseConfig, settingsFor } from '../../config/schema.ts';
import { describeBlock } from '../../protocol/tool-result.ts';
import { ToolRegistry } from '../../tool-registry/ToolRegistry.ts';
import type { ToolRegistration } from '../../tool-registry/types.ts';
import { answer, createScene, describeTool, request, type Execution } from './scene.ts';

const readMore = describeTool({ name: 'read_more' });
const untrusted = describeTool({ name: 'fetch_page', labels: ['untrusted'], source: 'server', authorship: 'foreign' });
const reader: ToolRegistration = { ...readMore, definition: { ...readMore.definition, inputSchema: { type: 'object', properties: { handle: { type: 'string' } }, required: ['handle'] } } };
const settings = parseConfig({ tools: { fetch_page: { output: { maxSizeBytes: 2_000 } }, read_file: { output: { maxSizeBytes: 2_000 } } } });
const LONG = Array.from({ length: 1_000 }, (_, index) => `line of it ${String(index)}`).join('\n');

/** One gate, whose tools may change between two calls. Any tool but `fetch_page` reads on what its handle names. */
function createGate() {
  const registry = new ToolRegistry({ settingsFor: (name) => settingsFor(settings, name) });
  for (const tool of [untrusted, describeTool(), reader]) registry.register(tool);
  const given: string[] = [];
  const execute = ({ tool, args, run }: Execution) => {
    if (tool.name !== 'peek' && tool.name !== 'read_more') return answer(LONG);
    given.push(run.readMore(typeof args['handle'] === 'string' ? args['handle'] : ''));
    return answer(given.at(-1) ?? '');
  };
  const scene = createScene({ lookup: () => registry, execute });
  const call = async (toolName: string, changes: object = {}) => {
    const result = await scene.proxy.execute(request({ toolName, ...changes }));
    const texts = result.content.map(describeBlock);
    return { texts, handle: /"handle": "([0-9a-f-]{36})"/.exec(texts.at(-1) ?? '')?.[1] ?? '', code: scene.records.at(-1)?.code };
  };
  return { registry, call, given };
}

describe('what is kept', () => {
  it.each<[string, ToolRegistration, string]>([
    ['a tool of devs that is not read_more', { ...reader, definition: { ...reader.definition, name: 'peek' } }, 'peek'],
    ['the tool of a server', { ...reader, definition: { ...reader.definition, name: 'peek' }, source: 'server', authorship: 'foreign' }, 'peek'],
    ['the tool of a server that took the name', { ...reader, source: 'server', authorship: 'foreign' }, 'read_more'],
  ])('is not given to %s', async (_name, tool, toolName) => {
    const { registry, call } = createGate();
    const { handle } = await call('fetch_page');
    expect((await call('read_more', { args: { handle } })).texts[0]).toContain('line of it');
    if (toolName === 'read_more') registry.unregister('read_more');
    registry.register(tool);
    const refused = await call(toolName, { args: { handle } });
    expect([refused.code, refused.texts.join().includes('line of it')]).toEqual(['OVERFLOW_NOT_FOUND', false]);
  });

  it('is not offered where another tool of devs is there, and not read_more', async () => {
    const { registry, call } = createGate();
    registry.unregister('read_more');
    registry.register({ ...reader, definition: { ...reader.definition, name: 'peek' } });
    expect((await call('fetch_page')).handle).toBe('');
  });

  it.each(['fetch_page', 'read_file'])('of %s is read on to its end, and no page is made of much more than it shows', async (toolName) => {
    const { call, given } = createGate();
    let page = await call(toolName);
    const pages: string[] = [];
    for (let count = 0; count < 20; count += 1) {
      pages.push((page.texts[0] ?? '').replace(/^<external.*\n|\n<\/external.*$/g, '').replace(/\n\[truncated\]$/, ''));
      if (page.handle === '') break;
      page = await call('read_more', { args: { handle: page.handle } });
    }
    // A line feed at the cut and the one before the message are one.
    expect(pages.join('').replaceAll('\n', '')).toBe(LONG.replaceAll('\n', ''));
    expect(given.length).toBeGreaterThan(5);
    for (const text of given) expect(text.length).toBeLessThanOrEqual(2_000 + 1_024);
  });
});
