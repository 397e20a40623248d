import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createCallId } from '../call-id.ts';

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const LAST = 2 ** 48 - 1;

describe('the id of a call', () => {
  it('is a version 7 UUID that begins with its milliseconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: LAST }), (now) => {
        const id = createCallId(() => now);
        expect(id).toMatch(VERSION_7);
        expect(parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(now);
      }),
    );
  });

  it.each([
    ['a clock before 1970', -1, '00000000-0000-7'],
    ['a fraction of a millisecond', 1.75, '00000000-0001-7'],
    ['a time that 48 bits do not hold', 2 ** 48 + 2, '00000000-0002-7'],
  ])('is one whatever the clock says: %s', (_name, now, start) => {
    const id = createCallId(() => now);
    expect(id).toMatch(VERSION_7);
    expect(id).toContain(start);
  });

  it('sorts by time', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: LAST }), { minLength: 2, maxLength: 20 }), (times) => {
        const ids = times.toSorted((a, b) => a - b).map((now) => createCallId(() => now));
        expect(ids.toSorted()).toEqual(ids);
      }),
    );
  });

  it('is another each time, in the same millisecond too', () => {
    const ids = Array.from({ length: 1000 }, () => createCallId(() => 1));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('says when by the clock of the system unless told otherwise', () => {
    const before = Date.now();
    const time = parseInt(createCallId().replaceAll('-', '').slice(0, 12), 16);
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now());
  });
});
