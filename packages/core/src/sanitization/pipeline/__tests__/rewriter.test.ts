import { describe, expect, it } from '@jest/globals';
import { Glance } from '../glance.ts';
import { MappingRewriter, TextRewriter } from '../rewriter.ts';
import { Tally } from '../tally.ts';

const gone = { by: '', rule: 'gone' };

describe('a rewriter', () => {
  it('makes the text, and counts by rule', () => {
    const tally = new Tally();
    const rewriter = new TextRewriter(new Glance('one two three'), 'secrets', tally);
    rewriter.replace(0, 3, { by: '1', rule: 'number' });
    rewriter.replace(3, 4, gone);
    rewriter.replace(4, 7, { by: '2', rule: 'number', fingerprint: 'f00d' });
    expect(rewriter.finish().text).toBe('12 three');
    expect(tally.counts).toEqual({ 'secrets:number': 2, 'secrets:gone': 1 });
    expect(tally.findings).toEqual([{ rule: 'number', fingerprint: 'f00d' }]);
  });

  it('gives the same string back when nothing is changed', () => {
    const tally = new Tally();
    expect(new TextRewriter(new Glance('as it is'), 'tags', tally).finish().text).toBe('as it is');
    expect(tally.counts).toEqual({});
  });

  it.each<[string, number, number]>([
    ['over the last', 2, 5],
    ['before the last', 0, 1],
    ['the wrong way round', 5, 4],
    ['beyond the end', 5, 9],
    ['at no number', Number.NaN, 5],
  ])('refuses a change %s', (_name, start, end) => {
    const rewriter = new TextRewriter(new Glance('abcdef'), 'tags', new Tally());
    rewriter.replace(1, 3, gone);
    expect(() => rewriter.replace(start, end, gone)).toThrow(RangeError);
  });

  it('joins its pieces now and then, in their order', () => {
    const rewriter = new TextRewriter(new Glance('ab'.repeat(20_000)), 'tags', new Tally());
    for (let index = 0; index < 40_000; index += 2) rewriter.replace(index, index + 1, { by: String(index % 7), rule: 'r' });
    const expected = Array.from({ length: 20_000 }, (_, index) => `${String((index * 2) % 7)}b`).join('');
    expect(rewriter.finish().text).toBe(expected);
  });

  it('that remembers places makes one of a row of deletions', () => {
    const rewriter = new MappingRewriter(new Glance('abcdef'), 'tags', new Tally());
    for (const start of [0, 1, 2, 4]) rewriter.replace(start, start + 1, gone);
    expect(rewriter.finish().text).toBe('df');
    expect(rewriter.changes.length).toBe(2);
    const cursor = rewriter.changes.cursor();
    expect(cursor).toMatchObject({ sourceStart: 0, sourceEnd: 3, viewStart: 0, viewEnd: 0, cause: { step: 'tags', rule: 'gone' } });
    cursor.advance();
    expect(cursor).toMatchObject({ sourceStart: 4, sourceEnd: 5, viewStart: 1, viewEnd: 1 });
  });
});
