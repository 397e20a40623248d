import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { decodeForm, FormReader, holdsForms } from '../encoded-forms.ts';
import { foldedView } from '../folded-view.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

describe('a run of backslashes', () => {
  it.each<[string, string]>([
    ['that begins nothing', '\\'.repeat(4_000)],
    ['before a letter that could go on', `${'\\'.repeat(4_000)}u00`],
    ['before an escape', `${'\\'.repeat(4_000)}u003c`],
    ['many times', `${'\\'.repeat(400)}x`.repeat(10)],
  ])('%s is tried once, not from each of its backslashes', (_name, text) => {
    const tried = jest.spyOn(RegExp.prototype, 'exec');
    foldedView(text);
    holdsForms(text);
    expect(tried.mock.calls.length).toBeLessThan(100);
  });

  it('is read once, too, where each of its backslashes is asked for by itself', () => {
    const text = '\\'.repeat(4_000);
    const forms = new FormReader(text, 'url');
    const tried = jest.spyOn(RegExp.prototype, 'exec');
    expect(Array.from(text, (_, at) => forms.endAt(at)).every((end) => end === -1)).toBe(true);
    expect(tried.mock.calls.length).toBeLessThan(100);
  });

  it.each<[number, string]>([
    [1, '<'],
    [16, '<'],
    [17, '\\<'],
    [40, `${'\\'.repeat(24)}<`],
  ])('of %i before an escape gives its last sixteen to it', (count, expected) => {
    expect(foldedView(`${'\\'.repeat(count)}u003c`)?.text).toBe(expected);
  });

  it('is read from any place in it', () => {
    const forms = new FormReader(`${'\\'.repeat(20)}x3c`);
    expect([forms.endAt(0), forms.skip(0), forms.endAt(4), forms.endAt(19)]).toEqual([-1, 4, 23, 23]);
  });
});

it.each<[string, string]>([
  ['&lt;', '<'], ['&amp;amp;lt;', '<'], ['\\u003c', '<'], ['\\\\\\\\\\\\\\u003c', '<'], ['\\ud83d\\ude00', '😀'], ['\\\\ud83d\\\\ude00', '😀'], ['\\u{1f600}', '😀'], ['\\x3c', '<'],
  ['\\U0000003c', '<'], ['\\074', '<'], ['%3c', '<'], ['\\_', '_'], ['\\u0026lt;', '<'], ['&#60', '<'], ['&#x110000;', '\ufffd'],
])('%j stands for %j', (form, expected) => {
  expect(decodeForm(form)).toBe(expected);
});
