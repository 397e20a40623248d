import { expect, it } from '@jest/globals';
import { Overflow, type OverflowLimits } from '../results/overflow.ts';

function createOverflow(limits: OverflowLimits = {}) {
  let [now, made] = [1_000_000, 0];
  const overflow = new Overflow<string>({ createHandle: () => String((made += 1)), now: () => now }, limits);
  return { overflow, pass: (ms: number) => (now += ms) };
}

it('a text that is read, or read on, is kept for its whole time from then on', () => {
  const { overflow, pass } = createOverflow({ keptMs: 100 });
  const handle = overflow.keep('text', 'ann', '') ?? '';
  for (const use of [() => overflow.read(handle, 'ann'), () => overflow.goOn(handle, 'ann', 2)]) {
    pass(99);
    expect(use()).toBeDefined();
  }
  pass(100);
  expect(overflow.read(handle, 'ann')).toBeUndefined();
});

it('somebody else who asks for it does not keep it', () => {
  const { overflow, pass } = createOverflow({ keptMs: 100 });
  const handle = overflow.keep('text', 'ann', '') ?? '';
  pass(99);
  expect([overflow.read(handle, 'bob'), overflow.goOn(handle, 'bob', 1)]).toEqual([undefined, undefined]);
  pass(1);
  expect(overflow.read(handle, 'ann')).toBeUndefined();
});

it('the pages of a text are gone with it, and their room is free', () => {
  const { overflow } = createOverflow({ bytesPerPrincipal: 4 });
  const first = overflow.keep('text', 'ann', '') ?? '';
  const second = overflow.goOn(first, 'ann', 2) ?? '';
  const other = overflow.keep('more', 'ann', '') ?? '';
  expect([first, second, other].map((handle) => overflow.read(handle, 'ann')?.text)).toEqual([undefined, undefined, 'more']);
});

it('is 15 minutes, 16 MiB and 100 texts of each, 64 MiB of all', () => {
  const { overflow, pass } = createOverflow();
  const keep = (text: string, principal = 'ann') => overflow.keep(text, principal, '');
  const isThere = (handle: string | undefined, principal = 'ann') => overflow.read(handle ?? '', principal) !== undefined;
  const mebibytes = 'x'.repeat(16_777_216);
  expect(keep(`${mebibytes}x`)).toBeUndefined();
  const owners = ['a', 'b', 'c', 'd', 'e'];
  const large = owners.map((owner) => keep(mebibytes, owner));
  expect(large.map((handle, index) => isThere(handle, owners[index]))).toEqual([false, true, true, true, true]);
  const small = Array.from({ length: 101 }, () => keep(''));
  expect([small[0], small[1], small[100]].map((handle) => isThere(handle))).toEqual([false, true, true]);
  pass(899_999);
  expect(isThere(small[100])).toBe(true);
  pass(900_000);
  expect(isThere(small[100])).toBe(false);
});
