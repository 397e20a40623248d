import { describe, expect, it, jest } from '@jest/globals';
import { compilePattern, measurePattern } from '../../patterns/compile-pattern.ts';
import { MeteredPatterns } from '../json-schema/evaluation/metered-patterns.ts';
import { Meter, Run } from '../json-schema/evaluation/run.ts';
import { RecentSchemas } from '../schema.ts';

const refuse = (problem: string): never => {
  throw new Error(problem);
};

describe('the patterns of a list of tools', () => {
  it('are measured once each, however many schemas they stand in', () => {
    const known = new RecentSchemas<number>(100);
    const measured: string[] = [];
    const sizes = { getOrMake: (source: string, make: () => number) => known.getOrMake(source, () => (measured.push(source), make())) };
    for (let schema = 0; schema < 147; schema += 1) for (const source of ['^a+$', 'b{2}']) new MeteredPatterns(sizes).compile(source, refuse);
    expect(measured).toEqual(['^a+$', 'b{2}']);
  });

  it('are compiled with the first text, and once', () => {
    const compile = jest.fn(compilePattern);
    const test = new MeteredPatterns(new RecentSchemas<number>(), compile).compile('^a+$', refuse);
    expect(compile).not.toHaveBeenCalled();
    const run = new Run(new Meter());
    expect(['aa', 'b', 'a'].map((text) => test(text, run))).toEqual([true, false, true]);
    expect(compile).toHaveBeenCalledTimes(1);
  });

  it('are paid for by each check that asks: to start them, and each step', () => {
    const test = new MeteredPatterns(new RecentSchemas<number>()).compile('^a+$', refuse);
    const paidFor = (text: string) => {
      const run = new Run(new Meter());
      const spend = jest.spyOn(run, 'spend');
      test(text, run);
      return spend.mock.calls.reduce((sum, [steps]) => sum + steps, 0);
    };
    expect(paidFor('a'.repeat(1_000))).toBeGreaterThan(2_000);
    expect(paidFor('a'.repeat(1_000))).toBeGreaterThan(2_000);
    expect(paidFor('')).toBeGreaterThanOrEqual(12);
  });

  it('count together in each schema, measured or known', () => {
    const sizes = new RecentSchemas<number>();
    const compileMany = () => {
      const patterns = new MeteredPatterns(sizes);
      for (let index = 0; index < 6; index += 1) patterns.compile(`.{9990}${String.fromCharCode(97 + index)}`, refuse);
    };
    for (const act of [compileMany, compileMany]) expect(act).toThrow('too large together');
  });
});

it.each(['', 'a|b', '^(?=.*\\d)(?!x)[\\p{L}\\p{N}]{2,20}$', '\\bword\\b', '[^\\p{Cc}\\_]{3}', '[\\\\p{x}]', '(?:a|(b+)){5}', '(?:){7}'])('measures %s as it is compiled', (source) => {
  expect(measurePattern(source)).toBe(compilePattern(source).size);
});
