import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import type { Alteration, TextView } from '@devs/core';
import { planEdit } from '../surgical-edit/plan-edit.ts';
import { fakeView } from './fake-view.ts';

const MARK = '[REDACTED:secret:test]';
const plan = (content: string | Buffer, [wanted, by]: readonly [wanted: string, by: string], view: (bytes: Uint8Array) => TextView = fakeView) =>
  planEdit(Buffer.from(content), { wanted, by, expected: 1 }, view);
const edited = (content: string, wanted: string, by: string) => Buffer.from(plan(content, [wanted, by]).content).toString();

/** ASCII alone: what `pattern` matches is behind a mark, or shown as other letters. */
function viewOf(pattern: RegExp, kindOf: (match: string) => Alteration['kind'] = () => 'masked') {
  return (bytes: Uint8Array): TextView => {
    const source = Buffer.from(bytes).toString('latin1');
    const alterations: Alteration[] = [];
    const edges = new Map<number, number>();
    let [text, from] = ['', 0];
    const copy = (to: number) => {
      for (; from <= to; from += 1) {
        edges.set(text.length, from);
        if (from < to) text += source.charAt(from);
        else break;
      }
    };
    for (const { 0: match, index } of source.matchAll(pattern)) {
      copy(index);
      const start = text.length;
      text += MARK;
      from = index + match.length;
      alterations.push({ start, end: text.length, source: { start: index, end: from }, kind: kindOf(match) });
    }
    copy(source.length);
    return {
      text,
      alterationCount: alterations.length,
      alterationsIn: (start, end) => alterations.filter((one) => one.start < end && one.end > start),
      isEdge: (unit) => edges.has(unit),
      sourceOf: (start, end) => ({ start: edges.get(start) ?? -1, end: edges.get(end) ?? -1 }),
      encode: (part) => new TextEncoder().encode(part),
    };
  };
}

const refused = (line: number) => expect.objectContaining({ code: 'EDIT_REFUSED', sentence: expect.stringContaining(`at line ${String(line)} would`) });

describe('what an edit leaves behind a mark', () => {
  test.each<[string, string, string, string, number]>([
    ['beside a change on its right', 'k=SECRET1;a', ';a', ',a', 0],
    ['beside a change on its left', 'k=SECRET1;a', 'k=', 'l=', 0],
    ['behind a change that is longer', 'k\nl=SECRET1\nm=SECRET2', 'k', 'a longer word', 0],
    ['beside another', 'a SECRET1SECRET2 b', 'a', 'c', 0],
    ['between two changes', 'a SECRET1 b SECRET2 c', `a ${MARK} b ${MARK} c`, `x ${MARK} b ${MARK} z`, 0],
  ])('is counted as it is: %s', (_name, content, wanted, by, removed) => {
    expect(plan(content, [wanted, by]).removed).toBe(removed);
  });

  test('may be moved in any order', () => {
    const line = (name: string, secret: string) => `${name}=${secret}\n`;
    const [a, b, c] = [line('A', MARK), line('B', MARK), line('C', MARK)];
    expect(edited('A=SECRET1\nB=SECRET2\nC=SECRET3\n', a + b + c, c + b + a)).toBe('C=SECRET3\nB=SECRET2\nA=SECRET1\n');
    expect(edited('A=SECRET1\nB=SECRET2\nC=SECRET3\n', a + b + c, c + a + b)).toBe('C=SECRET3\nA=SECRET1\nB=SECRET2\n');
    expect(edited('long\nA=SECRET1\nx\nB=SECRET2\n', `long\n${a}x\n${b}`, `${b}y\n${a}`)).toBe('B=SECRET2\ny\nA=SECRET1\n');
  });

  test('of bytes that are no text is none of which one reads in the new text', () => {
    const content = Buffer.from('caf\xff', 'latin1');
    expect(Buffer.from(plan(content, ['caf\ufffd', 'redacted']).content).toString()).toBe('redacted');
  });
});

describe('refused: an edit after which', () => {
  test('only the beginning of it would be masked', () => expect(() => plan('k:AB', ['k', 'j'], viewOf(/(?<=k:)AB|(?<=j:)A/g))).toThrow(refused(1)));
  test('only the end of it would be masked', () => expect(() => plan('k:AB', ['k', 'j'], viewOf(/(?<=k:)AB|(?<=j:A)B/g))).toThrow(refused(1)));
  test('nothing of it would be masked', () => expect(() => plan('x\nk:AB', ['k', 'j'], viewOf(/(?<=k:)AB/g))).toThrow(refused(2)));
  test('the second of two would be shown', () => expect(() => plan('l:AB\nk:AB', ['k', 'j'], viewOf(/(?<=[kl]:)AB/g))).toThrow(refused(2)));
  test('one that is moved would be shown', () => {
    const view = viewOf(/(?<=k:)AB|(?<=m:)CD/g);
    expect(() => plan('k:AB and more words\nm:CD', [`k:${MARK} and more words\nm:${MARK}`, `and more words\nm:${MARK} k ${MARK}`], view)).toThrow(expect.objectContaining({ code: 'EDIT_REFUSED' }));
  });
});

describe('what reads like something that is not shown', () => {
  const [shown, held] = ['\xff', '\xef\xbf\xbd'];
  test('may be written where the file has nothing of it', () => {
    const after = (content: string) => Buffer.from(plan(Buffer.from(content, 'latin1'), ['a', '\ufffd']).content).toString('latin1');
    expect(after('a b')).toBe(`${held} b`);
    expect(() => after(`a ${shown}`)).toThrow(expect.objectContaining({ code: 'REDACTED_IN_WRITE' }));
  });

  test('is not clear where the file has it as text too', () => {
    const content = `k=SECRET1\nsee ${MARK}`;
    expect(() => plan(content, [`k=${MARK}`, `k=${MARK} l=${MARK}`])).toThrow(expect.objectContaining({ code: 'EDIT_REFUSED' }));
    expect(() => plan('k=SECRET1', [`k=${MARK}`, `k=${MARK} l=${MARK}`])).toThrow(expect.objectContaining({ code: 'REDACTED_IN_WRITE' }));
  });
});
