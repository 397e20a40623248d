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
    const other = createOverflow({ keptMs: 100 });
    const kept = other.overflow.keep('a', 'ann', '');
    other.pass(99);
    expect(textOf(other.overflow, kept)).toBe('a');
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

  it('of one principal is so many texts, whatever another asks for', () => {
    const { overflow } = createOverflow({ textsPerPrincipal: 3 });
    const ofBob = overflow.keep('b', 'bob', '');
    const handles = ['1', '2', '3', '4'].map((text) => overflow.keep(text, 'ann', ''));
    expect([...handles.map((handle) => textOf(overflow, handle)), textOf(overflow, ofBob, 'bob')]).toEqual([undefined, '2', '3', '4', 'b']);
  });

  it('is kept once, however many of its pages are read, and each as often as it is asked for', () => {
    const { overflow } = createOverflow({ bytesPerPrincipal: 10 });
    const first = overflow.keep('abcdefghij', 'ann', '') ?? '';
    const second = overflow.goOn(first, 'ann', 4) ?? '';
    const third = overflow.goOn(second, 'ann', 4) ?? '';
    expect([first, second, third].map((handle) => textOf(overflow, handle))).toEqual(['abcdefghij', 'efghij', 'ij']);
    expect(overflow.goOn(first, 'ann', 4)).toBe(second);
    expect(overflow.goOn(first, 'bob', 4)).toBeUndefined();
  });

  it('stays as long as it is read', () => {
    const { overflow, pass } = createOverflow({ keptMs: 100, textsPerPrincipal: 2 });
    const one = overflow.keep('1', 'ann', '');
    const two = overflow.keep('2', 'ann', '');
    pass(60);
    expect(textOf(overflow, one)).toBe('1');
    overflow.keep('3', 'ann', '');
    expect([textOf(overflow, one), textOf(overflow, two)]).toEqual(['1', undefined]);
    pass(60);
    expect(textOf(overflow, one)).toBe('1');
  });
});
