import { expect, it } from '@jest/globals';
import { Notices } from '../notices.ts';

it('says each notice once, and how many it leaves out', () => {
  const notices = new Notices();
  for (let round = 0; round < 2; round += 1) notices.add(['[devs: a.]', '[devs: b.]']);
  expect(notices.list).toEqual(['[devs: a.]', '[devs: b.]']);
  notices.add(Array.from({ length: 20 }, (_, number) => `[devs: ${number}.]`));
  expect(notices.list).toHaveLength(11);
  expect(notices.list.at(-1)).toBe('[devs: Notices about answers of tools that are left out here: 12.]');
});

it('leaves out a long one', () => {
  const notices = new Notices();
  notices.add([`[devs: ${'x'.repeat(1_000)}]`]);
  expect(notices.list).toEqual(['[devs: Notices about answers of tools that are left out here: 1.]']);
});
