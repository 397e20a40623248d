import { Buffer } from 'node:buffer';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lawRuns } from '../../__tests__/law-runs.ts';
import { describeBlock } from '../../protocol/tool-result.ts';
import { createPipeline } from './pipeline-scene.ts';

const MESSAGE = '[... {characters} characters truncated ...]';

it('maxCharacters and maxSizeBytes both hold, with the boundary and the notice of where to read on', () => {
  const units = fc.string({ unit: fc.constantFrom('a', 'é', '語', '😀', '\n'), maxLength: 3_000 });
  fc.assert(
    fc.property(fc.array(units, { maxLength: 3 }), fc.nat(4_000), fc.integer({ min: 0, max: 8_000 }), fc.boolean(), (texts, maxCharacters, maxSizeBytes, isBounded) => {
      const context = { maxCharacters, keep: () => '00000000-0000-4000-8000-000000000000' };
      const run = createPipeline({ output: { maxSizeBytes, truncationMessage: MESSAGE, strategy: 'head-and-tail' }, requested: isBounded, context });
      const { content } = run({ content: texts.map((text) => ({ type: 'text', text })) }).result;
      const said = content.map(describeBlock).join('');
      expect(said.length).toBeLessThanOrEqual(maxCharacters);
      // A budget below 512 bytes has the notice of a cut on top (ADR 0057).
      expect(Buffer.byteLength(said)).toBeLessThanOrEqual(maxSizeBytes < 512 ? maxSizeBytes + 256 : maxSizeBytes);
    }),
    lawRuns(300),
  );
});

it.each(['head', 'head-and-tail'] as const)('the number in the message is that of the characters left out: %s', (strategy) => {
  const text = '設定を読む。'.repeat(2_000);
  const { result } = createPipeline({ output: { truncationMessage: MESSAGE, strategy }, context: { maxCharacters: 5_000 } })({ content: [{ type: 'text', text }] });
  const said = result.content.map(describeBlock).join('');
  const notice = /\n?\[\.\.\. (\d+) characters truncated \.\.\.\]\n?/.exec(said);
  expect(Number(notice?.[1]) + said.length - (notice?.[0].length ?? 0)).toBe(text.length);
  expect(said.length).toBeGreaterThan(4_400);
});

it.each([Number.NaN, -1])('%p is no number of characters: nothing goes out', (maxCharacters) => {
  const run = createPipeline({ context: { maxCharacters } });
  expect(() => run({ content: [{ type: 'text', text: 'x' }] })).toThrow(RangeError);
});
