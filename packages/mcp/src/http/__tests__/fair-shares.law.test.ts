import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { FairShares } from '../fair-shares.ts';

describe('fair shares', () => {
  it('are all for one where there is but one', () => {
    const shares = new FairShares<string>(5, () => 1);
    expect(Array.from({ length: 6 }, () => shares.take('a'))).toEqual([true, true, true, true, true, false]);
    shares.give('a');
    expect(shares.take('a')).toBe(true);
  });

  it('leave room for each of the others, whatever one takes', () => {
    const shares = new FairShares<string>(100, () => 4);
    let taken = 0;
    while (shares.take('greedy')) taken += 1;
    expect(taken).toBe(64);
    for (const other of ['b', 'c', 'd']) expect(Array.from({ length: 12 }, () => shares.take(other)).every(Boolean)).toBe(true);
    expect(shares.take('b')).toBe(false);
    expect(shares.total).toBe(100);
  });

  it('leave half of all to those who come first where there are more who may come than places', () => {
    const shares = new FairShares<number>(100, () => 400);
    let taken = 0;
    while (shares.take(0)) taken += 1;
    expect(taken).toBe(50);
    for (let other = 1; other <= 50; other += 1) expect([shares.take(other), shares.take(other)]).toEqual([true, false]);
    expect(shares.take(51)).toBe(false);
  });

  it('never hand out more than there is, and give each what is kept for it', () => {
    const step = fc.record({ who: fc.nat({ max: 3 }), gives: fc.boolean() });
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 40 }), fc.array(step, { maxLength: 200 }), (places, steps) => {
        const shares = new FairShares<number>(places, () => 4);
        const held = [0, 0, 0, 0];
        const kept = Math.floor(places / 8);
        for (const { who, gives } of steps) {
          const mine = held[who] ?? 0;
          if (gives) {
            shares.give(who);
            held[who] = Math.max(0, mine - 1);
          } else {
            const isTaken = shares.take(who);
            if (mine < kept) expect(isTaken).toBe(true);
            held[who] = mine + (isTaken ? 1 : 0);
          }
          const total = held.reduce((sum, each) => sum + each, 0);
          expect(shares.total).toBe(total);
          expect(total).toBeLessThanOrEqual(places);
          expect(shares.heldBy(who)).toBe(held[who]);
        }
      }),
    );
  });
});
