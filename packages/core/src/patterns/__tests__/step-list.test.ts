import { expect, it } from '@jest/globals';
import { StepList } from '../automaton.ts';

it('holds each step once, round after round, also when the rounds are used up', () => {
  const list = new StepList(4, 0xffff_fffc);
  for (let round = 0; round < 6; round += 1) {
    list.clear();
    expect(list.count).toBe(0);
    for (const step of [3, 1, 3, 0, 1]) list.add(step);
    expect([...list.toArray()]).toEqual([3, 1, 0]);
  }
});
