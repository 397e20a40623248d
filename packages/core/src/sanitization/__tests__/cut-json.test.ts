import { describe, expect, it } from '@jest/globals';
import { createScene, describeTool, request, type Execution } from '../../tool-proxy/__tests__/scene.ts';
import { parseConfig, settingsFor } from '../../config/schema.ts';
import { describeBlock, type ToolResult } from '../../protocol/tool-result.ts';
import { sanitizeOutput } from '../sanitize-output.ts';
import { createPipeline } from './pipeline-scene.ts';

const document = JSON.stringify(Array.from({ length: 400 }, (_, index) => ({ index, words: 'a word' })));
const output = { validateJson: true, maxSizeBytes: 2_000 };
const codeOf = (act: () => unknown): unknown => {
  try {
    act();
    return 'went out';
  } catch (cause) {
    return Object(cause).code;
  }
};

describe('output that must be JSON, and is longer than its budget', () => {
  it('is an error where nobody keeps the rest', () => {
    expect(codeOf(() => createPipeline({ output })({ content: [{ type: 'text', text: document }] }))).toBe('MALFORMED_JSON');
    expect(codeOf(() => createPipeline({ output, maxBytes: 1_000 })({ content: [{ type: 'text', text: document }] }))).toBe('MALFORMED_JSON');
    expect(sanitizeOutput(document, output)).toEqual({ ok: false, error: { kind: 'MalformedJson', reason: 'it is longer than its limit' } });
    expect(sanitizeOutput('[1]', output)).toMatchObject({ ok: true, text: '[1]' });
  });

  it('comes in pages where it is kept, which are the document together', async () => {
    const reader = describeTool({ name: 'read_more' });
    const readMore = { ...reader, definition: { ...reader.definition, inputSchema: { type: 'object', properties: { handle: { type: 'string' } }, required: ['handle'] } } };
    const config = parseConfig({ tools: { read_file: { output } } });
    const execute = ({ tool, args, run }: Execution) => ({ content: [{ type: 'text', text: tool.name === 'read_file' ? document : run.readMore(Object(args).handle) }] });
    const scene = createScene({ tools: [describeTool(), readMore], registry: { settingsFor: (name) => settingsFor(config, name) }, execute });
    const textsOf = ({ content }: ToolResult) => content.map(describeBlock);
    const handleIn = (texts: readonly string[]) => /"handle": "([0-9a-f-]{36})"/.exec(texts.at(-1) ?? '')?.[1];
    let texts = textsOf(await scene.proxy.execute(request()));
    const pages = [texts[0] ?? ''];
    for (let handle = handleIn(texts); handle !== undefined; handle = handleIn(texts)) {
      texts = textsOf(await scene.proxy.execute(request({ toolName: 'read_more', args: { handle } })));
      pages.push(texts[0] ?? '');
    }
    expect(pages.length).toBeGreaterThan(5);
    expect(pages.join('')).toBe(document);
  });
});

it('structure of more than 50 levels is malformed', () => {
  const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
  const run = (levels: number) => codeOf(() => createPipeline()({ content: [], structuredContent: nested(levels) }));
  expect([run(50), run(51), run(5_000)]).toEqual(['went out', 'MALFORMED_JSON', 'MALFORMED_JSON']);
});
