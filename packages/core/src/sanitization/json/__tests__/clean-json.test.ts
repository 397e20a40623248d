import { describe, expect, it } from '@jest/globals';
import { DevsError } from '../../../errors.ts';
import { Tally } from '../../pipeline/tally.ts';
import { cleanJson, MAX_OUTPUT_LEVELS } from '../clean-json.ts';

const clean = (text: string) => text.replaceAll('\u200b', '').replaceAll('secret', '[mark]');

function levels(count: number): unknown {
  let value: unknown = 'x';
  for (let level = 0; level < count; level += 1) value = level % 2 === 0 ? [value] : { inner: value };
  return value;
}

const parse = (source: string): unknown => JSON.parse(source);
const itself: unknown[] = [];
itself.push(itself);
const shared = Array.from({ length: 1_000 }, () => 'x');
const manyTimes = Array.from({ length: 1_001 }, () => shared);
const long = 'x'.repeat(1_000_000);

describe('what goes through', () => {
  it.each<[string, unknown, unknown]>([
    ['values', { a: ['a secret', 1, -0.5, true, null] }, { a: ['a [mark]', 1, -0.5, true, null] }],
    ['names of members', { 'a secret': { 'secret\u200b': 1 } }, { 'a [mark]': { '[mark]': 1 } }],
    ['texts of digits, which are texts', { a: '1234\u200b' }, { a: '1234' }],
    ['a number as it is, whatever its digits', 4_111_111_111_111_111, 4_111_111_111_111_111],
    ['a text alone', 'secret', '[mark]'],
    ['nothing in nothing', [{}, [], ''], [{}, [], '']],
    ['halves of pairs', { '\ud800': '\udc00a' }, { '\ufffd': '\ufffda' }],
    ['a member that is undefined, as JSON does', { a: undefined, b: 1 }, { b: 1 }],
    ['names of what every object has', { toString: 1, constructor: 'x', hasOwnProperty: 2 }, { toString: 1, constructor: 'x', hasOwnProperty: 2 }],
    ['50 levels', levels(MAX_OUTPUT_LEVELS), levels(MAX_OUTPUT_LEVELS)],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 'secret' }), { a: '[mark]' }],
  ])('%s', (_name, value, expected) => {
    const cleaned = cleanJson(value, clean);
    expect(cleaned).toEqual(expected);
    expect(JSON.parse(JSON.stringify(cleaned))).toEqual(expected);
  });
});

describe('what is withheld', () => {
  it.each<[string, unknown]>([
    ['one part a thousand times a thousand', manyTimes],
    ['one long text many times', Array.from({ length: 40 }, () => long)],
    ['a name as long as a book', { ['x'.repeat(20_000)]: 1 }],
    ['a name that reaches a prototype', parse('{"a":{"__proto__":{"b":1}}}')],
    ['a name that does once it is clean', { '__pro\u200bto__': 1 }],
    ['the other way to a prototype', { 'construc\u200btor': { 'prototype\u200b': 1 } }],
    ['not a number', { a: Number.NaN }],
    ['a function', { a: () => 1 }],
    ['undefined', undefined],
    ['a hole', [1, undefined]],
    ['a whole number that JSON has no form for', [1n]],
    ['a date', [new Date(0)]],
    ['an object that inherits from another', Object.create({ inherited: 'secret' })],
    ['a map', new Map([['a', 1]])],
    ['a getter that throws', Object.defineProperty({}, 'a', { enumerable: true, get: () => { throw new Error('x'); } })],
    ['a proxy that throws', new Proxy({}, { ownKeys: () => { throw new Error('x'); } })],
  ])('%s', (_name, value) => {
    expect(codeOf(() => cleanJson(value, clean))).toBe('OUTPUT_WITHHELD');
  });

  it.each<[string, unknown]>([['51 levels', levels(MAX_OUTPUT_LEVELS + 1)], ['what holds itself', itself]])('%s: it is nested too deep', (_name, value) => {
    expect(codeOf(() => cleanJson(value, clean))).toBe('MALFORMED_JSON');
  });

  it('everything when the cleaning fails', () => {
    expect(codeOf(() => cleanJson(['a'], () => { throw new RangeError('x'); }))).toBe('OUTPUT_WITHHELD');
  });
});

describe('names that become the same', () => {
  it.each<[string, object, object]>([
    ['leave its name to the one that was clean', { 'a\u200b': 'false', a: 'true' }, { 'a (2)': 'false', a: 'true' }],
    ['get one number each', { 'a\u200b': 1, '\u200ba': 2, a: 3 }, { 'a (2)': 1, 'a (3)': 2, a: 3 }],
    ['pass over a number that is taken', { 'a\u200b': 1, a: 2, 'a (2)': 3 }, { 'a (3)': 1, a: 2, 'a (2)': 3 }],
    ['lose nobody their value', { 'secret\u200b': 1, secret: 2 }, { '[mark]': 1, '[mark] (2)': 2 }],
  ])('%s', (_name, value, expected) => {
    const tally = new Tally();
    expect(cleanJson(value, clean, tally)).toEqual(expected);
    expect(tally.counts).toEqual({ 'objects:key-collision': Object.keys(value).length - new Set(Object.keys(value).map(clean)).size });
  });

  it('are named in linear time', () => {
    const names = Array.from({ length: 1_500 }, (_, index) => `${'\u200b'.repeat(index)}a`);
    const value = Object.fromEntries([...names, ...names.map((_, index) => `a (${String(index)})`)].map((name) => [name, 1]));
    let probes = 0;
    cleanJson(value, (text) => {
      probes += 1;
      return clean(text);
    });
    expect(probes).toBe(3_000);
  });
});

it('says under which name a text stands, as it is once it is clean', () => {
  const seen: (readonly [string, string | undefined])[] = [];
  const noted = (text: string, key?: string) => {
    seen.push([text, key]);
    return clean(text);
  };
  cleanJson({ 'pass\u200bword': 'x', list: ['y', ['z']], 'pass\u200b': 'q', pass: 'r' }, noted);
  expect(seen.filter(([, key]) => key !== undefined)).toEqual([['x', 'password'], ['y', 'list'], ['z', 'list'], ['q', 'pass (2)'], ['r', 'pass']]);
});

it('reads each member once: what it cleaned is what it gives', () => {
  let reads = 0;
  const shifty = Object.defineProperty({}, 'a', { enumerable: true, get: () => ((reads += 1) === 1 ? 'first' : 'second') });
  expect(cleanJson(shifty, clean)).toEqual({ a: 'first' });
});

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (cause) {
    return DevsError.is(cause) ? cause.code : 'another error';
  }
}
