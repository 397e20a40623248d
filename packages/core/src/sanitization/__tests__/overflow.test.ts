import { describe, expect, it } from '@jest/globals';
import { Overflow, type OverflowLimits } from '../overflow.ts';

function createOverflow(limits: OverflowLimits = {}) {
  let now = 0;
  let made = 0;
  const overflow = new Overflow<string>({ createHandle: () => `handle-${String((made += 1))}`, now: () => now }, limits);
  return { overflow, pass: (ms: number) => (now += ms) };
}

const textOf = (overflow: Overflow<string>, handle: string | undefined, principal = 'ann') => overflow.read(handle ?? '', principal)?.text;

describe('what a budget has cut off', () => {
  it('is read by the one whose output it is, as often as it is asked for', () => {
    const { overflow } = createOverflow();
    const handle = overflow.keep('the rest', 'ann', 'asked');
    expect(overflow.read(handle ?? '', 'ann')).toMatchObject({ text: 'the rest', asked: 'asked' });
    expect(textOf(overflow, handle)).toBe('the rest');
  });

  it.each([
    ['of somebody else', 'handle-1', 'bob'],
    ['of somebody whose name begins so', 'handle-1', 'an'],
    ['under another handle', 'handle-2', 'ann'],
    ['under what every object has', 'constructor', 'ann'],
  ])('is not there %s', (_, handle, principal) => {
    const { overflow } = createOverflow();
    overflow.keep('the rest', 'ann', 'asked');
    expect(overflow.read(handle, principal)).toBeUndefined();
  });

  it('is gone after its time, and not before', () => {
    const { overflow, pass } = createOverflow({ keptMs: 100 });
    const first = overflow.keep('a', 'ann', '');
    pass(99);
    const second = overflow.keep('b', 'ann', '');
    expect(textOf(overflow, first)).toBe('a');
    pass(1);
    expect([textOf(overflow, first), textOf(overflow, second)]).toEqual([undefined, 'b']);
  });

  it('takes the room of the oldest of the same principal', () => {
    const { overflow } = createOverflow({ bytesPerPrincipal: 10 });
    const ofBob = overflow.keep('bbbbb', 'bob', '');
    const handles = ['aaaa', 'AAAA', 'ääää'].map((text) => overflow.keep(text, 'ann', ''));
    expect(handles.map((handle) => textOf(overflow, handle))).toEqual([undefined, undefined, 'ääää']);
    expect(textOf(overflow, ofBob, 'bob')).toBe('bbbbb');
  });

  it('takes the room of the oldest of all when there is none left', () => {
    const { overflow } = createOverflow({ totalBytes: 10, bytesPerPrincipal: 8 });
    const ofBob = overflow.keep('bbbbb', 'bob', '');
    const ofAnn = overflow.keep('aaaaaa', 'ann', '');
    expect([textOf(overflow, ofBob, 'bob'), textOf(overflow, ofAnn)]).toEqual([undefined, 'aaaaaa']);
  });

  it.each([
    ['one principal', { bytesPerPrincipal: 3 }],
    ['all', { totalBytes: 3 }],
  ])('is not kept when it is more than %s may keep; what is there stays', (_, limits) => {
    const { overflow } = createOverflow(limits);
    const handle = overflow.keep('abc', 'ann', '');
    expect(overflow.keep('abcd', 'ann', '')).toBeUndefined();
    expect(textOf(overflow, handle)).toBe('abc');
  });

  it('is at most 1,000 texts', () => {
    const { overflow } = createOverflow();
    const handles = Array.from({ length: 1_001 }, () => overflow.keep('', 'ann', ''));
    expect([textOf(overflow, handles[0]), textOf(overflow, handles[1])]).toEqual([undefined, '']);
  });
});
