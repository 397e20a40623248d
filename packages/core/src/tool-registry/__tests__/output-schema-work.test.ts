import { describe, expect, it } from '@jest/globals';
import { Meter } from '../../validation/json-schema/evaluation/run.ts';
import { SchemaCompiler } from '../../validation/schema.ts';
import type { Json } from '../../json.ts';
import { fitsOutputSchema } from '../output-schema.ts';

const compiler = new SchemaCompiler();

function fits(schema: object, answer: Json): boolean {
  return fitsOutputSchema({ outputSchema: compiler.compileAny(schema, { authorship: 'foreign' }) }, answer);
}

function many<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

describe('the check of an answer', () => {
  it('has six million steps, and seven for each unit of its JSON', () => {
    const spend = (steps: number) => () => Meter.forAnswer('12345678').spend(steps);
    expect(spend(6_000_070)).not.toThrow();
    expect(spend(6_000_071)).toThrow();
  });

  it('gets the steps of its units once', () => {
    const meter = Meter.forAnswer('12345678');
    meter.spend(6_000_070);
    expect(() => meter.spend(1)).toThrow();
  });

  it('passes ten megabytes of texts that each meet a pattern', () => {
    const answer = { list: many(400_000, (index) => `user${String(index)}@example.com`) };
    expect(fits({ properties: { list: { items: { type: 'string', pattern: '^[a-z0-9.]+@[a-z.]+$' } } } }, answer)).toBe(true);
  });

  it('passes a hundred thousand names that differ', () => {
    expect(fits({ uniqueItems: true }, many(100_000, (index) => `name ${String(index)}`))).toBe(true);
  });

  it('tells an item from another that is written as it is', () => {
    const schema = { uniqueItems: true };
    expect([fits(schema, ['{"a":1}', { a: 1 }, '1', 1, 'true', true]), fits(schema, [{ a: 1, b: 2 }, { b: 2, a: 1 }]), fits(schema, ['a', 'a']), fits(schema, [1, 1])]).toEqual([true, false, false, false]);
  });

  // Each takes 11 million steps or more: arguments have them, and answers of this length have not.
  it.each<[string, object, Json]>([
    ['each of many conditions', { items: { allOf: many(700, () => ({ type: 'number' })) } }, many(20_000, (index) => index)],
    ['names that are asked for again and again', { items: { allOf: many(100, () => ({ required: many(30, (index) => `p${String(index)}`) })) } }, many(1_500, () => Object.fromEntries(many(30, (index) => [`p${String(index)}`, 1])))],
    ['items that are written out to be compared', { allOf: many(25, () => ({ uniqueItems: true })) }, many(6_000, (index) => ({ a: index }))],
    ['short items that are kept to be compared', { allOf: many(60, () => ({ uniqueItems: true })) }, many(20_000, (index) => index)],
    ['long items that are kept to be compared', { allOf: many(70, () => ({ uniqueItems: true })) }, many(10, (index) => `${'x'.repeat(100_000)}${String(index)}`)],
  ])('ends for %s', (_name, schema, answer) => {
    expect(fits(schema, answer)).toBe(false);
  });
});
