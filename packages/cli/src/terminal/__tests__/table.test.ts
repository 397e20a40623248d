import { describe, expect, it } from '@jest/globals';
import { toTableLines } from '../table.ts';

describe('toTableLines', () => {
  it('makes each column as wide as its widest cell, and leaves no blanks behind a line', () => {
    expect(toTableLines([['a', 'bb', 'c'], ['a_long_name', 'b', '']], { indent: '  ' })).toEqual(['  a            bb  c', '  a_long_name  b']);
  });

  it('gives a last cell no width: it may be a sentence', () => {
    expect(toTableLines([['a', 'a sentence about a'], ['b', 'x', 'y']])).toEqual(['a  a sentence about a', 'b  x  y']);
  });

  it('aligns numbers at their end', () => {
    expect(toTableLines([['calls', '7'], ['errors', '12']], { rightAligned: (column) => column === 1 })).toEqual(['calls    7', 'errors  12']);
  });

  it('spells out what would move the cursor', () => {
    expect(toTableLines([['a\u001b[2Jb\n', 'c']])).toEqual(['a\\u{1b}[2Jb\\n  c']);
  });
});
