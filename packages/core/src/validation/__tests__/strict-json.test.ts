import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readJsonStrictly } from '../strict-json.ts';

describe('readJsonStrictly', () => {
  it('reads what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(readJsonStrictly(text)).toEqual({ value: JSON.parse(text) });
      }),
    );
  });

  it('takes nothing that JSON.parse does not take', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '1', '-', 'a', '\\', ' ') }), (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        if (!isJson) expect(readJsonStrictly(text)).toHaveProperty('problem');
      }),
    );
  });

  it.each([
    ['', 'is empty'],
    [' \n', 'is empty'],
    ['{"a":', 'breaks off'],
    ['{"a":"x', 'breaks off'],
    ['{"path":"a"} and more', 'behind the JSON value, from character 13'],
    ['{"path":"a"}{"path":"b"}', 'behind the JSON value'],
    ['{"path":"a"}\u0000', 'behind the JSON value'],
    ["{'a':1}", 'not JSON'],
    ['{"a":1,"a":2}', 'has a key twice, at character 7'],
    [String.raw`{"a":1,"\u0061":2}`, 'has a key twice'],
    ['{"a":{"b":1,"c":[{"d":1}],"b" : 2}}', 'has a key twice'],
    ['{"__proto__":1,"__proto__":2}', 'has a key twice'],
    ['{"id":9007199254740993}', 'would be changed'],
    ['[1e999]', 'would be changed'],
    ['9007199254740993.0', 'would be changed'],
    ['-9007199254740993e0', 'would be changed'],
    ['900719925474099.3e1', 'would be changed'],
    ['9007199254740993.5', 'would be changed'],
    ['295147905179352825856', 'would be changed'],
    ['1.00000000000000000001', 'would be changed'],
    ['0.99999999999999999999', 'would be changed'],
    ['1e-400', 'would be changed'],
    ['-0.1e-999', 'would be changed'],
    [`[1.${'0'.repeat(4_000_000)}1]`, 'would be changed'],
    ['['.repeat(1_000_000) + ']'.repeat(1_000_000), 'is nested deeper than 256 levels'],
    ['{"a":'.repeat(300), 'is nested deeper'],
    [`[${'9'.repeat(1_000_000)}]`, 'would be changed'],
  ])('%s', (text, problem) => {
    expect(readJsonStrictly(text)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it.each(['{"a":{"a":1}}', '[{"a":1},{"a":2}]', String.raw`{"a":"\"a\":1,\\","b":1}`, '[9007199254740992,1e25,-0.5E-3]', '[-0,0.0,0e99,1.0,1.50,12e1,1200e-2,1E+2,5e-324]', '[0.10000000000000001,3.1415926535897932385]'])('takes %s', (text) => {
    expect(readJsonStrictly(text)).toEqual({ value: JSON.parse(text) });
  });

  it('quotes nothing', () => {
    expect(JSON.stringify(readJsonStrictly('{"password":"hunter2" oh'))).not.toMatch(/hunter2|oh/);
  });

  it.each([
    ['a text full of escapes', JSON.stringify('\\"\n'.repeat(1_000_000))],
    ['a million values', `[${'1,'.repeat(1_000_000)}1]`],
  ])('does not run out of stack over %s', (_name, text) => {
    expect(readJsonStrictly(text)).toHaveProperty('value');
  });
});
