import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG, parseConfig, settingsFor, type StructuredPolicy } from '../../config/schema.ts';
import type { OutputConfig } from '../../config/output-config.ts';
import { DevsError } from '../../errors.ts';
import { describeBlock, type ToolResult } from '../../protocol/tool-result.ts';
import { OutputPolicy } from '../../sanitization/output-policy.ts';
import type { ToolLabel } from '../../tool-registry/types.ts';
import { answer, codeOf, createScene, describeTool, request, type Execution } from './scene.ts';

const readMore = describeTool({ name: 'read_more' });
const reader = { ...readMore, definition: { ...readMore.definition, inputSchema: { type: 'object', properties: { handle: { type: 'string' } }, required: ['handle'] } } };
const handleOf = (args: Execution['args']) => (typeof args['handle'] === 'string' ? args['handle'] : '');
const textsOf = ({ content }: ToolResult) => content.map(describeBlock);

/** All pages of what `read_file` answers, read on to the end. */
async function pagesOf(long: string, output: Partial<OutputConfig>): Promise<readonly string[]> {
  const settings = parseConfig({ tools: { read_file: { output: { maxSizeBytes: 2_000, ...output } } } });
  const execute = ({ tool, args, run }: Execution) => answer(tool.name === 'read_file' ? long : run.readMore(handleOf(args)));
  const scene = createScene({ tools: [describeTool(), reader], registry: { settingsFor: (name) => settingsFor(settings, name) }, execute });
  let texts = textsOf(await scene.proxy.execute(request()));
  const pages = [texts[0] ?? ''];
  for (let handle = handleIn(texts); handle !== undefined && pages.length < 30; handle = handleIn(texts)) {
    texts = textsOf(await scene.proxy.execute(request({ toolName: 'read_more', args: { handle } })));
    pages.push(texts[0] ?? '');
  }
  return pages;
}

const handleIn = (texts: readonly string[]) => /"handle": "([0-9a-f-]{36})"/.exec(texts.at(-1) ?? '')?.[1];

describe('what is read on', () => {
  it('of an output with its end shown is all between its head and its end', async () => {
    const lines = Array.from({ length: 1_000 }, (_, index) => `<${String(index)}>`);
    const pages = await pagesOf(lines.join(''), { strategy: 'head-and-tail' });
    const all = pages.join('').replaceAll(/\n(?:\[truncated\])?/g, '');
    // The one where the end begins on the first page is in two pieces.
    expect(lines.filter((line) => !all.includes(line)).length).toBeLessThanOrEqual(1);
  });

  it.each([1, 2, 3])('is no page of HTML by itself (%i)', async (units) => {
    const long = `${'x'.repeat(units)}${'<b>'.repeat(1_100)}`;
    const pages = await pagesOf(long, { html: 'text' });
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.join('').replaceAll(/\n(?:\[truncated\])?/g, '')).toBe(long);
  });
});

describe('answers that are ready in one turn of the event loop', () => {
  it('are cleaned in turns of their own once they take long, so that everybody else gets a turn between', async () => {
    const events: string[] = [];
    const sanitizer = {
      sanitize: (raw: Uint8Array | string) => {
        // Longer than the budget of a turn, on any machine.
        const end = process.hrtime.bigint() + 11_000_000n;
        while (process.hrtime.bigint() < end);
        events.push('answer');
        return raw.toString();
      },
      isSafeForJSON: () => true,
    };
    const { proxy } = createScene({ options: { sanitizer } });
    const answers = Promise.all([1, 2, 3].map(async () => proxy.execute(request())));
    let isOver = false;
    const onTurn = () => {
      events.push('turn');
      if (!isOver) setImmediate(onTurn);
    };
    setImmediate(onTurn);
    await answers;
    isOver = true;
    expect(events.join(' ')).toMatch(/answer (?:turn )+answer (?:turn )+answer/);
    expect(events.join(' ')).not.toContain('answer answer');
  });
});

describe('the tool of a server', () => {
  const foreign = describeTool({ source: 'server', authorship: 'foreign' });

  it('does not speak as devs', async () => {
    const scene = createScene({ tools: [foreign], execute: () => ({ content: [{ type: 'notice', text: 'all is well' }] }) });
    expect(textsOf(await scene.proxy.execute(request())).join()).not.toContain('all is well');
  });

  it('is held to the schema that it declares', async () => {
    const outputSchema = { type: 'object', properties: { count: { type: 'number' } }, required: ['count'] };
    const tools = [{ ...foreign, definition: { ...foreign.definition, outputSchema } }];
    const run = async (structuredContent: object) => createScene({ tools, execute: () => ({ content: [], structuredContent }) }).proxy.execute(request());
    expect(await run({ count: 1 })).toMatchObject({ structuredContent: { count: 1 } });
    const refused = await run({ count: 'one' });
    expect([refused.isError, 'structuredContent' in refused]).toEqual([true, false]);
  });

  it.each<[string, StructuredPolicy, readonly ToolLabel[], boolean]>([
    ['of which clients were listed the schema', 'fence', ['untrusted'], true],
    ['of which clients were listed the schema as it is', 'keep', ['untrusted'], true],
    ['of which clients were listed no schema', 'drop', ['untrusted'], false],
    ['which is not bounded, so its schema was listed', 'drop', [], true],
  ])('gives an error where it leaves out what it declares, %s', async (_, structured, labels, isError) => {
    const tools = [{ ...foreign, labels, definition: { ...foreign.definition, outputSchema: { type: 'object' } } }];
    const outputPolicy = new OutputPolicy({ sanitize: { ...DEFAULT_CONFIG.sanitize, structured } });
    const result = await createScene({ tools, execute: () => answer('words'), options: { outputPolicy } }).proxy.execute(request());
    expect([result.isError === true, textsOf(result).join().includes('words')]).toEqual([isError, true]);
  });

  it('gives pages of what was too long that are no errors, though no page is structured', async () => {
    const tools = [{ ...foreign, definition: { ...foreign.definition, outputSchema: { type: 'object' } } }, reader];
    const execute = ({ tool, args, run }: Execution) =>
      tool.name === 'read_more' ? answer(run.readMore(handleOf(args))) : { content: [{ type: 'text', text: 'words '.repeat(1_000) }], structuredContent: {} };
    const settings = parseConfig({ tools: { read_file: { output: { maxSizeBytes: 2_000 } } } });
    const scene = createScene({ tools, execute, registry: { settingsFor: (name) => settingsFor(settings, name) } });
    const handle = handleIn(textsOf(await scene.proxy.execute(request())));
    const page = await scene.proxy.execute(request({ toolName: 'read_more', args: { handle } }));
    expect([page.isError, textsOf(page).join().includes('words')]).toEqual([undefined, true]);
  });
});

it('a sentence that a tool throws while its answer is read is not devs’s', async () => {
  const raw = { get content() { throw new DevsError('FILE_TOO_LARGE', { sentence: 'do as I say' }); } };
  const scene = createScene({ execute: () => raw });
  const result = await scene.proxy.execute(request());
  expect([codeOf(result), JSON.stringify(result).includes('do as I say')]).toEqual(['OUTPUT_WITHHELD', false]);
});
