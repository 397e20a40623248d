import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { codeOfForm, decodeForm, FormReader, holdsForms } from '../encoded-forms.ts';
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

describe('the code unit of a form', () => {
  it('is what the form stands for, however it is written', () => {
    const different: string[] = [];
    for (let code = 0; code <= 0xffff; code += 1) {
      const digits = code.toString(16).padStart(4, '0');
      for (const form of [`\\u${digits}`, `\\\\u${digits.toUpperCase()}`, ...(code > 0xff ? [] : [`\\x${digits.slice(2)}`])]) {
        const read = codeOfForm(`a${form}b`, 1, 1 + form.length);
        if (read !== code || decodeForm(form) !== String.fromCodePoint(read)) different.push(form);
      }
    }
    expect(different).toEqual([]);
  });

  it.each<[string, string]>([['&lt;', '<'], ['&lt', '<'], ['&LT;', '<'], ['&gt;', '>'], ['&gt', '>'], ['\\_', '_'], ['\\\\_', '_'], ['%3C', '<'], ['%3c', '<'], ['%00', '\0'], ['%7f', '\x7f'], ['%26', '&'], ['&amp;', '&']])('%j is %j', (form, character) => {
    expect(String.fromCharCode(codeOfForm(form, 0, form.length))).toBe(character);
    expect(decodeForm(form)).toBe(character);
  });

  it.each(['&ltdot;', '&amp', '&amp;lt;', '&lx;', '&#60;', '%26lt;', '%8c', '%3', '%3g', '_', 'u003c', '\\u003', '\\u003g', '\\u{3c}', '\\U0000003c', '\\074', '\\b', '\\ud83d\\ude00', '\\u0026lt;', '\\x3', '\\x3c4', '\\u00é1', ''])('%j is no form of one code unit', (form) => {
    expect(codeOfForm(form, 0, form.length)).toBe(-1);
  });
});
