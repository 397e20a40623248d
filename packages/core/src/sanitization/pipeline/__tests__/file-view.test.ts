import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { htmlToText } from '../../html/html-text.ts';
import { invisibles } from '../../terminal/invisibles.ts';
import { terminalControls } from '../../terminal/terminal-controls.ts';
import { cleanShown, viewBytes } from '../file-view.ts';
import { Tally } from '../tally.ts';
import type { TextStep } from '../text-step.ts';

/** Masks `SECRET` and the digits behind it, as the real one does a token. */
const maskSecrets: TextStep = {
  name: 'secrets',
  rewrite: (text, rewriter) => {
    for (const { index, 0: secret } of text.matchAll(/SECRET\d+/g)) {
      rewriter.replace(index, index + secret.length, { by: '[REDACTED:secret:test]', rule: 'test', fingerprint: 'f00' });
    }
  },
};
const STEPS = [terminalControls({ stripControlChars: true, stripNullBytes: true }), invisibles, maskSecrets];

function utf16(text: string, isBigEndian: boolean): Buffer {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return isBigEndian ? bytes.swap16() : bytes;
}

describe('the view of a file', () => {
  it.each<[string, Buffer, string]>([
    ['plain text', Buffer.from('hello\r\n'), 'hello\r\n'],
    ['a mark of byte order', Buffer.from('\ufeffhello'), 'hello'],
    ['Latin-1', Buffer.from('caf\u00e9 au lait', 'latin1'), 'caf\ufffd au lait'],
    ['a literal U+FFFD', Buffer.from('a\ufffdb'), 'a\ufffdb'],
    ['UTF-16, little end first', utf16('naïve 😀', false), 'naïve 😀'],
    ['UTF-16, big end first', utf16('naïve 😀', true), 'naïve 😀'],
    ['UTF-16 with an odd byte', Buffer.concat([utf16('ab', false), Buffer.from('c')]), 'ab\ufffd'],
    ['NULs', Buffer.from('a\u0000b'), 'ab'],
    ['a secret that a hidden character parts', Buffer.from('x SEC\u200bRET42 y'), 'x [REDACTED:secret:test] y'],
    ['nothing', Buffer.alloc(0), ''],
  ])('%s', (_name, bytes, expected) => {
    expect(viewBytes(bytes, STEPS).text).toBe(expected);
  });

  it('is of the source of a page, not of its text', () => {
    const bytes = Buffer.from('<p>a &amp; SECRET1</p>');
    const view = viewBytes(bytes, [htmlToText, ...STEPS]);
    expect(view.text).toBe('<p>a &amp; [REDACTED:secret:test]</p>');
    expect(cleanShown(bytes, [htmlToText, ...STEPS], { tally: new Tally(), shown: { start: 0, end: bytes.length } })).toBe(view.text);
  });

  it('tells what stands for what', () => {
    const bytes = Buffer.from('\ufeffa\u001b[1mb\u200bc SEC\u200bRET7!', 'utf8');
    const view = viewBytes(Buffer.concat([bytes, Buffer.from([0xff])]), STEPS);
    expect(view.alterationCount).toBe(4);
    expect([...view.alterationsIn(-1, Infinity)]).toEqual([
      { start: 1, end: 1, source: { start: 4, end: 8 }, kind: 'altered' },
      { start: 2, end: 2, source: { start: 9, end: 12 }, kind: 'altered' },
      { start: 4, end: 26, source: { start: 14, end: 24 }, kind: 'masked' },
      { start: 27, end: 28, source: { start: 25, end: 26 }, kind: 'altered' },
    ]);
  });

  it('finds the bytes behind a piece; what was taken out at its edges stays outside', () => {
    const view = viewBytes(Buffer.from('é\u200bab\u200bc'), STEPS);
    expect(view.text).toBe('éabc');
    expect(view.sourceOf(1, 3)).toEqual({ start: 5, end: 7 });
    expect(view.sourceOf(0, 4)).toEqual({ start: 0, end: 11 });
    expect(view.sourceOf(3, 3)).toEqual({ start: 7, end: 7 });
    expect(view.sourceOf(0, 0)).toEqual({ start: 0, end: 0 });
  });

  it.each<[string, number, number]>([
    ['inside a mark', 3, 5],
    ['at its right edge inside a mark', 0, 10],
    ['inside a character', 25, 26],
    ['beyond the end', 0, 99],
    ['before the start', -1, 1],
    ['the wrong way round', 2, 1],
    ['at no number', Number.NaN, 1],
  ])('refuses an edge: %s', (_name, start, end) => {
    const view = viewBytes(Buffer.from('a SECRET1😀'), STEPS);
    expect(() => view.sourceOf(start, end)).toThrow(RangeError);
  });

  it.each<[string, Buffer]>([
    ['UTF-8', Buffer.from('\ufeffz')],
    ['UTF-16LE', utf16('z', false)],
    ['UTF-16BE', utf16('z', true)],
  ])('encodes as its source: %s', (_name, bytes) => {
    const view = viewBytes(bytes, STEPS);
    const { start, end } = view.sourceOf(0, 1);
    expect(Buffer.from(view.encode('z'))).toEqual(bytes.subarray(start, end));
  });
});

describe('a page of a file', () => {
  const show = (bytes: Buffer, [start, end]: readonly [number, number], tally = new Tally()) =>
    cleanShown(bytes, STEPS, { tally, shown: { start, end } });
  const text = Buffer.from('before SECRET1234 after');

  it('is given with a mark whole that its edge cuts', () => {
    expect(show(text, [0, 10])).toBe('before [REDACTED:secret:test]');
    expect(show(text, [10, 12])).toBe('[REDACTED:secret:test]');
    expect(show(text, [12, 23])).toBe('[REDACTED:secret:test] after');
    expect(show(text, [0, 7])).toBe('before ');
    expect(show(text, [17, 23])).toBe(' after');
  });

  it('never shows a letter of a secret, however small the pages are', () => {
    for (const size of [1, 2, 3, 5, 7]) {
      const pages = Array.from({ length: Math.ceil(text.length / size) }, (_, page) => show(text, [page * size, (page + 1) * size]));
      expect(pages.join('|')).not.toMatch(/SECRET|\d/);
    }
  });

  it('counts what is shown, not what stands around it', () => {
    const tally = new Tally();
    show(Buffer.from('\u200bSECRET1 SECRET2 plain'), [19, 24], tally);
    expect(tally.counts).toEqual({});
    show(Buffer.from('\u200bSECRET1 SECRET2 plain'), [12, 24], tally);
    expect(tally.counts).toEqual({ 'secrets:test': 1 });
  });

  it('is nothing where nothing is shown', () => {
    expect(show(text, [9, 9])).toBe('');
    expect(show(text, [23, 23])).toBe('');
  });

  it('gives a character to the page in which it begins', () => {
    const bytes = Buffer.from('a€😀z');
    const pages = Array.from({ length: bytes.length }, (_, at) => show(bytes, [at, at + 1]));
    expect(pages).toEqual(['a', '€', '', '', '😀', '', '', '', 'z']);
  });

  it('is read in the encoding of its file', () => {
    const bytes = Buffer.from('x SECRET1', 'utf16le');
    expect(cleanShown(bytes, STEPS, { tally: new Tally(), shown: { start: 0, end: 6 }, encoding: 'utf-16le' })).toBe('x [REDACTED:secret:test]');
  });
});
