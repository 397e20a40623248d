import { describe, expect, it } from '@jest/globals';
import { compilePattern } from '../compile-pattern.ts';

/** The steps that a test takes, after another that may have left something remembered. */
function countSteps(source: string, texts: readonly string[]): number[] {
  let steps = 0;
  const pattern = compilePattern(source, { spend: (spent) => (steps += spent) });
  return texts.map((text) => {
    steps = 0;
    pattern.test(text);
    return steps;
  });
}

/** The same every time, and without a period that a machine of a few thousand states could follow. */
function mixed(letters: readonly string[], length: number): string {
  let state = 1;
  const next = (): string => {
    state = (state * 48_271) % 0x7fff_ffff;
    return letters[state % letters.length] ?? '';
  };
  return Array.from({ length }, next).join('');
}

const HAN = Array.from({ length: 6_000 }, (_, index) => String.fromCodePoint(0x4e00 + index));

describe('a hostile pattern', () => {
  it.each<[string, string, (length: number) => string]>([
    ['exponential when it goes back: (a|a)*$', '(a|a)*$', (length) => `${'a'.repeat(length)}!`],
    ['exponential when it goes back: (x+x+)+y', '(x+x+)+y', (length) => 'x'.repeat(length)],
    ['exponential when it goes back: nested stars', '^(?:(?:(?:a*)*)*)*$', (length) => `${'a'.repeat(length)}!`],
    ['quadratic when it starts anew at each character', '\\s+$', (length) => `${' '.repeat(length)}x`],
    ['quadratic: a lazy body', '<x>[^]*?</x>', (length) => '<x>'.repeat(length / 3)],
    ['polynomial: many stars', '\\w*'.repeat(100), (length) => `${'a'.repeat(length)}!`],
    ['more states than are remembered', '(?:a|b)*a(?:a|b){14}c', (length) => mixed(['a', 'b'], length)],
    ['many repetitions of anything', 'a.{500}b.{500}c', (length) => mixed(['a', 'b'], length)],
    ['an alternative for each of many characters', HAN.slice(0, 600).map((letter) => `${letter}a`).join('|'), (length) => mixed(HAN, length)],
    ['many looks ahead', `^${'(?=.*a.{20}b)'.repeat(20)}`, (length) => mixed(['a', 'b'], length)],
  ])('takes as much more work for each part of a text: %s', (_name, source, textOf) => {
    const [one = 0, two = 0, three = 0] = countSteps(source, [textOf(10_000), textOf(20_000), textOf(30_000)]);
    expect(one).toBeGreaterThan(0);
    // 1 when it is linear, 1.67 when it is quadratic.
    expect((three - two) / (two - one)).toBeLessThan(1.3);
    // A step for the character, those of the program, and as many questions to its sets.
    expect(three).toBeLessThanOrEqual(30_001 * (1 + 2 * compilePattern(source).size));
  });

  it('is done with ten million characters in ten million steps when it has few states', () => {
    const [steps] = countSteps('(a|a)*$', [`${'a'.repeat(10_000_000)}!`]);
    expect(steps).toBeLessThan(10_100_000);
  });

  it('counts each character, however little it takes', () => {
    const [steps] = countSteps('^b*$', ['b'.repeat(1_000)]);
    expect(steps).toBeGreaterThanOrEqual(1_000);
  });

  it.each(['^a', '^a|^b{2}$', '^(?=a).*$'])('reads no further than it can fit: %s', (source) => {
    const [steps] = countSteps(source, ['c'.repeat(1_000)]);
    expect(steps).toBeLessThan(100);
  });

  it('remembers a bounded part of its states in one test', () => {
    const text = mixed(['a', 'b'], 40_000);
    const [steps = 0] = countSteps('(?:a|b)*a(?:a|b){12}c', [text + text + text + text]);
    // All of them would fit into some megabytes, and then a character would take little more than one step.
    expect(steps / (4 * text.length)).toBeGreaterThan(10);
  });

  it('remembers less from test to test, and little patterns whole', () => {
    const [large = 0, largeAgain = 0] = countSteps('(?:a|b)*a(?:a|b){9}c', Array(2).fill(mixed(['a', 'b'], 2_000)));
    expect(largeAgain).toBeGreaterThan(0.9 * large);
    const [small = 0, smallAgain = 0] = countSteps('^[a-z]+(?:-[a-z]+)*$', Array(2).fill('some-words-with-dashes'));
    expect(smallAgain).toBeLessThan(small);
  });

  it('keeps no large alphabet from test to test', () => {
    const [large = 0, largeAgain = 0] = countSteps('[\\d_]+x', Array(2).fill(HAN.slice(0, 2_000).join('')));
    expect(largeAgain).toBeGreaterThan(0.9 * large);
    const [small = 0, smallAgain = 0] = countSteps('[\\d_]+x', Array(2).fill(HAN.slice(0, 500).join('')));
    expect(smallAgain).toBeLessThan(0.5 * small);
  });

  it('keeps no large tables of answers from test to test', () => {
    const letters = HAN.slice(0, 60);
    const text = letters.join('') + (letters.at(-1) ?? '').repeat(90);
    const [large = 0, largeAgain = 0] = countSteps(`^(?:.{0,200}|${letters.join('|')})$`, [text, text]);
    expect(largeAgain).toBeGreaterThan(0.9 * large);
    const [small = 0, smallAgain = 0] = countSteps('^(?:.{0,200}|x)$', [text, text]);
    expect(smallAgain).toBeLessThan(0.5 * small);
  });

  it('ends when whoever counts says so, and can be used again', () => {
    let most = 50_000;
    const spend = (steps: number): void => {
      most -= steps;
      if (most < 0) throw new Error('too much');
    };
    const pattern = compilePattern('a.{500}b', { spend });
    expect(() => pattern.test(mixed(['a', 'c'], 100_000))).toThrow('too much');
    expect(most).toBeGreaterThan(-20_000);
    most = 50_000;
    expect(pattern.test(`a${'c'.repeat(500)}b`)).toBe(true);
  });

  it('keeps nothing of an earlier text', () => {
    const pattern = compilePattern('^(?:ab)+$');
    expect(['ab', 'a', 'b', 'abab', 'aab', ''].map((text) => pattern.test(text))).toEqual([true, false, false, true, false, false]);
  });
});
