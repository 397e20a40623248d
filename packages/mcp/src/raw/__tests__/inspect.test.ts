import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findChangedInteger, inspect } from '../inspect.ts';

type Step = string | number;

/** JSON of a value with this text at the end of the path. */
function nest(path: readonly Step[], text: string): string {
  return path.reduceRight<string>((inner, step) => (typeof step === 'number' ? `[${'0,'.repeat(step)}${inner}]` : `{${JSON.stringify(step)}:${inner}}`), text);
}

const path = fc.array(fc.oneof(fc.nat({ max: 4 }), fc.string({ maxLength: 5 }).filter((key) => key !== '__proto__')), { maxLength: 20 });

describe('inspecting a value', () => {
  it('finds an own __proto__ wherever it is put', () => {
    fc.assert(
      fc.property(path, fc.jsonValue(), fc.boolean(), (places, inner, isEscaped) => {
        const key = isEscaped ? String.raw`"\u005f_proto\u005f\u005f"` : '"__proto__"';
        const { flaw } = inspect(JSON.parse(nest(places, `{"a":1,${key}:${JSON.stringify(inner)}}`)));
        expect(flaw?.path).toEqual([...places.map(String), '__proto__']);
      }),
    );
  });

  it('finds nothing in what JSON can say and a message may hold', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        fc.pre(!JSON.stringify(value).includes('__proto__'));
        expect(inspect(value).flaw).toBeUndefined();
      }),
    );
  });

  it.each([
    ['128 lists', '['.repeat(128) + ']'.repeat(128), undefined],
    ['129 lists', '['.repeat(129) + ']'.repeat(129), 128],
    ['128 objects', `${'{"a":'.repeat(128)}1${'}'.repeat(128)}`, undefined],
    ['129 objects', `${'{"a":'.repeat(129)}1${'}'.repeat(129)}`, 128],
    ['a million lists', '['.repeat(1_000_000) + ']'.repeat(1_000_000), 128],
  ])('looks 128 levels deep: %s', (_name, text, depth) => {
    expect(inspect(JSON.parse(text)).flaw?.path.length).toBe(depth);
  });

  it('counts what it walked', () => {
    expect(inspect({ a: [1, 2, { b: null }] }).values).toBe(6);
  });

  it.each([
    ['the largest safe integer', '9007199254740991', false],
    ['one more', '9007199254740992', true],
    ['a negative one', '-9007199254740993', true],
    ['past the range', '1e400', true],
    ['a fraction', '0.1', false],
    ['a string', '"9007199254740993"', false],
  ])('tells that a number may not be exact: %s', (_name, text, isUnsafe) => {
    expect(inspect(JSON.parse(`{"a":[${text}]}`)).hasUnsafeInteger).toBe(isUnsafe);
  });
});

describe('finding a number that would be changed', () => {
  const digits = '1'.repeat(400);
  it.each([
    ['past 2^53', '{"a":9007199254740993}', '9007199254740993'],
    ['negative', '{"a":-9007199254740993}', '-9007199254740993'],
    ['the first of two', '[9007199254740993,9007199254740995]', '9007199254740993'],
    ['past the range, after another', `[9007199254740993,${digits}]`, '9007199254740993'],
    ['past the range', `[${digits}]`, digits],
    ['past the range, with an exponent', '[1e999]', '1e999'],
    ['past the range, below zero', '[-1e999]', '-1e999'],
    ['as large, and exact', '[9007199254740992,1e23,12345678901234567890.5]', undefined],
    ['a power of two', '[1180591620717411303424]', undefined],
    ['in a string', '["9007199254740993"]', undefined],
    ['in a key', '{"9007199254740993":1}', undefined],
    ['a million digits long', `[${'1'.repeat(1_000_000)}]`, '1'.repeat(1_000_000)],
  ])('%s', (_name, text, changed) => {
    expect(findChangedInteger(text)).toBe(changed);
  });

  it('finds each whole number that is not the same after it was read', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 1_100n), max: 2n ** 1_100n }), (number) => {
        const read = Number(number);
        const isKept = Number.isFinite(read) && BigInt(read) === number;
        expect(findChangedInteger(`{"a":${number}}`)).toBe(isKept ? undefined : String(number));
      }),
    );
  });
});
