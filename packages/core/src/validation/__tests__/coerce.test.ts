import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../json.ts';
import { SchemaCompiler, validateToolInput } from '../schema.ts';

/** What becomes of a value, or that nothing does. */
function coerced(schema: Json, value: unknown): unknown {
  const result = validateToolInput('x', { properties: { a: schema } }, { a: value }, { mode: 'lenient' });
  return result.valid ? (result.coerced as JsonObject)['a'] : 'refused';
}

const number = { type: 'number' };
const integer = { type: 'integer' };
const boolean = { type: 'boolean' };
const string = { type: 'string' };

describe('lenient validation', () => {
  it.each<[Json, unknown, unknown]>([
    [number, '5', 5],
    [number, '-0.25e1', -2.5],
    [number, '-0', 0],
    [number, '', 'refused'],
    [number, ' 5', 'refused'],
    [number, '5 ', 'refused'],
    [number, '0x10', 'refused'],
    [number, '05', 'refused'],
    [number, '.5', 'refused'],
    [number, '+5', 'refused'],
    [number, '1_000', 'refused'],
    [number, '1e400', 'refused'],
    [number, 'Infinity', 'refused'],
    [number, 'NaN', 'refused'],
    [number, '٥', 'refused'],
    [number, '9007199254740993', 'refused'],
    [number, `1${'0'.repeat(100)}`, 'refused'],
    [number, '1e-400', 'refused'],
    [number, '0.0', 0],
    [number, '1.50', 1.5],
    [number, '2.5e-7', 2.5e-7],
    [number, '3.141592653589793238', 'refused'],
    [integer, '0.99999999999999999999', 'refused'],
    [integer, '1200e-2', 12],
    [string, 123456789012345680000, 'refused'],
    [string, 1e21, 'refused'],
    [string, 0.1, '0.1'],
    [number, true, 'refused'],
    [number, null, 'refused'],
    [number, [5], 'refused'],
    [integer, '5', 5],
    [integer, '5.0', 5],
    [integer, '5.5', 'refused'],
    [integer, '9007199254740991', 9007199254740991],
    [integer, '9007199254740992', 'refused'],
    [boolean, 'true', true],
    [boolean, 'false', false],
    [boolean, 'True', 'refused'],
    [boolean, 'yes', 'refused'],
    [boolean, '1', 'refused'],
    [boolean, 1, 'refused'],
    [boolean, 0, 'refused'],
    [boolean, null, 'refused'],
    [string, 5, '5'],
    [string, -2.5, '-2.5'],
    [string, true, 'true'],
    [string, null, 'refused'],
    [string, {}, 'refused'],
    [string, [], 'refused'],
    [{ type: 'null' }, '', 'refused'],
    [{ type: 'null' }, 'null', 'refused'],
    [{ type: 'null' }, 0, 'refused'],
    [{ type: 'array' }, 'a', 'refused'],
    [{ type: 'array', items: number }, '5', 'refused'],
    [{ type: 'object' }, '{}', 'refused'],
    [{ type: 'array', items: number }, ['1', 2, '3'], [1, 2, 3]],
    [{ type: 'array', items: number }, ['1', 'x'], 'refused'],
    [{ type: ['number', 'null'] }, '5', 5],
    [{ type: ['number', 'string'] }, '5', '5'],
    [{ type: 'number', maximum: 4 }, '5', 'refused'],
    [{ type: 'string', maxLength: 1 }, 55, 'refused'],
    [{ anyOf: [number, boolean] }, 'true', true],
    [{ anyOf: [number, boolean] }, 'x', 'refused'],
    [{ enum: [5] }, '5', 'refused'],
    [{ type: 'number', enum: [5] }, '5', 5],
    [{ properties: { b: { items: { $ref: '#/properties/a/properties/c' } }, c: number } }, { b: ['1'], d: 'x' }, { b: [1], d: 'x' }],
    [{ oneOf: [{ properties: { kind: { const: 'n' }, v: number } }, { properties: { kind: { const: 's' }, v: string } }] }, { kind: 's', v: 5 }, { kind: 's', v: '5' }],
    [{ not: string }, 'true', 'refused'],
    [
      { properties: { kind: number }, if: { properties: { kind: number } }, then: { properties: { v: number } } },
      { kind: '1', v: '2' },
      { kind: 1, v: 2 },
    ],
    [{ if: number, then: true, else: { type: 'boolean' } }, 'true', true],
  ])('%j takes %j as %j', (schema, value, expected) => {
    expect(coerced(schema, value)).toEqual(expected);
  });

  const versions: Json = {
    anyOf: [
      { properties: { kind: { const: 'a' }, version: number } },
      { properties: { kind: { const: 'b' }, version: string, count: integer } },
    ],
  };
  const oneOrOther: Json = {
    anyOf: [
      { required: ['x'], properties: { v: number } },
      { properties: { v: { type: ['string', 'number'] }, n: number } },
    ],
  };

  it.each<[string, Json, unknown, unknown]>([
    ['a text that another branch wants as a number', versions, { kind: 'b', version: '1.10', count: '3' }, { kind: 'b', version: '1.10', count: 3 }],
    ['a text that is right as it is', oneOrOther, { v: '1.10', n: '5' }, { v: '1.10', n: 5 }],
    ['a text in each item', { items: versions }, [{ kind: 'b', version: '1e3', count: '1' }, { kind: 'b', version: '-0', count: '2' }], [
      { kind: 'b', version: '1e3', count: 1 },
      { kind: 'b', version: '-0', count: 2 },
    ]],
    [
      'a text that was wanted as a number until something else was one',
      { if: { properties: { n: number } }, then: { properties: { v: string } }, else: { properties: { n: number, v: number } } },
      { n: '1', v: '1.10' },
      { n: 1, v: '1.10' },
    ],
    ['a null beside texts', { items: { anyOf: [integer, { type: 'null' }] } }, ['1', null, '2'], [1, null, 2]],
  ])('keeps what nobody needs otherwise: %s', (_, schema, value, expected) => {
    expect(coerced(schema, value)).toEqual(expected);
  });

  it('tells twenty of twenty thousand things that are wrong and no matter of types', () => {
    const schema = { properties: { a: { properties: { n: integer }, additionalProperties: false } } };
    const others = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 1]));
    const { valid, errors = [] } = validateToolInput('x', schema, { a: { n: '1', ...others } }, { mode: 'lenient' });
    expect([valid, errors.length]).toEqual([false, 20]);
  });

  it('tries a thousand choices without, and takes no more', () => {
    const items = { items: { anyOf: [integer, { type: 'null' }] } };
    expect(coerced(items, new Array(1_000).fill('1'))).toHaveLength(1_000);
    expect(coerced(items, new Array(1_001).fill('1'))).toBe('refused');
  });

  it('leaves what fits as it came, and says nothing of it', () => {
    const check = new SchemaCompiler().compile({ type: 'object', properties: { a: number } }, { mode: 'lenient' });
    expect(check.check({ a: 5 })).toEqual({ args: { a: 5 }, paths: [] });
    expect(check.check({ a: '5' })).toEqual({ args: { a: 5 }, received: { a: '5' }, paths: [] });
  });

  it('is never half done: what does not fit in the end is refused for what came', () => {
    const check = new SchemaCompiler().compile({ type: 'object', properties: { a: number, b: number } }, { mode: 'lenient' });
    const checked = check.check({ a: '5', b: 'x' });
    expect(checked).toMatchObject({ refusal: { problems: [{ pointer: '/a' }, { pointer: '/b' }] } });
  });

  it('gives frozen arguments, and leaves what came alone', () => {
    const input = { a: { b: ['1'] } };
    const { coerced: made } = validateToolInput('x', { properties: { a: { properties: { b: { items: number } } } } }, input, { mode: 'lenient' });
    const { a } = made as { readonly a: { readonly b: readonly number[] } };
    expect([made, a, a.b].every((part) => Object.isFrozen(part))).toBe(true);
    expect(input).toEqual({ a: { b: ['1'] } });
  });

  it('turns at most ten thousand texts', () => {
    expect(coerced({ items: number }, new Array(9_999).fill('1'))).toHaveLength(9_999);
    expect(coerced({ items: number }, new Array(10_000).fill('1'))).toBe('refused');
  });

  it('ends in what strict validation takes, or not at all', () => {
    const types = fc.constantFrom<Json>(number, integer, boolean, string, { type: ['integer', 'null'] }, { type: 'array', items: number });
    const values = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.integer().map(String), fc.double().map(String), fc.constantFrom('true', 'false', 'null'));
    fc.assert(
      fc.property(types, values, (schema, value) => {
        const strict = validateToolInput('x', schema, value);
        const lenient = validateToolInput('x', { items: schema }, [value], { mode: 'lenient' });
        if (strict.valid) expect(lenient.coerced).toEqual([strict.coerced]);
        if (lenient.valid) expect(validateToolInput('x', { items: schema }, lenient.coerced).valid).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
