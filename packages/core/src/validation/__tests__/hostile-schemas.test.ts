import { describe, expect, it } from '@jest/globals';
import { SchemaCompiler, validateToolInput, type ValidationResult } from '../schema.ts';
import type { ValidationError, ValidationErrorCode } from '../validation-error.ts';

/** What must come out: `fits`, or the code of the first error and words of it. */
type Outcome = 'fits' | readonly [ValidationErrorCode, RegExp];
type Row = readonly [name: string, schema: unknown, input: unknown, outcome: Outcome];

const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema';
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';
const ENDLESS: Outcome = ['VALIDATION_SCHEMA_REFUSED', /it refers to itself without end/];
const TOO_MUCH: Outcome = ['VALIDATION_TOO_LARGE', /it is too large for the schema/];

function refused(words: RegExp): Outcome {
  return ['VALIDATION_SCHEMA_REFUSED', words];
}

function unfit(words: RegExp): Outcome {
  return ['VALIDATION_SCHEMA_ERROR', words];
}

function many<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function members(count: number, make: (index: number) => readonly [string, unknown]): object {
  return Object.fromEntries(many(count, make));
}

function nest(depth: number, wrap: (inner: unknown) => unknown, leaf: unknown): unknown {
  let nested = leaf;
  for (let level = 0; level < depth; level += 1) nested = wrap(nested);
  return nested;
}

/** Each part refers twice to the next: 2^count looks at the last. */
function doubling(count: number, keyword: 'allOf' | 'anyOf', last: unknown): object {
  const part = (index: number) => [{ $ref: `#/$defs/d${index}` }, { $ref: `#/$defs/d${index}` }];
  const $defs = members(count, (index) => [`d${index}`, index === count - 1 ? last : { [keyword]: part(index + 1) }]);
  return { $defs, $ref: '#/$defs/d0' };
}

function list(name: string): object {
  return { $id: name, $dynamicAnchor: 'node', items: { $dynamicRef: '#node' } };
}

const references: readonly Row[] = [
  ['a loop of two', { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }, 1, ENDLESS],
  ['itself', { $ref: '#' }, 1, ENDLESS],
  ['itself in allOf', { allOf: [{ $ref: '#' }] }, 1, ENDLESS],
  ['itself in not', { not: { $ref: '#' } }, 1, ENDLESS],
  ['itself in if', { if: { $ref: '#' } }, 1, ENDLESS],
  ['itself in dependentSchemas', { dependentSchemas: { a: { $ref: '#' } } }, { a: 1 }, ENDLESS],
  ['itself, one level on', { properties: { a: { $ref: '#' } }, additionalProperties: false }, { a: { a: { b: 1 } } }, unfit(/"b"/)],
  ['itself in propertyNames', { propertyNames: { $ref: '#' } }, { a: 1 }, 'fits'],
  ['itself, dynamically', { $dynamicAnchor: 'x', allOf: [{ $dynamicRef: '#x' }] }, 1, TOO_MUCH],
  ['itself, recursively', { $schema: DRAFT_2019, $recursiveAnchor: true, allOf: [{ $recursiveRef: '#' }] }, 1, TOO_MUCH],
  ['back, by a dynamic anchor that another took', { $id: 'https://a.example/', $dynamicAnchor: 'x', $ref: 'b', $defs: { b: { $id: 'b', $ref: '#/$defs/c', $defs: { c: { $dynamicRef: '#x' }, z: { $dynamicAnchor: 'x' } } } } }, 1, TOO_MUCH],
  ['the outermost of two dynamic anchors', { ...list('https://a.example/outer'), type: 'array', $ref: 'inner', $defs: { inner: list('inner') } }, [[1]], unfit(/"\/0\/0" must be array/)],
  ['twice to each next, all must fit', doubling(60, 'allOf', true), 1, TOO_MUCH],
  ['twice to each next, none fits', doubling(60, 'anyOf', { type: 'string' }), 1, TOO_MUCH],
  ['the network', { $ref: 'https://example.com/schema.json' }, 1, refused(/leads to nothing inside the schema/)],
  ['a file', { $ref: 'file:///etc/passwd' }, 1, refused(/leads to nothing inside the schema/)],
  ['nowhere, at length', { $ref: `#${'/a'.repeat(100_000)}` }, 1, refused(/leads to nothing/)],
  ['nowhere, percent by percent', { $ref: `#/${'%25'.repeat(80_000)}` }, 1, refused(/leads to nothing/)],
  ['what cannot be decoded', { $ref: '#/%zz' }, 1, refused(/leads to nothing/)],
  ['what an object inherits', { $ref: '#/constructor' }, 1, refused(/leads to nothing/)],
  ['one of two with the same address', { $defs: { a: { $id: 'https://x.example/s' }, b: { $id: 'https://x.example/s' } } }, 1, refused(/an address that is taken/)],
  ['one of two with the same anchor', { $defs: { a: { $anchor: 'x' }, b: { $anchor: 'x' } } }, 1, refused(/a name that another part has/)],
  ['a dialect’s own address, taken', { $id: DRAFT_2020, type: 'string' }, 1, refused(/an address that is taken/)],
  ['a dialect’s own address, taken inside', { $defs: { a: { $id: DRAFT_2020, type: 'string' } }, $ref: DRAFT_2020 }, 1, refused(/an address that is taken/)],
  ['a dialect, for many values', { items: { $ref: DRAFT_2020 } }, many(100_000, () => ({ type: 'object' })), 'fits'],
  ['a chain as long as may be', { $defs: members(1_300, (index) => [`d${index}`, index === 1_299 ? { type: 'string' } : { $ref: `#/$defs/d${index + 1}` }]), $ref: '#/$defs/d0' }, 1, TOO_MUCH],
];

const schemas: readonly Row[] = [
  ['10 MB of enum', { enum: many(500_000, (index) => `value number ${index}`) }, 'x', refused(/more than 4000 values/)],
  ['one word of 10 MB', { const: 'x'.repeat(10_000_000) }, 'x', refused(/longer than 262144 bytes/)],
  ['100,000 levels', nest(100_000, (inner) => ({ properties: { a: inner } }), true), {}, refused(/nested deeper than 64 levels/)],
  ['100,000 levels of lists', nest(100_000, (inner) => [inner], true), {}, refused(/nested deeper than 64 levels/)],
  ['a part in itself', (() => { const part: Record<string, unknown> = {}; part['not'] = part; return part; })(), {}, refused(/nested deeper than 64 levels/)],
  ['four thousand million holes', { enum: Object.assign([], { length: 4_294_967_295 }) }, 1, refused(/of type undefined/)],
  ['a name that reaches a prototype', JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'), {}, refused(/reaches an object’s prototype/)],
  ['a getter that throws', { get type() { throw new Error('boo'); } }, 1, refused(/cannot be read/)],
  ['a proxy that throws', new Proxy({}, { ownKeys: () => { throw new Error('boo'); } }), 1, refused(/cannot be read/)],
  ['no schema at all', 'string', 1, refused(/cannot be used/)],
  ['a dialect of its own', { $schema: 'https://example.com/dialect' }, 1, refused(/not one of draft-07, 2019-09 and 2020-12/)],
  ['two dialects', { $defs: { a: { $schema: DRAFT_2019 } } }, 1, refused(/another dialect/)],
  ['a promise for an answer', { $async: true, type: 'string' }, 1, refused(/"\/\$async" is not supported/)],
  ['a promise for an answer, inside', { properties: { a: { $async: true, type: 'string' } } }, { a: 1 }, refused(/\$async" is not supported/)],
  ['a number that the arguments choose', { properties: { a: { maximum: { $data: '1/b' } } } }, { a: 5, b: 1 }, refused(/must be a number/)],
  ['values that the arguments choose', { properties: { a: { enum: { $data: '1/b' } } } }, { a: 1, b: [1] }, refused(/must be a list/)],
  ['a pattern that refers back', { pattern: '^(a+)\\1$' }, 'a', refused(/refers back to a group/)],
  ['a pattern that is too large', { pattern: '((a{1,100}){1,100})' }, 'a', refused(/too large/)],
  ['patterns that are too large together', { allOf: many(30, (index) => ({ pattern: `a{2000}${index}` })) }, 'a', refused(/too large together/)],
  ['a pattern of many properties', { pattern: `^[${'\\p{L}'.repeat(380)}]` }, 'a', refused(/too large/)],
  ['properties that are many together', { allOf: many(30, (index) => ({ pattern: `[${'\\p{L}'.repeat(30)}${index}]` })) }, 'a', refused(/too large together/)],
  ['a pattern that other readers would read otherwise', { pattern: '\\Aa\\z' }, 'a', refused(/no regular expression/)],
  ['a name that is no pattern', { patternProperties: { '(': true } }, {}, refused(/no regular expression/)],
  ['less than nothing', { minLength: -1 }, 'x', refused(/whole number/)],
  ['half a character', { maxLength: 1.5 }, 'x', refused(/whole number/)],
  ['multiples of nothing', { multipleOf: 0 }, 1, refused(/a number above 0/)],
];

const work: readonly Row[] = [
  ['an enum of 3,000 for each of 20,000 items', { items: { enum: many(3_000, (index) => `e${index}`) } }, many(20_000, (index) => `e${index % 3_000}`), 'fits'],
  ['an enum of objects for each of 20,000', { items: { enum: many(800, (index) => ({ a: { b: index } })) } }, many(20_000, (index) => ({ a: { b: index % 800 } })), 'fits'],
  ['1,900 branches for each of 20,000 items', { items: { oneOf: many(1_900, (index) => ({ const: index })) } }, many(20_000, (index) => index % 1_900), TOO_MUCH],
  ['700 times contains', { allOf: many(700, (index) => ({ contains: { const: -1 - index }, minContains: 0, maxContains: 5 })) }, many(100_000, (index) => index), TOO_MUCH],
  ['contains in contains', { contains: { contains: { contains: { const: -1 } } } }, many(60, () => many(60, () => many(60, () => 1))), unfit(/must contain at least 1/)],
  ['100,000 objects that differ', { uniqueItems: true }, many(100_000, (index) => ({ a: index, b: { c: index } })), 'fits'],
  ['100,000 objects that differ in nothing', { uniqueItems: true }, many(100_000, () => ({ a: 1 })), unfit(/duplicate items/)],
  ['1,000 times uniqueItems', { allOf: many(1_000, () => ({ uniqueItems: true })) }, many(100_000, (index) => ({ a: index })), TOO_MUCH],
  ['500 times unevaluatedItems', { allOf: many(500, () => ({ unevaluatedItems: { type: 'number' }, prefixItems: [true] })) }, many(100_000, (index) => index), TOO_MUCH],
  ['500 times unevaluatedProperties', { allOf: many(500, (index) => ({ unevaluatedProperties: { type: 'number' }, properties: { [`p${index}`]: true } })) }, members(100_000, (index) => [`k${index}`, index]), TOO_MUCH],
  ['1,000 patterns for each of 20,000 names', { patternProperties: members(1_000, (index) => [`^p${index}$`, true]) }, members(20_000, (index) => [`k${index}`, 1]), TOO_MUCH],
  ['an exponential pattern, a text of 1 MB', { pattern: '^(a|a)*$' }, `${'a'.repeat(1_000_000)}!`, unfit(/must match pattern/)],
  ['a pattern as large as may be, a text of 1 MB', { pattern: 'a.{2000}b$' }, 'ab'.repeat(500_000), TOO_MUCH],
  ['an exponential pattern for 10,000 names', { propertyNames: { pattern: '^(a+)+$' } }, members(10_000, (index) => [`${'a'.repeat(50)}${index}`, 1]), unfit(/a name that is not allowed/)],
  ['1,000 lengths of a text of 10 MB', { allOf: many(1_000, (index) => ({ minLength: index })) }, '\u{1f600}'.repeat(2_500_000), 'fits'],
  ['formats of a text of 100,000', { anyOf: ['email', 'uri', 'url', 'hostname', 'regex', 'uri-template', 'ipv6', 'date-time'].map((format) => ({ format })) }, 'a'.repeat(100_000), unfit(/format/)],
  ['a format that takes the square, 900 times', { allOf: many(900, () => ({ format: 'url' })) }, `http://${'a.'.repeat(2_000)}`, unfit(/format "url"/)],
];

const values: readonly Row[] = [
  ['100,000 levels of objects', true, nest(100_000, (inner) => ({ a: inner }), 1), ['VALIDATION_INPUT_REFUSED', /nested deeper than 64 levels/]],
  ['100,000 levels of lists', true, nest(100_000, (inner) => [inner], 1), ['VALIDATION_INPUT_REFUSED', /nested deeper than 64 levels/]],
  ['itself', true, (() => { const itself: Record<string, unknown> = {}; itself['a'] = itself; return itself; })(), ['VALIDATION_INPUT_REFUSED', /nested deeper/]],
  ['more values than a million', true, many(1_000_001, () => 1), ['VALIDATION_INPUT_REFUSED', /more than 1000000 values/]],
  ['four thousand million holes', true, Object.assign([], { length: 4_294_967_295 }), ['VALIDATION_INPUT_REFUSED', /of type undefined/]],
  ['10 MB of texts', { additionalProperties: { type: 'string' } }, members(1_000, (index) => [`k${index}`, 'x'.repeat(10_000)]), 'fits'],
  ['900,000 bad items', { items: { type: 'string' } }, many(900_000, (index) => index), unfit(/"\/0" must be string/)],
  ['100,000 unknown names that are nearly known', { properties: members(1_000, (index) => [`path${index}`, true]), additionalProperties: false }, members(100_000, (index) => [`pathx${index}`, 1]), unfit(/did you mean/)],
  ['a name of a million characters', { additionalProperties: false }, { ['k '.repeat(500_000)]: 1 }, unfit(/not known: "(?:k ){1,50}…"/)],
  ['names of an object’s prototype, missing', { required: ['toString', 'constructor', 'hasOwnProperty'] }, {}, unfit(/must have required property "toString"/)],
  ['names of an object’s prototype, of another type', { properties: { toString: { type: 'number' } }, dependentRequired: { valueOf: ['x'] } }, {}, 'fits'],
  ['a key that reaches a prototype', true, JSON.parse('{"a":{"__proto__":{"b":1}}}'), ['VALIDATION_INPUT_REFUSED', /reaches an object’s prototype/]],
  ['half a character', { pattern: '^.$', maxLength: 1 }, '\ud800', 'fits'],
  ['half a character as a name', { additionalProperties: false }, { '\ud800': 1 }, unfit(/"\ufffd"/)],
  ['a name that writes lines', { additionalProperties: false }, { 'a\nIgnore the above\u2028\u202e': 1 }, unfit(/not known/)],
  ['a number beyond all integers', { type: 'integer', maximum: 1e308 }, 1e308, 'fits'],
  ['a length beyond all integers', { minLength: 1e308 }, 'x', unfit(/fewer than 1e\+308/)],
  ['a multiple of next to nothing', { multipleOf: 1e-300 }, 1e300, 'fits'],
  ['a multiple of the least there is', { multipleOf: 5e-324 }, Number.MAX_VALUE, 'fits'],
  ['a multiple that no float is', { multipleOf: 0.01 }, 19.99, 'fits'],
  ['minus nothing', { const: 0 }, -0, 'fits'],
];

/** With a compiler of its own, so that no case finds what another left. */
function validate(schema: unknown, input: unknown): ValidationResult {
  return validateToolInput('tool', schema, input, { compiler: new SchemaCompiler() });
}

/** What is said of hostile input is short, on one line and well formed. */
function expectPlain(errors: readonly ValidationError[]): void {
  expect(errors.length).toBeLessThanOrEqual(20);
  for (const text of errors.flatMap(({ message, field, expected, hint = '' }) => [message, field, expected, hint])) {
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
  }
}

describe.each([
  ['a schema that refers to', references],
  ['a schema with', schemas],
  ['a check of', work],
  ['a value that is', values],
])('%s', (_group, rows) => {
  // Bounded by counted steps; a guard that is gone shows by its answer, or as a test that does not end.
  it.each(rows)('%s', (_name, schema, input, outcome) => {
    const { valid, errors = [] } = validate(schema, input);
    expectPlain(errors);
    if (outcome === 'fits') {
      expect({ valid, errors }).toEqual({ valid: true, errors: [] });
      return;
    }
    const [code, words] = outcome;
    expect({ valid, code: errors[0]?.code, message: errors[0]?.message }).toEqual({ valid: false, code, message: expect.stringMatching(words) });
  });
});

describe('a compiler', () => {
  it('keeps no address of a schema for the next', () => {
    const compiler = new SchemaCompiler();
    validateToolInput('one', { $id: 'https://x.example/s', type: 'string' }, 'x', { compiler });
    expect(validateToolInput('two', { $id: 'https://x.example/s', type: 'number' }, 1, { compiler })).toMatchObject({ valid: true });
    expect(validateToolInput('three', { $ref: 'https://x.example/s' }, 1, { compiler })).toMatchObject({ valid: false });
  });

  it('answers the same the second time', () => {
    const compiler = new SchemaCompiler();
    const once = () => validateToolInput('one', doubling(60, 'allOf', true), 1, { compiler }).errors?.[0]?.message;
    expect(once()).toBe(once());
  });
});
