import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { copyPlain, MAX_DEPTH, MAX_NODES } from '../plain-copy.ts';

function nest(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

function isFrozenDeep(value: unknown): boolean {
  return typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozenDeep));
}

/** Plain JSON, its keys the ones that trouble validators, but for those that are refused. */
const anyKey = fc.oneof(fc.string(), fc.constantFrom('toString', 'hasOwnProperty', 'prototype', 'constructor', 'length', 'toJSON'));
const { value: anyPlain } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<unknown>(null, true, false, '', 0, -0, 1.5),
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(anyKey.filter((key) => key !== '__proto__' && key !== 'constructor'), tie('value'), { maxKeys: 4, noNullPrototype: false }),
  ),
}));

describe('copyPlain', () => {
  it('gives an equal copy, frozen to the ground, of all that JSON can carry', () => {
    fc.assert(
      fc.property(anyPlain, (input) => {
        const outcome = copyPlain(input);
        if ('refusal' in outcome) throw new Error(outcome.refusal.problem);
        expect(JSON.stringify(outcome.value)).toBe(JSON.stringify(input));
        expect(isFrozenDeep(outcome.value)).toBe(true);
        if (typeof input === 'object' && input !== null) expect(outcome.value).not.toBe(input);
      }),
      { numRuns: 200 },
    );
  });

  it('never throws, and what it gives JSON can carry', () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withNullPrototype: true, withSparseArray: true, withTypedArray: true, withBoxedValues: true });
    fc.assert(
      fc.property(anything, (input) => {
        const outcome = copyPlain(input);
        if ('value' in outcome) expect(JSON.parse(JSON.stringify(outcome.value))).toEqual(JSON.parse(JSON.stringify(input)));
        else expect(outcome.refusal.problem).not.toBe('');
      }),
      { numRuns: 300 },
    );
  });

  it.each<[string, unknown, string, RegExp]>([
    ['names the place', { a: [{ b: 1n }] }, '/a/0/b', /bigint/],
    ['escapes the place, RFC 6901', { 'a/b~c': Number.NaN }, '/a~1b~0c', /finite/],
    ['caps the place', { ['k '.repeat(500)]: 1n }, `/${'k '.repeat(100).slice(0, 199)}…`, /bigint/],
    ['caps it, a long word whole', { [`a ${'k'.repeat(1_000)}`]: 1n }, '/a [...]…', /bigint/],
    ['caps it between characters', { [`${'k '.repeat(99)}😀`]: 1n }, `/${'k '.repeat(99)}\ufffd…`, /bigint/],
    ['a prototype key', JSON.parse('{"a":{"__proto__":1}}'), '/a/__proto__', /prototype/],
    ['constructor.prototype', { constructor: { prototype: {} } }, '/constructor', /prototype/],
    ['a level too many', nest(MAX_DEPTH + 1), '/0'.repeat(MAX_DEPTH + 1), /deeper than 64/],
    ['one part many times', new Array(MAX_NODES).fill(0), '/999999', /more than 1000000 values/],
    ['undefined alone', undefined, '', /undefined/],
  ])('%s', (_name, input, pointer, problem) => {
    const outcome = copyPlain(input);
    expect(outcome).toEqual({ refusal: { pointer, problem: expect.stringMatching(problem) } });
  });

  it.each<[string, unknown]>([
    ['constructor without prototype', { constructor: { name: 'x' } }],
    ['constructor that is a list', { constructor: ['prototype'] }],
    ['prototype alone', { prototype: 1 }],
    ['the last level', nest(MAX_DEPTH)],
    ['the last value', new Array(MAX_NODES - 1).fill(0)],
  ])('lets pass: %s', (_name, input) => {
    expect(copyPlain(input)).toHaveProperty('value');
  });

  it('reads each getter once, and judges what it read', () => {
    let looks = 0;
    const twoFaced = { get path() { return ['safe', 1n][looks++]; } };
    expect(copyPlain(twoFaced)).toEqual({ value: { path: 'safe' } });
    expect(looks).toBe(1);
  });

  it.each<[string, (look: number) => boolean]>([
    ['the second look alone', (look) => look === 0],
    ['the first look alone', (look) => look > 0],
  ])('judges what it copied: a proxy that shows `prototype` at %s gets nothing through', (_name, isHidden) => {
    let looks = 0;
    const twoFaced = new Proxy({ prototype: { admin: true } }, {
      getOwnPropertyDescriptor: (target, key) => (isHidden(looks++) ? undefined : Reflect.getOwnPropertyDescriptor(target, key)),
    });
    expect(JSON.stringify(copyPlain({ constructor: twoFaced }))).not.toContain('admin');
  });

  it('knows the plain objects of another realm', () => {
    const foreign: unknown = Object.create(Object.create(null));
    expect(copyPlain(Object.assign(foreign as object, { a: 1 }))).toEqual({ value: { a: 1 } });
  });

  it('takes a proxy that throws itself for what cannot be read', () => {
    const proxy: object = new Proxy({}, { ownKeys: () => { throw proxy; }, getPrototypeOf: () => { throw proxy; } });
    expect(copyPlain(proxy)).toEqual({ refusal: { pointer: '', problem: 'cannot be read' } });
  });
});
