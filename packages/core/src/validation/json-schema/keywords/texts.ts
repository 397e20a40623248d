import type { KeywordCompiler } from '../evaluation/node.ts';
import type { Run } from '../evaluation/run.ts';
import { quoteText } from '../evaluation/words.ts';
import { readCount } from './numbers.ts';

export const limitText: KeywordCompiler = (source) => {
  const limit = readCount(source);
  const isLeast = source.keyword === 'minLength';
  const expected = `${isLeast ? 'at least' : 'at most'} ${limit} characters`;
  const problem = isLeast ? `must NOT have fewer than ${limit} characters` : `must NOT have more than ${limit} characters`;
  const finding = { keyword: source.keyword, problem, expected };
  const fits = isLeast ? (count: number) => count >= limit : (count: number) => count <= limit;
  return (value, run) => {
    if (typeof value !== 'string') return true;
    // A code point takes one or two units: mostly there is nothing to count.
    if (fits(value.length) && fits(Math.ceil(value.length / 2))) return true;
    return fits(countCodePoints(value, run)) || run.fail(value, () => finding);
  };
};

function countCodePoints(text: string, run: Run): number {
  run.spend(text.length >> 1);
  let count = text.length;
  for (let index = 0; index < text.length - 1; index += 1) {
    if (isSurrogate(text.charCodeAt(index), 0xd800) && isSurrogate(text.charCodeAt(index + 1), 0xdc00)) {
      count -= 1;
      index += 1;
    }
  }
  return count;
}

function isSurrogate(unit: number, first: number): boolean {
  return unit >= first && unit < first + 0x400;
}

export const pattern: KeywordCompiler = ({ keyword, value: source, scope }) => {
  if (typeof source !== 'string') return scope.refuse('must be a string');
  const matches = scope.compilePattern(source);
  const shown = quoteText(source);
  const finding = { keyword, problem: `must match pattern ${shown}`, expected: `a text that matches ${shown}` };
  return (value, run) => typeof value !== 'string' || matches(value, run) || run.fail(value, () => finding);
};
