// Schemas and arguments that are made to keep a checker busy. Each is a pair of functions, so that only what is measured is made.

const many = (count, make) => Array.from({ length: count }, (_, index) => make(index));
const members = (count, make) => Object.fromEntries(many(count, make));
const nest = (depth, wrap, leaf) => {
  let nested = leaf;
  for (let level = 0; level < depth; level += 1) nested = wrap(nested);
  return nested;
};
const held = (schema) => ({ type: 'object', properties: { a: schema } });

function doubling(count) {
  const twice = (index) => ({ allOf: [{ $ref: `#/$defs/d${index}` }, { $ref: `#/$defs/d${index}` }] });
  return { type: 'object', $defs: members(count, (index) => [`d${index}`, index === count - 1 ? true : twice(index + 1)]), $ref: '#/$defs/d0' };
}

/** @type {readonly { name: string, schema: () => object, args: () => object }[]} */
export const HOSTILE_CASES = [
  { name: 'one property and one argument, to compare with', schema: () => held({ type: 'string' }), args: () => ({ a: 'x' }) },
  { name: '$ref to itself', schema: () => ({ type: 'object', $ref: '#' }), args: () => ({}) },
  { name: '$ref twice to each next, 60 times', schema: () => doubling(60), args: () => ({}) },
  { name: 'a schema 100,000 levels deep', schema: () => nest(100_000, held, true), args: () => ({}) },
  { name: '10 MB of enum', schema: () => held({ enum: many(500_000, (index) => `value number ${index}`) }), args: () => ({ a: 'x' }) },
  { name: 'enum of 3,000, 20,000 items', schema: () => held({ items: { enum: many(3_000, (index) => `e${index}`) } }), args: () => ({ a: many(20_000, (index) => `e${index % 3_000}`) }) },
  { name: 'oneOf of 1,900, 20,000 items', schema: () => held({ items: { oneOf: many(1_900, (index) => ({ const: index })) } }), args: () => ({ a: many(20_000, (index) => index % 1_900) }) },
  { name: '700 times contains, 100,000 items', schema: () => held({ allOf: many(700, (index) => ({ contains: { const: -index }, minContains: 0, maxContains: 5 })) }), args: () => ({ a: many(100_000, (index) => index + 1) }) },
  { name: 'uniqueItems, 100,000 objects', schema: () => held({ uniqueItems: true }), args: () => ({ a: many(100_000, (index) => ({ b: index })) }) },
  { name: '1,000 times uniqueItems, 100,000 objects', schema: () => held({ allOf: many(1_000, () => ({ uniqueItems: true })) }), args: () => ({ a: many(100_000, (index) => ({ b: index })) }) },
  { name: '500 times unevaluatedProperties, 100,000 names', schema: () => held({ allOf: many(500, (index) => ({ unevaluatedProperties: { type: 'number' }, properties: { [`p${index}`]: true } })) }), args: () => ({ a: members(100_000, (index) => [`k${index}`, index]) }) },
  { name: 'a pattern of exponential time, 1 MB', schema: () => held({ pattern: '^(a|a)*$' }), args: () => ({ a: `${'a'.repeat(1_000_000)}!` }) },
  { name: 'a pattern of 4,000 steps, 1 MB', schema: () => held({ pattern: 'a.{2000}b$' }), args: () => ({ a: 'ab'.repeat(500_000) }) },
  { name: '1,000 patterns, 20,000 names', schema: () => held({ patternProperties: members(1_000, (index) => [`^p${index}$`, true]) }), args: () => ({ a: members(20_000, (index) => [`k${index}`, 1]) }) },
  { name: 'format "url" 900 times, 4,000 characters', schema: () => held({ allOf: many(900, () => ({ format: 'url' })) }), args: () => ({ a: `http://${'a.'.repeat(2_000)}` }) },
  { name: '900,000 items, none fits', schema: () => held({ items: { type: 'string' } }), args: () => ({ a: many(900_000, (index) => index) }) },
  { name: 'arguments 100,000 levels deep', schema: () => held({}), args: () => nest(100_000, (inner) => ({ a: inner }), 1) },
];
