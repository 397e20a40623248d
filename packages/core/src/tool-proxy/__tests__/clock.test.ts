import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createSystemClock } from '../call/call.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

describe('createSystemClock', () => {
  it('writes each millisecond out as ISO 8601 in UTC, also when the wall clock goes back', () => {
    const wall = jest.spyOn(Date, 'now');
    const clock = createSystemClock();
    const moments = [0, 0, 1, 1_700_000_000_123, 1_700_000_000_122, 1_700_000_000_122];
    const written = moments.map((moment) => {
      wall.mockReturnValue(moment);
      return clock.timestamp();
    });
    expect(written).toEqual(moments.map((moment) => new Date(moment).toISOString()));
  });

  it('measures on a clock that nobody sets', () => {
    jest.spyOn(Date, 'now').mockReturnValue(0);
    const clock = createSystemClock();
    const before = clock.monotonicMs();
    expect(clock.monotonicMs()).toBeGreaterThanOrEqual(before);
    expect(before).toBeGreaterThan(0);
  });
});
