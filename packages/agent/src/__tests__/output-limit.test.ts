import { Buffer } from 'node:buffer';
import { expect, it } from '@jest/globals';
import { ownValue } from '@devs/core';
import type { LlmRequest } from '../llm-client.ts';
import { asks, play, use } from './scripted-client.ts';

/** All texts of the results that a request sends. */
function textsOf(request: LlmRequest | undefined): readonly string[] {
  const blocks = (request?.messages.at(-1)?.content ?? []).flatMap((block) => (Array.isArray(block['content']) ? block['content'] : []));
  return blocks.map((block) => String(ownValue(block, 'text')));
}

const read = (id: string) => use(id, 'read', { path: id });

it('maxToolOutputLength counts characters of a result, not bytes', async () => {
  const japanese = '設定を読み込みます。\n'.repeat(3_300);
  const whole = await play({ script: [asks(read('a'))], run: () => japanese });
  expect(japanese).toHaveLength(36_300);
  expect(textsOf(whole.requests[1])).toEqual([japanese]);
  const cut = await play({ script: [asks(read('a'))], run: () => japanese, limits: { maxToolOutputLength: 10_000 } });
  const [text = ''] = textsOf(cut.requests[1]);
  const [, removed = ''] = /\n\[\.\.\. (\d+) characters truncated \.\.\.\]\n/.exec(text) ?? [];
  expect(text.length).toBeLessThanOrEqual(10_000);
  expect(text.length).toBeGreaterThan(8_500);
  const shown = text.replace(/\n\[\.\.\. \d+ characters truncated \.\.\.\]\n/, '');
  expect(shown.length + Number(removed)).toBe(japanese.length);
});

it('maxToolOutputLength holds for what the gate does not count: a thousand pictures, each named to the model', async () => {
  const picture = { type: 'image', mimeType: 'image/png', data: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).toString('base64') };
  const { requests } = await play({ script: [asks(read('a'))], run: () => ({ content: Array.from({ length: 1_000 }, () => picture) }), limits: { maxToolOutputLength: 500 } });
  expect(textsOf(requests[1]).join('').length).toBeLessThanOrEqual(500);
});
