import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../json.ts';
import { SchemaCompiler, type Authorship } from '../schema.ts';

const PATH = { type: 'string', format: 'devs-path' };

function markedIn(schema: JsonObject, input: unknown, authorship: Authorship = 'foreign'): string[] {
  const checked = new SchemaCompiler().compile({ type: 'object', ...schema }, { authorship }).check(input);
  if ('refusal' in checked) throw new Error(JSON.stringify(checked.refusal));
  return checked.paths.map(({ pointer, value }) => `${pointer}=${value}`);
}

describe('what a schema marks as a path', () => {
  it.each<[string, JsonObject, unknown, string[]]>([
    ['an argument', { properties: { a: PATH, b: { type: 'string' } } }, { a: 'x', b: 'y' }, ['/a=x']],
    ['not there', { properties: { a: PATH } }, {}, []],
    ['no string', { properties: { a: { format: 'devs-path' } } }, { a: 5 }, []],
    ['in a list', { properties: { a: { items: PATH } } }, { a: ['x', 'y'] }, ['/a/0=x', '/a/1=y']],
    ['in a tuple', { properties: { a: { prefixItems: [{}, PATH] } } }, { a: ['x', 'y'] }, ['/a/1=y']],
    ['deep', { properties: { a: { properties: { 'b/c': { items: { properties: { d: PATH } } } } } } }, { a: { 'b/c': [{ d: 'x' }] } }, ['/a/b~1c/0/d=x']],
    ['behind a reference', { $defs: { p: PATH }, properties: { a: { $ref: '#/$defs/p' } } }, { a: 'x' }, ['/a=x']],
    ['behind a reference to itself', { properties: { p: PATH, next: { $ref: '#' } } }, { p: 'x', next: { p: 'y', next: { p: 'z' } } }, ['/p=x', '/next/p=y', '/next/next/p=z']],
    ['behind a dynamic reference', { $dynamicAnchor: 't', properties: { p: PATH, next: { $dynamicRef: '#t' } } }, { next: { p: 'y' } }, ['/next/p=y']],
    ['by names that are not known', { additionalProperties: PATH }, { any: 'x' }, ['/any=x']],
    ['by names of a pattern', { patternProperties: { 'File$': PATH } }, { theFile: 'x', other: 'y' }, ['/theFile=x']],
    ['where nothing else looked', { unevaluatedProperties: PATH }, { any: 'x' }, ['/any=x']],
    ['in one of two branches that fit', { properties: { a: { anyOf: [{ type: 'string' }, PATH] } } }, { a: 'x' }, ['/a=x']],
    ['in the only branch that fits', { properties: { a: { oneOf: [{ type: 'null' }, PATH] } } }, { a: 'x' }, ['/a=x']],
    ['in all branches', { allOf: [{ properties: { a: PATH } }, { properties: { a: { minLength: 1 } } }] }, { a: 'x' }, ['/a=x']],
    ['on a condition', { if: { required: ['b'] }, then: { properties: { a: PATH } } }, { a: 'x', b: 1 }, ['/a=x']],
    ['on a condition that is not met', { if: { required: ['b'] }, else: { properties: { a: PATH } } }, { a: 'x' }, ['/a=x']],
    ['in the condition itself', { if: { properties: { a: PATH } }, then: true }, { a: 'x' }, ['/a=x']],
    ['beside another name', { dependentSchemas: { b: { properties: { a: PATH } } } }, { a: 'x', b: 1 }, ['/a=x']],
    ['beside another name, draft 07', { $schema: 'http://json-schema.org/draft-07/schema#', dependencies: { b: { properties: { a: PATH } } } }, { a: 'x', b: 1 }, ['/a=x']],
    ['in every item that a list has to hold', { properties: { a: { contains: PATH } } }, { a: ['x', 'y', 5] }, ['/a/0=x', '/a/1=y']],
    ['twice, told once', { allOf: [{ properties: { a: PATH } }, { properties: { a: PATH } }] }, { a: 'x' }, ['/a=x']],
    ['the empty string', { properties: { a: PATH } }, { a: '' }, ['/a=']],
  ])('%s', (_name, schema, input, expected) => {
    expect(markedIn(schema, input).sort()).toEqual([...expected].sort());
  });

  it('is told of our own tools too, and of converted arguments as they are used', () => {
    expect(markedIn({ properties: { a: PATH } }, { a: 'x' }, 'own')).toEqual(['/a=x']);
    const compiled = new SchemaCompiler().compile({ type: 'object', properties: { a: PATH } }, { mode: 'lenient' });
    expect(compiled.check({ a: 5 })).toMatchObject({ args: { a: '5' }, paths: [{ pointer: '/a', value: '5' }] });
  });

  /** Schemas around one that marks, in ways that all fit every value. */
  const wrappings: readonly ((inner: Json) => Json)[] = [
    (inner) => ({ allOf: [true, inner] }),
    (inner) => ({ anyOf: [true, inner] }),
    (inner) => ({ anyOf: [inner, true] }),
    (inner) => ({ anyOf: [false, { anyOf: [true, inner] }] }),
    (inner) => ({ oneOf: [false, inner] }),
    (inner) => ({ if: true, then: inner, else: false }),
    (inner) => ({ if: false, then: false, else: inner }),
    (inner) => ({ $defs: { d: inner }, not: false, allOf: [inner] }),
  ];

  it('is never missed, however the schema is wrapped', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...wrappings), { maxLength: 5 }), fc.string(), (layers, value) => {
        const schema = layers.reduce<Json>((inner, wrap) => wrap(inner), { format: 'devs-path' });
        expect(markedIn({ properties: { a: schema } }, { a: value })).toEqual([`/a=${value}`]);
      }),
      { numRuns: 300 },
    );
  });

  it.each<[string, JsonObject, string]>([
    ['on a list', { properties: { a: { type: 'array', items: { type: 'string' }, format: 'devs-path' } } }, 'where no text can be'],
    ['on a number or nothing', { properties: { a: { type: ['number', 'null'], format: 'devs-path' } } }, 'where no text can be'],
    [
      'beside a reference of draft 07',
      { $schema: 'http://json-schema.org/draft-07/schema#', definitions: { s: { type: 'string' } }, properties: { a: { $ref: '#/definitions/s', format: 'devs-path' } } },
      'has no effect beside',
    ],
  ])('a mark without effect is refused: %s', (_, schema, problem) => {
    for (const authorship of ['own', 'foreign'] as const) {
      expect(() => new SchemaCompiler().compile({ type: 'object', ...schema }, { authorship })).toThrow(problem);
    }
  });
});
