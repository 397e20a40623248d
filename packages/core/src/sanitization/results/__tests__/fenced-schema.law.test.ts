import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { lawRuns } from '../../../__tests__/law-runs.ts';
import type { Json, JsonObject } from '../../../json.ts';
import { toFencedSchema } from '../fenced-schema.ts';
import { BOUNDARY_MEMBER, fenceStructured } from '../structured-fence.ts';

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const fence = (data: Json) => fenceStructured(data, { boundary: 'external-content-0 from a/b: …', notices: ['[devs 1: …]'] });

/** To make one is what costs: it compiles the schema of schemas. */
const shared = new Ajv2020({ strict: false, code: { optimize: false } });

/** As SDK clients judge: the author's schema over the data, the listed one over what goes out. */
function judge(schema: JsonObject, data: Json): readonly [before: boolean, after: boolean] {
  // Names of resources are an instance's own.
  const modern = JSON.stringify(schema).includes('"$id"') ? new Ajv2020({ strict: false }) : shared;
  const ajv = schema['$schema'] === DRAFT_07 ? new Ajv({ strict: false }) : modern;
  return [ajv.compile(schema)(data), ajv.compile(toFencedSchema(schema))(fence(data))];
}

const object = (more: JsonObject): JsonObject => ({ type: 'object', ...more });
const number: JsonObject = { type: 'number' };
const closed = object({ properties: { a: number }, required: ['a'], additionalProperties: false });

describe('a listed schema takes what the author’s takes, fenced', () => {
  it.each<[string, JsonObject, Json]>([
    ['a closed object', closed, { a: 1 }],
    ['a name under the prefix of devs', object({ properties: { 'devs/total': number }, required: ['devs/total'], additionalProperties: false }), { 'devs/total': 1 }],
    ['a dictionary', object({ additionalProperties: number }), { x: 1 }],
    ['nothing unevaluated', object({ properties: { a: number }, unevaluatedProperties: false }), { a: 1 }],
    ['nothing unevaluated beside parts', object({ allOf: [{ properties: { a: number } }, { properties: { b: number } }], unevaluatedProperties: false }), { a: 1, b: 2 }],
    ['a reference at the top', { type: 'object', $ref: '#/$defs/a', $defs: { a: closed } }, { a: 1 }],
    ['a reference to a reference', { $ref: '#/$defs/b', $defs: { a: closed, b: { $ref: '#/$defs/a' } } }, { a: 1 }],
    ['draft 7', { $schema: DRAFT_07, type: 'object', $ref: '#/definitions/a', definitions: { a: closed } }, { a: 1 }],
    ['parts that are closed', object({ allOf: [closed, { properties: { a: { minimum: 0 } } }] }), { a: 1 }],
    ['one of two', object({ oneOf: [closed, object({ properties: { b: number }, required: ['b'], additionalProperties: false })] }), { b: 1 }],
    ['one of two and any of two', object({ oneOf: [closed, { maxProperties: 0 }], anyOf: [closed, { required: ['z'] }] }), { a: 1 }],
    ['one of constants', object({ oneOf: [{ const: { a: 1 } }, { const: { a: 2 } }] }), { a: 2 }],
    ['a constant', object({ const: { a: 1 } }), { a: 1 }],
    ['a choice', object({ enum: [{ a: 1 }, { a: 2 }] }), { a: 2 }],
    ['names of a pattern', object({ propertyNames: { pattern: '^[a-z]$' } }), { a: 1 }],
    ['at most so many', object({ maxProperties: 1 }), { a: 1 }],
    ['patterns of names', object({ patternProperties: { '^[a-z]$': number }, additionalProperties: false }), { a: 1 }],
    ['a pattern that all names fit', object({ patternProperties: { '': number } }), { a: 1 }],
    ['a condition', object({ if: { maxProperties: 1 }, then: { required: ['a'] }, else: false }), { a: 1 }],
    ['a condition that evaluates', object({ if: { required: ['a'] }, then: { properties: { a: number } }, unevaluatedProperties: false }), { a: 1 }],
    ['what it must not be', object({ not: { required: [BOUNDARY_MEMBER] } }), { a: 1 }],
    ['what depends on a member', object({ dependentSchemas: { a: { maxProperties: 1 } } }), { a: 1 }],
    ['itself', object({ properties: { next: { $ref: '#' } }, additionalProperties: false }), { next: { next: {} } }],
    ['itself, with such a member inside', object({ properties: { next: { $ref: '#' } }, additionalProperties: number }), { next: { [BOUNDARY_MEMBER]: 1 } }],
    ['a part of itself', object({ properties: { a: number, b: { $ref: '#/properties/a' } } }), { a: 1, b: 2 }],
    ['an anchor', object({ $ref: '#a', $defs: { a: { $anchor: 'a', ...closed } } }), { a: 1 }],
    ['a resource inside', object({ $ref: 'urn:x:a', $defs: { a: { $id: 'urn:x:a', ...closed } } }), { a: 1 }],
    ['the member itself', object({ properties: { [BOUNDARY_MEMBER]: number }, required: [BOUNDARY_MEMBER] }), { [BOUNDARY_MEMBER]: 1 }],
    ['a list', { type: 'array', items: { $ref: '#/$defs/a' }, $defs: { a: closed } }, [{ a: 1 }]],
    ['a text', { type: 'string', const: 'x' }, 'x'],
    ['an object or null', { type: ['object', 'null'], required: ['a'], properties: { a: number }, additionalProperties: false }, null],
    ['an object or null, the object', { type: ['object', 'null'], required: ['a'], properties: { a: number }, additionalProperties: false }, { a: 1 }],
    ['anything', {}, [1]],
    ['anything, an object', {}, { a: 1 }],
    ['many of many', object({ $ref: '#/$defs/0', $defs: Object.fromEntries(Array.from({ length: 12 }, (_, level) => [String(level), level === 11 ? {} : { allOf: [{ $ref: `#/$defs/${String(level + 1)}` }, { $ref: `#/$defs/${String(level + 1)}` }] }])) }), { a: 1 }],
  ])('%s', (_, schema, data) => {
    expect(judge(schema, data)).toEqual([true, true]);
    expect(toFencedSchema(schema)['type']).toBe('object');
  });

  it('draft 7, which ignores what stands beside a reference: some clients do not', () => {
    const schema = { $schema: DRAFT_07, type: 'object', required: ['z'], $ref: '#/definitions/a', definitions: { a: closed } };
    expect(judge(schema, { a: 1 })[1]).toBe(true);
  });

  const value = fc.constantFrom<Json>(null, 0, 1, 'a', true, [], [1], {}, { a: 1 }, { a: 1, b: 'x' }, { b: { a: 1 } }, { a: 1, b: 2, c: 3 }, { 0: 1 }, { [BOUNDARY_MEMBER]: 1 }, { 'devs/notices': 'x', a: 1 });
  const types = fc.constantFrom<Json>('object', 'object', 'array', 'string', ['object', 'null'], ['string', 'array']);
  const { schema: anySchema } = fc.letrec<{ schema: JsonObject; list: JsonObject[]; members: JsonObject }>((tie) => ({
    list: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
    members: fc.dictionary(fc.constantFrom('a', 'b', 'c', BOUNDARY_MEMBER), tie('schema'), { maxKeys: 3 }),
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<JsonObject>({}, { type: 'number' }, { type: 'string' }, { required: ['a'] }, { $ref: '#/$defs/one' }, { $ref: '#/$defs/two' }),
      fc.record(
        {
          type: types,
          properties: tie('members'),
          required: fc.subarray(['a', 'b']),
          additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
          unevaluatedProperties: fc.oneof(fc.boolean(), tie('schema')),
          patternProperties: fc.dictionary(fc.constantFrom('^[ab]$', '', 'd', '^x'), tie('schema'), { maxKeys: 2 }),
          propertyNames: fc.constantFrom({ pattern: '^[a-c]$' }, { maxLength: 3 }, { enum: ['a', 'b'] }),
          maxProperties: fc.nat(3),
          allOf: tie('list'),
          anyOf: tie('list'),
          oneOf: tie('list'),
          not: tie('schema'),
          if: tie('schema'),
          then: tie('schema'),
          const: value,
          enum: fc.array(value, { minLength: 1, maxLength: 3 }),
          dependentSchemas: tie('members'),
        },
        { requiredKeys: [] },
      ),
    ) as fc.Arbitrary<JsonObject>,
  }));

  it('law: whatever the schema', () => {
    let taken = 0;
    const check = (schema: JsonObject, one: JsonObject, data: Json) => {
      const whole = { ...schema, $defs: { one, two: { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: false } } };
      // A definition that leads back to itself is no schema.
      if (JSON.stringify(one).includes('#/$defs/one')) return;
      const fenced = toFencedSchema(whole);
      try {
        if (!shared.compile(whole)(data)) return;
        taken += 1;
        expect(shared.compile(fenced)(fence(data))).toBe(true);
      } finally {
        // It keeps what it has compiled.
        for (const each of [whole, fenced]) shared.removeSchema(each);
      }
    };
    fc.assert(fc.property(anySchema, anySchema, value, check), lawRuns(200));
    // Else the law has said nothing. Where a time ends it, nobody knows how often it was tried.
    if (process.env['DEVS_LAW_MS'] === undefined) expect(taken).toBeGreaterThan(10);
  });
});

describe('a listed schema keeps what it can', () => {
  it('says what the members are, and refuses others', () => {
    const listed = toFencedSchema(closed);
    const valid = new Ajv2020().compile(listed);
    expect(listed).toMatchObject({ properties: { a: number }, required: ['a'], additionalProperties: false });
    expect([valid(fence({ a: 1 })), valid(fence({ a: 'x' })), valid(fence({ a: 1, b: 1 })), valid({ a: 1 })]).toEqual([true, false, false, true]);
  });

  it('says what a list holds', () => {
    const valid = new Ajv2020().compile(toFencedSchema({ type: 'array', items: number }));
    expect([valid(fence([1])), valid(fence(['x'])), valid({})]).toEqual([true, false, false]);
  });

  it('of what is too intricate keeps its words', () => {
    expect(toFencedSchema({ type: 'object', title: 'T', description: 'D', $ref: '#x', $defs: { x: { $anchor: 'x' } } })).toEqual({
      type: 'object', title: 'T', description: 'D', properties: { [BOUNDARY_MEMBER]: expect.anything(), 'devs/notices': expect.anything() },
    });
  });
});
