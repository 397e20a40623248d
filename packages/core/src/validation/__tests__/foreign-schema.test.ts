import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../json.ts';
import { canonicalJson } from '../../canonical-json.ts';
import { SchemaCompiler } from '../schema.ts';

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';

function checkOf(schema: JsonObject, compiler = new SchemaCompiler()): (input: unknown) => unknown {
  const compiled = compiler.compile(schema, { authorship: 'foreign' });
  return (input) => {
    const checked = compiled.check(input);
    return 'refusal' in checked ? checked.refusal.problems.map(({ pointer, problem }) => `${pointer} ${problem}`).join('; ') : checked.args;
  };
}

function object(properties: JsonObject, rest: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...rest };
}

describe('a schema of a server behind devs', () => {
  it.each<[string, JsonObject, unknown, unknown]>([
    ['has keywords of its own', object({ a: { type: 'string', 'x-order': 1, deprecated: true } }), { a: 'x' }, { a: 'x' }],
    ['leaves types out', { type: 'object', required: ['a'] }, {}, ' must have required property "a"'],
    ['lets more pass where it says nothing', object({}), { b: 1 }, { b: 1 }],
    ['fills nothing in', object({ a: { default: 5 } }), {}, {}],
    ['turns nothing into another type', object({ a: { type: 'number' } }), { a: '1' }, '/a must be number'],
    ['names formats that devs checks', object({ a: { type: 'string', format: 'uri' } }), { a: 'no uri' }, '/a must match format "uri"'],
    ['names formats that nobody checks', object({ a: { type: 'string', format: 'colour' } }), { a: 'no colour' }, { a: 'no colour' }],
    ['is of draft 07: a tuple', object({ a: { items: [{ type: 'string' }], additionalItems: false } }, { $schema: DRAFT_07 }), { a: ['x', 1] }, '/a must NOT have more than 1 items'],
    ['is of draft 07, written otherwise', object({ a: { type: 'string' } }, { $schema: 'https://json-schema.org/draft-07/schema' }), { a: 1 }, '/a must be string'],
    ['is of 2019-09', object({ a: { $recursiveRef: '#' } }, { $schema: 'https://json-schema.org/draft/2019-09/schema', $recursiveAnchor: true, unevaluatedProperties: false }), { a: { b: 1 } }, '/a has an argument that is not known: "b"'],
    ['is of 2020-12', object({ a: { prefixItems: [{ type: 'string' }], items: false } }), { a: ['x', 1] }, '/a must NOT have more than 1 items'],
    ['refers to its parts', object({ a: { $ref: '#/definitions/x' } }, { definitions: { x: { type: 'string' } } }), { a: 1 }, '/a must be string'],
    ['refers to itself', object({ a: { $ref: '#' } }, { additionalProperties: false }), { a: { a: { b: 1 } } }, '/a/a has an argument that is not known: "b"'],
    ['takes a schema as an argument', object({ a: { $ref: 'https://json-schema.org/draft/2020-12/schema' } }), { a: { type: 'no type' } }, expect.stringMatching(/^\/a\/type must be/)],
    ['has a pattern that is none with the u flag', object({ a: { pattern: '^\\d{3}\\-\\d$' } }), { a: '123-4' }, { a: '123-4' }],
    ['has a pattern that takes for ever', object({ a: { pattern: '^(a|a)*$' } }), { a: `${'a'.repeat(45)}!` }, '/a must match pattern "^(a|a)*$"'],
    ['has names by pattern', object({}, { patternProperties: { '^(x|x)*$': { type: 'string' } }, additionalProperties: false }), { [`${'x'.repeat(45)}!`]: 1, xx: 1 }, expect.stringMatching(/^\/xx must be string; {2}has an argument that is not known: "x{45}!"$/)],
    ['has a pattern with code points', object({ a: { pattern: '^.$' } }), { a: '😀' }, { a: '😀' }],
    ['wants items that differ', object({ a: { uniqueItems: true } }), { a: [{ x: 1, y: 2 }, { y: 2, x: 1 }] }, '/a must NOT have duplicate items'],
    ['wants no such thing', object({ a: { uniqueItems: false } }), { a: [1, 1] }, { a: [1, 1] }],
    ['is not met by what is inherited', { type: 'object', required: ['toString'] }, {}, ' must have required property "toString"'],
    ['lets no prototype pass', object({}), JSON.parse('{"__proto__":{"a":1}}'), '/__proto__ is a key that reaches an object’s prototype'],
  ])('%s', (_name, schema, input, expected) => {
    expect(checkOf(schema)(input)).toEqual(expected);
  });

  it('gives frozen copies', () => {
    const args = checkOf(object({}))({ a: { b: 1 } });
    expect(Object.isFrozen(args)).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ['is not for an object', { type: 'string' }],
    ['has no type', {}],
    ['is asynchronous', { type: 'object', $async: true }],
    ['is asynchronous inside', { type: 'object', properties: { a: { $async: true, type: 'string' } } }],
    ['refers to what is asynchronous', object({ a: { $ref: '#/$defs/b' } }, { $defs: { b: { $async: true, type: 'string' } } })],
    ['goes round for ever at its root', { type: 'object', allOf: [{ $ref: '#' }] }],
    ['goes round where it asks if', object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: { anyOf: [{ type: 'string' }, { not: { if: true, else: { $ref: '#/$defs/a' } } }] } } })],
    ['has a pattern that looks behind', object({ a: { pattern: '(?<=a)b' } })],
    ['has a pattern that refers back', object({}, { patternProperties: { '(a)\\1': {} } })],
    ['has patterns that are too large together', object(Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`p${index}`, { pattern: `${index}(a{30}){30}` }])))],
    ['goes round for ever', { type: 'object', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }],
    ['refers to the network', object({ a: { $ref: 'https://example.com/schema.json' } })],
    ['refers to a file', object({ a: { $ref: 'file:///etc/passwd' } })],
    ['refers to nothing', object({ a: { $ref: '#/definitions/none' } })],
    ['is of an unknown dialect', object({}, { $schema: 'https://example.com/dialect' })],
    ['is of draft 04', object({}, { $schema: 'http://json-schema.org/draft-04/schema#' })],
    ['names its dialect by a number', object({}, { $schema: 4 })],
    ['is no schema', object({ a: { type: 'text' } })],
    ['is no schema in a way that compiles', object({ a: { minLength: -1 } })],
    ['has a pattern that is none', object({ a: { pattern: '(' } })],
    ['has names by a pattern that is none', object({}, { patternProperties: { '(': {} } })],
    ['takes the place of a dialect', object({}, { $id: 'https://json-schema.org/draft/2020-12/schema' })],
    ['holds the place of a dialect', object({ a: { $id: 'https://json-schema.org/draft/2020-12/schema' } })],
    ['is too long', object({}, { description: 'x'.repeat(262_144) })],
    ['holds too much', object({ a: { enum: Array.from({ length: 4_000 }, (_, index) => index) } })],
    ['is too deep', nest(70)],
    ['reaches a prototype', JSON.parse('{"type":"object","properties":{"__proto__":{}}}')],
  ])('is refused: it %s', (_name, schema) => {
    expect(() => new SchemaCompiler().compile(schema, { authorship: 'foreign' })).toThrow(/^TOOL_SCHEMA_REFUSED/);
  });

  it('reaches no other schema, by whatever id', () => {
    const compiler = new SchemaCompiler();
    const named = (type: string) => object({ a: { $id: 'https://example.com/part', type } }, { $id: 'https://example.com/whole' });
    const first = checkOf(named('string'), compiler);
    const second = checkOf(named('number'), compiler);
    expect([first({ a: 'x' }), second({ a: 1 })]).toEqual([{ a: 'x' }, { a: 1 }]);
    expect([first({ a: 1 }), second({ a: 'x' })]).toEqual(['/a must be string', '/a must be number']);
    expect(() => checkOf(object({ b: { $ref: 'https://example.com/part' } }), compiler)).toThrow(/^TOOL_SCHEMA_REFUSED/);
    // Nor one of ours.
    compiler.compile({ type: 'object', $id: 'https://example.com/part' });
  });

  it('leaves our own strict', () => {
    const compiler = new SchemaCompiler();
    compiler.compile(object({ a: { 'x-order': 1 } }), { authorship: 'foreign' });
    expect(() => compiler.compile(object({ a: { 'x-order': 1 } }))).toThrow(/^TOOL_SCHEMA_REFUSED/);
  });

  it('cannot double the work at each of sixty references', () => {
    const $defs: Record<string, Json> = { d60: { not: {} } };
    for (let index = 0; index < 60; index += 1) {
      const next = { $ref: `#/$defs/d${index + 1}` };
      $defs[`d${index}`] = { anyOf: [next, next] };
    }
    expect(checkOf({ type: 'object', $defs, $ref: '#/$defs/d0' })({})).toMatch(/^ cannot be checked: it is too large/);
  });

  it('cannot double the work at each level of the arguments', () => {
    const again = { properties: { a: { $ref: '#' } } };
    const check = checkOf({ type: 'object', properties: {}, allOf: [again, again], required: ['a'] });
    expect(check(JSON.parse(`${'{"a":'.repeat(60)}{}${'}'.repeat(60)}`))).toMatch(/does not fit|required/);
  });

  it('that goes round by a dynamic reference ends all the same', () => {
    const schema = { type: 'object', $dynamicAnchor: 'a', anyOf: [{ $dynamicRef: '#a' }] };
    expect(checkOf(schema)({})).toMatch(/^ cannot be checked: .* goes round for ever/);
  });

  it.each([[400, {}], [600, expect.stringMatching(/^ cannot be checked: it is too large/)]])('that asks on and on, %i times, is followed to an end', (count, expected) => {
    const ask = (index: number): JsonObject => ({ allOf: [{ $ref: `#/$defs/d${index}` }] });
    const $defs: Record<string, Json> = { [`d${count}`]: true };
    for (let index = 0; index < count; index += 1) $defs[`d${index}`] = ask(index + 1);
    expect(checkOf({ type: 'object', $defs, ...ask(0) })({})).toEqual(expected);
  });

  it('compares a hundred thousand items once each', () => {
    const items = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    const check = checkOf(object({ a: { uniqueItems: true } }));
    expect(check({ a: [...items, { index: 5 }] })).toBe('/a must NOT have duplicate items');
  });
});

describe('canonical JSON', () => {
  it.each<[Json, string]>([
    [{ b: 1, a: [true, null, 'x"'] }, '{"a":[true,null,"x\\""],"b":1}'],
    [{ a: { d: 1, c: 2 } }, '{"a":{"c":2,"d":1}}'],
    [[], '[]'],
    [-0, '0'],
    [1.0, '1'],
  ])('%j', (value, expected) => {
    expect(canonicalJson(value)).toBe(expected);
  });
});

function nest(depth: number): JsonObject {
  let schema: JsonObject = { type: 'string' };
  for (let level = 0; level < depth; level += 1) schema = { items: schema };
  return object({ a: schema });
}
