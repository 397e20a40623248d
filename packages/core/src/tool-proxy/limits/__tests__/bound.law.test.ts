import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lawRuns } from '../../../__tests__/law-runs.ts';
import { AtOnce, PerMinute } from '../bound.ts';

const MINUTE = 60_000;
/** Around the edges of a minute, and anywhere. */
const step = fc.oneof(fc.constantFrom(0, 1, 0.001, 59_999, 59_999.999, MINUTE, MINUTE + 1), fc.double({ min: 0, max: 70_000, noNaN: true }));

describe('PerMinute', () => {
  it('lets never more than so many begin within any minute, and always as many', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 40 }), (most, steps) => {
        let now = 0.5;
        const bound = new PerMinute(most, { entry: 'x', now: () => now });
        const begun: number[] = [];
        for (const milliseconds of steps) {
          now += milliseconds;
          const recent = begun.filter((at) => now < at + MINUTE);
          expect(bound.waitMs(0) === 0).toBe(recent.length < most);
          if (bound.waitMs(0) > 0) continue;
          bound.take();
          begun.push(now);
        }
      }),
      lawRuns(500),
    );
  });

  it('says how long it takes: then there is room, and before there is none', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.nat(30_000), { minLength: 5, maxLength: 20 }), (most, steps) => {
        let now = 0;
        const bound = new PerMinute(most, { entry: 'x', now: () => now });
        for (const milliseconds of steps) {
          now += milliseconds;
          const wait = bound.waitMs(0);
          if (wait > 0) {
            now += wait - 1;
            expect(bound.waitMs(0)).toBe(1);
            now += 1;
          }
          expect(bound.waitMs(0)).toBe(0);
          bound.take();
        }
      }),
      lawRuns(500),
    );
  });

  it('has room beside what is kept', () => {
    let now = 0;
    const bound = new PerMinute(2, { entry: 'x', now: () => now });
    expect([bound.waitMs(0), bound.waitMs(1), bound.waitMs(2)]).toEqual([0, 0, Infinity]);
    bound.take();
    now = 10;
    expect([bound.waitMs(0), bound.waitMs(1)]).toEqual([0, MINUTE - 10]);
    bound.take();
    expect([bound.waitMs(0), bound.waitMs(1)]).toEqual([MINUTE - 10, MINUTE]);
  });
});

it('AtOnce has room until so many run, and for each that ends', () => {
  const bound = new AtOnce(2, 'x');
  expect([bound.waitMs(0), bound.waitMs(1), bound.waitMs(2)]).toEqual([0, 0, Infinity]);
  bound.take();
  bound.take();
  expect([bound.waitMs(0), bound.isIdle]).toEqual([Infinity, false]);
  bound.giveBack();
  expect([bound.waitMs(0), bound.waitMs(1)]).toEqual([0, Infinity]);
  bound.giveBack();
  expect(bound.isIdle).toBe(true);
});
