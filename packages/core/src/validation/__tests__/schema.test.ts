import { describe, expect, it } from '@jest/globals';
import { DevsError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { ToolRegistry } from '../../tool-registry/ToolRegistry.ts';
import { validateToolArgs } from '../../tool-registry/validate-tool-args.ts';
import { SchemaCompiler } from '../schema.ts';

function checkOf(schema: JsonObject): (input: unknown) => unknown {
  const compiled = new SchemaCompiler().compile(schema);
  return (input) => {
    const checked = compiled.check(input);
    return 'refusal' in checked ? checked.refusal.problems.map(({ pointer, problem }) => `${pointer} ${problem}`).join('; ') : checked.args;
  };
}

function object(properties: JsonObject, rest: JsonObject = {}): JsonObject {
  return { type: 'object', properties, additionalProperties: false, ...rest };
}

describe('a polluted prototype', () => {
  it('decides nothing: what does not fit is refused', () => {
    const registry = new ToolRegistry();
    const inputSchema = object({ path: { type: 'string' } });
    registry.register({
      definition: { name: 'a', description: 'x', inputSchema },
      handler: () => Promise.resolve(''),
      effects: false,
      labels: [],
      source: 'built-in',
    });
    const planted = { args: { path: '/etc/passwd' }, value: { path: 'x' }, valid: true };
    for (const [key, value] of Object.entries(planted)) {
      Object.defineProperty(Object.prototype, key, { value, configurable: true });
    }
    try {
      const { valid } = validateToolArgs('a', { bad: 1 }, registry, { log: () => undefined });
      expect(valid).toBe(false);
    } finally {
      for (const key of Object.keys(planted)) Reflect.deleteProperty(Object.prototype, key);
    }
  });
});

describe('a compiled schema', () => {
  it.each<[string, JsonObject, unknown, unknown]>([
    ['fits', object({ a: { type: 'string' } }), { a: 'x' }, { a: 'x' }],
    ['names the argument', object({ a: { type: 'array', items: { type: 'string' } } }), { a: ['x', 1] }, '/a/1 must be string'],
    ['names what is missing', object({ a: {} }, { required: ['a'] }), {}, ' must have required property "a"'],
    ['names what is not known', object({}), { b: 1 }, ' has an argument that is not known: "b"'],
    ['shortens what is not known', object({}), { ['b '.repeat(50)]: 1 }, ` has an argument that is not known: "${'b '.repeat(30)}…"`],
    ['lists what is allowed', object({ a: { enum: ['x', 'y'] } }), { a: 'z' }, '/a must be one of ["x","y"]'],
    ['turns nothing into another type', object({ a: { type: 'number' } }), { a: '1' }, '/a must be number'],
    ['fills nothing in', object({ a: { type: 'number', default: 1 } }), {}, {}],
    ['is not met by what is inherited', object({ toString: {} }, { required: ['toString'] }), {}, ' must have required property "toString"'],
    ['is met by an own key of that name', object({ toString: {} }, { required: ['toString'] }), { toString: 1 }, { toString: 1 }],
    ['an inherited name is no known one', object({}), { valueOf: 1 }, ' has an argument that is not known: "valueOf"'],
    ['no value is quoted', object({ a: { type: 'string', maxLength: 3 } }), { a: 'my secret' }, '/a must NOT have more than 3 characters'],
    ['2020-12', object({ a: { type: 'array', prefixItems: [{ type: 'string' }], items: false, minItems: 1 } }), { a: ['x', 1] }, '/a must NOT have more than 1 items'],
    ['refers to itself', object({ a: { $ref: '#' } }), { a: { a: { b: 1 } } }, '/a/a has an argument that is not known: "b"'],
    ['null', object({}), null, ' must be object, not null'],
    ['a list', object({}), [], ' must be object, not array'],
    ['text', object({}), 'x', ' must be object, not string'],
    ['nothing', object({}), undefined, ' must be object, not undefined'],
  ])('%s', (_name, schema, input, expected) => {
    expect(checkOf(schema)(input)).toEqual(expected);
  });

  it('says at most twenty things that are wrong, and that there are more', () => {
    const check = new SchemaCompiler().compile(object({ a: { type: 'array', items: { type: 'string' } } }));
    const checked = check.check({ a: new Array(10_000).fill(1) });
    if (!('refusal' in checked)) throw new Error('it passed');
    expect(checked.refusal.isCut).toBe(true);
    expect(checked.refusal.problems.map(({ pointer }) => pointer)).toEqual(Array.from({ length: 20 }, (_, index) => `/a/${index}`));
  });

  it('refuses prototype keys before the schema sees them', () => {
    const open = checkOf({ type: 'object' });
    expect(open(JSON.parse('{"__proto__":1}'))).toMatch(/^\/__proto__ is a key that reaches/);
    expect(open({ constructor: { prototype: 1 } })).toMatch(/^\/constructor is a key that reaches/);
    expect(open({ anything: 1 })).toEqual({ anything: 1 });
  });

  it('gives frozen arguments of its own', () => {
    const input = { list: [1] };
    const checked = new SchemaCompiler().compile({ type: 'object' }).check(input);
    if ('refusal' in checked) throw new Error('refused');
    input.list.push(2);
    expect(checked.args).toEqual({ list: [1] });
    expect(Object.isFrozen(checked.args) && Object.isFrozen(checked.args['list'])).toBe(true);
  });

  it('shortens a list of what is allowed', () => {
    const words = Array.from({ length: 200 }, (_, index) => `word-${index}`);
    expect(String(checkOf(object({ a: { enum: words } }))({ a: 1 })).length).toBeLessThan(250);
  });

  it('does not see changes of the schema after it was compiled', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const check = checkOf(schema);
    schema.properties.a.type = 'number';
    expect(check({ a: 'x' })).toEqual({ a: 'x' });
  });
});

describe('SchemaCompiler refuses', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['a list', []],
    ['true', true],
    ['no type', {}],
    ['another type', { type: 'array' }],
    ['one of two types', { type: ['object', 'null'] }],
    ['an unknown keyword', { type: 'object', requires: ['a'] }],
    ['an unknown type', object({ a: { type: 'text' } })],
    ['a format nobody checks', object({ a: { type: 'string', format: 'host' } })],
    ['a bad pattern', object({ a: { type: 'string', pattern: '(' } })],
    ['a reference that leads out', object({ a: { $ref: 'https://example.com/schema.json' } })],
    ['what is required and nowhere described', { type: 'object', required: ['a'] }],
    ['a prototype key', JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}')],
    ['a function', { type: 'object', properties: { a: () => true } }],
    ['an asynchronous check, whose promise looks like a yes', { type: 'object', $async: true }],
    ['an asynchronous check said to be none', { type: 'object', $async: false }],
    ['an asynchronous part', object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: { $async: true, type: 'string' } } })],
  ])('%s', (_name, schema) => {
    const compile = () => new SchemaCompiler().compile(schema as JsonObject);
    expect(compile).toThrow(DevsError);
    expect(compile).toThrow(/^TOOL_SCHEMA_REFUSED/);
  });

  it('does not keep what it compiled: two tools may use one $id', () => {
    const compiler = new SchemaCompiler();
    const schema = (type: string) => ({ ...object({ a: { type } }), $id: 'https://example.com/one' });
    const [text, number] = [compiler.compile(schema('string')), compiler.compile(schema('number'))];
    expect(text.check({ a: 'x' })).toHaveProperty('args');
    expect(number.check({ a: 'x' })).toHaveProperty('refusal');
  });

  it('lets no schema refer to the one before it', () => {
    const compiler = new SchemaCompiler();
    compiler.compile({ ...object({ a: {} }), $id: 'https://example.com/secret' });
    expect(() => compiler.compile(object({ a: { $ref: 'https://example.com/secret' } }))).toThrow(/^TOOL_SCHEMA_REFUSED/);
    expect(() => compiler.compile(object({ a: { $ref: '#/nowhere' } }))).toThrow(/^TOOL_SCHEMA_REFUSED/);
    expect(compiler.compile(object({ b: { $ref: '#' } })).check({ b: { a: 1 } })).toHaveProperty('refusal');
  });
});
