import { expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { parseConfig, settingsFor } from '../../config/schema.ts';
import { describeBlock, type ToolResult } from '../../protocol/tool-result.ts';
import { attackText, lawRuns } from '../../sanitization/__tests__/attacks.ts';
import type { AnswerWishes } from '../call-output.ts';
import { answer, createScene, describeTool, request, type Execution } from './scene.ts';

jest.setTimeout(24 * 60 * 60 * 1_000);

const untrusted = describeTool({ name: 'fetch_page', source: 'server', authorship: 'foreign' });
const readMore = describeTool({ name: 'read_more' });
const tools = [untrusted, { ...readMore, definition: { ...readMore.definition, inputSchema: { type: 'object', properties: { handle: { type: 'string' } } } } }];

let text = '';
const config = parseConfig({ tools: { fetch_page: { output: { maxSizeBytes: 1_000_000, onBinary: 'replace' } } } });
const execute = ({ tool, args, run }: Execution) => answer(tool.name === 'read_more' ? run.readMore(typeof args['handle'] === 'string' ? args['handle'] : '') : text);
const { proxy } = createScene({ tools, registry: { settingsFor: (name) => settingsFor(config, name) }, execute });

/** No message stands at a cut. */
function withBudget(maxSizeBytes: number): AnswerWishes {
  return { output: { maxSizeBytes, truncationMessage: '' } };
}

function partsOf({ content }: ToolResult): { readonly text: string; readonly handle: string | undefined } {
  const [text = '', notice = ''] = content.map(describeBlock);
  return { text, handle: /"handle": "([0-9a-f-]{36})"/.exec(notice)?.[1] };
}

/** @param wishes of the first page, and of each behind it */
async function readToTheEnd(wishes: AnswerWishes, more: AnswerWishes = wishes): Promise<string[]> {
  const first = partsOf(await proxy.execute(request({ toolName: 'fetch_page', args: { path: '' } }), wishes));
  const texts = [first.text];
  for (let { handle } = first; handle !== undefined; ) {
    const page = partsOf(await proxy.execute(request({ toolName: 'read_more', args: { handle } }), more));
    texts.push(page.text);
    handle = page.handle;
  }
  return texts;
}

/** What cleaning makes of a piece is not the piece of what it makes of the whole: line ends in two units, joiners, words that go on. */
const PIECES = ['\r\n', 'a\r\n', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 ', '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}', '__otter ', 'e\u0301', 'x', ' ', 'word ', 'xyz'.repeat(30), '[REDACTED: '];
const awkwardText = fc.array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...PIECES) }, { weight: 1, arbitrary: attackText() }), { minLength: 1, maxLength: 20 });
const longText = fc.tuple(awkwardText, fc.integer({ min: 1, max: 40 })).map(([pieces, times]) => pieces.join('').repeat(times).slice(0, 12_000).toWellFormed());
const budget = fc.integer({ min: 1_024, max: 1_500 });

it('page by page an output is what it is as a whole', async () => {
  await fc.assert(
    fc.asyncProperty(longText, budget, async (output, maxSizeBytes) => {
      text = output;
      const [whole] = await readToTheEnd({});
      expect((await readToTheEnd(withBudget(maxSizeBytes))).join('')).toBe(whole);
    }),
    lawRuns(),
  );
});

it('and nothing is lost behind what only begins as a mark', async () => {
  text = `${'a word of it, '.repeat(100)}marks begin with [REDACTED: and so on, ${'a word of it, '.repeat(400)}`;
  expect((await readToTheEnd(withBudget(1_200))).join('')).toBe(text);
});

it('and nothing is lost of it where more is asked of the pages than of the first', async () => {
  const image = '![x](https://example.com/a?b=c)';
  text = `${'a word of it, '.repeat(200)}\r\n__ot ${image} ${'\u0645\u06cc\u200c\u062e '.repeat(300)}`;
  const asked = withBudget(1_200);
  const pages = await readToTheEnd(asked, { boundaries: true, output: { ...asked.output, links: 'mark' } });
  const read = pages.map((page) => /^<external-content-(\w+) [^>]*>\n([^]*)\n<\/external-content-\1>$/.exec(page)?.[2] ?? page).join('');
  expect(read).toBe(text.replace('__ot', '[REDACTED:trigger]').replace(image, '[REDACTED:link]'));
});
