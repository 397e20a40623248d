import { CALL, IN_TIME, NOT_OFFERED, tool, type Behaviour, type Must, type Request } from './behaviour.ts';
import type { Members } from './wire.ts';

const call = (given: Members): Request => ({ method: 'tools/call', params: { name: 'act', arguments: given } });
const object = (a: Members): Members => ({ type: 'object', properties: { a } });

/** Without JSON.stringify, whose own depth would end the server first. */
const deepSchema = (depth: number): string => `{"type":"object","properties":{"a":${'{"anyOf":['.repeat(depth)}{}${']}'.repeat(depth)}}}`;

/** Each level is looked at twice by the level above: 2^levels looks at the last. */
function doubling(levels: number): Members {
  const definitions: Record<string, Members> = { [`l${levels}`]: { type: 'string' } };
  for (let level = 0; level < levels; level += 1) {
    const $ref = `#/$defs/l${level + 1}`;
    definitions[`l${level}`] = { allOf: [{ $ref }, { $ref }] };
  }
  return { ...object({ $ref: '#/$defs/l0' }), $defs: definitions };
}

/** Each process of the family loads all rows, so only the one that offers a large schema builds it. */
type Row = readonly [name: string, title: string, toInputSchema: () => Members, provoke: Request, must: Must];

const ROWS: readonly Row[] = [
  ['huge', 'of 8 MB', () => object({ description: 'x'.repeat(8_000_000) }), CALL, IN_TIME],
  ['wide', 'with 200,000 properties', () => ({ type: 'object', properties: Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`p${index}`, {}])) }), CALL, IN_TIME],
  ['doubling', 'whose references double thirty times', () => doubling(30), call({ a: 'x' }), IN_TIME],
  ['endless', 'that refers to itself', () => ({ ...object({ $ref: '#/$defs/a' }), $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } }), call({ a: 'x' }), IN_TIME],
  ['slow-pattern', 'with a pattern that takes for ever', () => object({ type: 'string', pattern: '^(a+)+$' }), call({ a: `${'a'.repeat(60)}!` }), IN_TIME],
  ['broken-pattern', 'with a pattern that is none', () => object({ type: 'string', pattern: '(' }), CALL, NOT_OFFERED],
  ['network', 'that is to be fetched', () => object({ $ref: 'https://example.invalid/schema.json' }), CALL, NOT_OFFERED],
  ['file', 'that is to be read from a file', () => object({ $ref: 'file:///etc/passwd' }), CALL, NOT_OFFERED],
  ['no-object', 'that takes a text', () => ({ type: 'string' }), CALL, NOT_OFFERED],
  ['other-dialect', 'in a dialect of its own', () => ({ $schema: 'https://example.invalid/dialect', type: 'object' }), CALL, IN_TIME],
  ['large-enum', 'with an enum of 100,000 words, looked at 50 times', () => ({ type: 'object', allOf: Array.from({ length: 50 }, () => object({ enum: Array.from({ length: 2_000 }, (_, index) => `w${index}`) })) }), call({ a: 'w1999' }), IN_TIME],
];

/** How deep: at 1,000 most readers hold, at 100,000 few do. */
const deep: readonly Behaviour[] = [1_000, 100_000].map((depth) => ({
  name: `schema-deep-${depth}`,
  title: `offers a tool with a schema ${depth} levels deep`,
  provoke: call({ a: 'x' }),
  must: IN_TIME,
  act: {
    answers: {
      'tools/list': ({ id }, wire) =>
        wire.line(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"honest","inputSchema":{"type":"object"}},{"name":"act","inputSchema":${deepSchema(depth)}}]}}`),
    },
  },
}));

const listed: readonly Behaviour[] = ROWS.map(([name, title, toInputSchema, provoke, must]) => ({
  name: `schema-${name}`,
  title: `offers a tool with a schema ${title}`,
  provoke,
  must,
  act: { answers: { 'tools/list': (asked, wire) => wire.complete(asked, { tools: [tool('honest'), tool('act', { inputSchema: toInputSchema() })] }) } },
}));

export const schemaBehaviours: readonly Behaviour[] = [...deep, ...listed];
