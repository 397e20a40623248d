import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { Json } from '../../json.ts';
import { attackText, lawRuns, TOKENS } from './attacks.ts';
import { createPipeline, textOf, type PipelineWishes } from './pipeline-scene.ts';

jest.setTimeout(24 * 60 * 60 * 1_000);

// What is found over the ends of several values: each of them is marked, and the answer is still the answer.

const dashes = '-'.repeat(5);
const HEADER = `${dashes}BEGIN PRIVATE KEY${dashes}`;
const LINE = 'MIIEowIBAAKCAQEAuVx3Zq8Rk1sTf5bG7nHc2LdQ0PpWwYyEeXoJjNvMiKaSrUtB';
const OTHER = 'Zq8vLm2pR7xTuVx3Rk1sTf5bG7nHc2LdQ0PpWwYyEeXoJjNvMiKaSrUtB9aKd02Lm';
const MARK = '[REDACTED:secret:private-key]';

const structuredOf = (value: Json, wishes: PipelineWishes = {}) => createPipeline(wishes)({ content: [], structuredContent: value }).result.structuredContent;
const jsonOf = (value: Json, wishes: PipelineWishes = {}): unknown => JSON.parse(textOf(createPipeline(wishes)({ content: [{ type: 'text', text: JSON.stringify(value) }] })));

/** Shown as [value, what goes out of it], the same of structured content and of a text that is JSON. */
const rows: readonly (readonly [string, Json, Json, PipelineWishes?])[] = [
  [
    'a key in lines, and what comes behind it',
    { matches: [{ line: 1, text: HEADER }, { line: 2, text: LINE }], nextCursor: OTHER },
    { matches: [{ line: 1, text: HEADER }, { line: 2, text: MARK }], nextCursor: MARK },
  ],
  [
    'a key in the lines of two files, and the name of the second',
    { matches: [{ file: 'a.pem', lines: [HEADER, LINE] }, { file: 'b.pem', lines: [OTHER] }] },
    { matches: [{ file: 'a.pem', lines: [HEADER, MARK] }, { file: 'b.pem', lines: [MARK] }] },
  ],
  [
    'a key in lines, and what tells where each line stands',
    { matches: [HEADER, LINE, OTHER].map((line) => ({ path: 'packages/server/certificates/key.pem', call: 'anHonestFunctionName2()', url: 'https://example.com/documentation/index.html', text: line })) },
    { matches: [HEADER, MARK, MARK].map((line) => ({ path: 'packages/server/certificates/key.pem', call: 'anHonestFunctionName2()', url: 'https://example.com/documentation/index.html', text: line })) },
  ],
  ['a password that seems to end in another text', { s: "Server=tcp:db;Password='abc", t: "def'" }, { s: "Server=tcp:db;Password='[REDACTED:secret:url-password]", t: "[REDACTED:secret:url-password]'" }],
  ['the end of the text for a password', { x: 'machine a login b password ' }, { x: 'machine a login b password ' }],
  ['a link that is cut', { snippet: `see [docs](https://example.com/${'a8Kd02Lm'.repeat(5)}` }, { snippet: 'see [docs]([REDACTED:link]' }, { output: { links: 'mark' } }],
  ['a number that is a secret', { port: 4_815_162_342_108_153, size: 1 }, { port: '[REDACTED:secret:injected]', size: 1 }, { injectedSecrets: ['4815162342108153'] }],
  ['a name that is a part of it', { [HEADER]: 1, [`${LINE} `]: 2 }, { [HEADER]: 1, [`${LINE} `]: 2 }],
];

describe('a secret over several values', () => {
  it.each(rows)('%s, in structured content', (_, value, expected, wishes = {}) => {
    expect(structuredOf(value, wishes)).toEqual(expected);
  });

  it.each(rows)('%s, in a text', (_, value, expected, wishes = {}) => {
    expect(jsonOf(value, wishes)).toEqual(expected);
  });

  it('does not part an escape', () => {
    const text = String.raw`{"a":"${HEADER}","b":"\u00e9${LINE}\n${LINE}","c":"x"}`;
    const cleaned: unknown = JSON.parse(textOf(createPipeline()({ content: [{ type: 'text', text }] })));
    expect(cleaned).toMatchObject({ a: HEADER, c: 'x' });
    expect(JSON.stringify(cleaned)).not.toContain(LINE.slice(4, 20));
  });
});

const all: PipelineWishes = { labels: ['untrusted'], output: { maxSizeBytes: 1_000_000, onBinary: 'replace', links: 'mark' } };
const clean = createPipeline({ ...all, sanitize: { structured: 'keep' } });
const long = fc.constantFrom(LINE, OTHER, HEADER, `${HEADER}\n${LINE}\n`, 'machine a login b password ', 'aws_secret_access_key', 'Server=a;Password="', '![x](https://example.com/?q=');
const text = fc.oneof({ weight: 2, arbitrary: long }, attackText(6));
const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof({ maxDepth: 4 }, text, fc.integer(), fc.constantFrom(true, null), fc.array(tie('tree'), { maxLength: 4 }), fc.dictionary(fc.constantFrom('a', 'text', 'value', 'b"', 'c\n'), tie('tree'), { maxKeys: 4 })),
}));

/** What is left of a value without its texts. */
function shapeOf(value: unknown): unknown {
  if (typeof value === 'string') return '';
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? value.map(shapeOf) : Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
}

it('whatever structured content says, it keeps its shape, holds no token, and once cleaned stays as it is', () => {
  fc.assert(
    fc.property(tree, (value) => {
      const once = clean({ content: [], structuredContent: { value } }).result.structuredContent;
      expect(shapeOf(once)).toEqual(shapeOf({ value }));
      expect(clean({ content: [], structuredContent: once }).result.structuredContent).toEqual(once);
      const said = JSON.stringify(once);
      for (const token of TOKENS) expect(said.includes(` ${token} `)).toBe(false);
    }),
    lawRuns(),
  );
});
