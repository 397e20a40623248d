import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { DevsError } from '../../errors.ts';
import { attackText, disguised, harmlessText, lawRuns, SURROUNDINGS, TOKENS } from './attacks.ts';
import { createPipeline, textOf, unwrap, type PipelineWishes } from './pipeline-scene.ts';

// The laws of the pipeline, over texts made of pieces of attacks.

const LONGEST_TEST_MS = 24 * 60 * 60 * 1_000;
const all: PipelineWishes = { labels: ['untrusted'], output: { maxSizeBytes: 1_000_000, onBinary: 'replace', links: 'mark' } };
const pipeline = createPipeline(all);
const unbounded = createPipeline({ ...all, labels: [] });

function clean(text: string): string {
  const content = unwrap(textOf(pipeline({ content: [{ type: 'text', text }] })));
  if (content === undefined) throw new Error('it stands in no boundary of its own');
  return content;
}

jest.setTimeout(LONGEST_TEST_MS);

describe('whatever a tool gives', () => {
  it('once cleaned, stays as it is', () => {
    fc.assert(
      fc.property(attackText(), (text) => {
        const once = clean(text);
        expect(clean(once)).toBe(once);
      }),
      lawRuns(),
    );
  });

  it('is text that JSON and UTF-8 carry, with no control but tab and line ends', () => {
    fc.assert(
      fc.property(attackText(), (text) => {
        const cleaned = textOf(pipeline({ content: [{ type: 'text', text }] }));
        expect(cleaned.isWellFormed()).toBe(true);
        expect(cleaned).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)/);
        expect(JSON.parse(JSON.stringify(cleaned))).toBe(cleaned);
        expect(Buffer.from(cleaned, 'utf8').toString('utf8')).toBe(cleaned);
      }),
      lawRuns(),
    );
  });

  it('has one boundary, which is its own, and no trigger', () => {
    fc.assert(
      fc.property(attackText(), (text) => {
        // What is not seen in a word, and half a character, makes no other word of it.
        const content = clean(text).replaceAll('&shy;', '\u00ad').normalize('NFKC').toLowerCase();
        expect(content).not.toMatch(/<\s*\/?\s*external-content/);
        expect(content).not.toMatch(/__ot(?![\p{M}\p{Cf}\ufffc\ufffd]*[\p{L}\p{N}])|mcp__(?:onetool|devs)(?![\p{M}\p{Cf}\ufffc\ufffd]*[\p{L}\p{N}])/u);
      }),
      lawRuns(),
    );
  });

  it('fits its budget, boundary, notices and all', () => {
    fc.assert(
      fc.property(attackText(60), fc.nat(800), fc.boolean(), fc.boolean(), (text, maxSizeBytes, isBounded, isTail) => {
        const output = { maxSizeBytes, onBinary: 'replace', strategy: isTail ? 'head-and-tail' : 'head' } as const;
        const small = createPipeline({ output, labels: isBounded ? ['untrusted'] : [], context: { keep: () => 'a-handle' } });
        const cleaned = textOf(small({ content: [{ type: 'text', text }] })).replaceAll('\n---\n', '');
        // The notice of a cut takes at most 256 bytes. A smaller budget than twice that has it on top (ADR 0057).
        expect(Buffer.byteLength(cleaned)).toBeLessThanOrEqual(maxSizeBytes < 512 ? maxSizeBytes + 256 : maxSizeBytes);
        // A mark of devs is whole or not there; of one that the text brings cut, nothing is promised.
        if (!text.includes('REDACTED')) expect(cleaned.replace(/\[REDACTED:(?:tag|trigger|link|secret:[a-z0-9-]+)\]/g, '')).not.toMatch(/\[REDACTED:(?:ta|tr|li|secret:[a-z0-9-]*$)/);
      }),
      lawRuns(),
    );
  });

  it('is not more when less is asked for: a caller can only add', () => {
    fc.assert(
      fc.property(attackText(), fc.boolean(), (text, requested) => {
        const raw = { content: [{ type: 'text', text }] };
        const asked = createPipeline({ ...all, requested })(raw);
        expect(unwrap(textOf(asked))).toBe(clean(text));
        if (requested) expect(unwrap(textOf(createPipeline({ ...all, labels: [], requested })(raw)))).toBe(clean(text));
      }),
      lawRuns(1_000),
    );
  });

  const planted = fc.record({
    token: fc.constantFrom(...TOKENS).chain((token) => disguised(token).map((disguise) => ({ token, disguise }))),
    before: fc.constantFrom(...SURROUNDINGS),
    after: fc.constantFrom(...SURROUNDINGS.filter((text) => !/[-_]/.test(text))),
    left: harmlessText(6),
    right: attackText(6),
  });

  it('has no secret in it, however it was cut and wherever it stood', () => {
    fc.assert(
      fc.property(planted, fc.nat(7), ({ token: { token, disguise }, before, after, left, right }, where) => {
        const said = JSON.stringify(outcomeOf(placed(`${left} ${before}${disguise}${after} ${right}`, where)));
        if (!said.includes(token.slice(4, 24))) return;
        // `right` may bring the same characters glued to a letter, where they are another word than a token; then it leaves them
        // alone too, as often.
        const alone = JSON.stringify(outcomeOf(placed(right, where)));
        expect(said.split(token.slice(4, 24)).length).toBe(alone.split(token.slice(4, 24)).length);
      }),
      lawRuns(),
    );
  });
});

/** Law 1: every channel. */
function placed(text: string, where: number): object {
  const texts = (...blocks: readonly string[]) => blocks.map((block) => ({ type: 'text', text: block }));
  switch (where) {
    case 0:
      return { content: texts('see'), structuredContent: { deep: [{ text }] } };
    case 1:
      return { content: texts('see'), structuredContent: { [text.toWellFormed()]: 1 } };
    case 2:
      return { content: texts(JSON.stringify({ inner: [text] })) };
    case 3:
      return { content: texts(JSON.stringify({ inner: JSON.stringify(text) })) };
    case 4:
      return { content: [{ type: 'resource', resource: { uri: 'memo://a', text } }] };
    case 5:
      return { content: [{ type: 'resource_link', uri: 'https://example.invalid/a', name: text, description: text }] };
    case 6:
      return { content: texts(text), isError: true };
    default:
      return { content: [{ type: 'text', text: Buffer.from(text.toWellFormed(), 'utf8') }] };
  }
}

/** What is withheld holds nothing. */
function outcomeOf(raw: object): unknown {
  try {
    return unbounded(raw).result;
  } catch (cause) {
    if (DevsError.is(cause) && cause.code === 'OUTPUT_WITHHELD') return cause.code;
    throw cause;
  }
}
