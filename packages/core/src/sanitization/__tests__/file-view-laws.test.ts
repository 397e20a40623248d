import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lawRuns } from '../../__tests__/law-runs.ts';
import { readText } from '../../protocol/decode.ts';
import { cleanShown, viewBytes } from '../pipeline/file-view.ts';
import { Tally } from '../pipeline/tally.ts';
import { cleanText } from '../pipeline/text-pipeline.ts';
import type { TextStep, TextStepName } from '../pipeline/text-step.ts';
import type { Alteration, TextView } from '../pipeline/text-view.ts';
import { invisibles } from '../terminal/invisibles.ts';
import { terminalControls } from '../terminal/terminal-controls.ts';

/** A step that replaces what a pattern finds: with any, so that changes lie over changes in every way. */
function replacing(name: TextStepName, pattern: RegExp, by: string): TextStep {
  return {
    name,
    rewrite: (text, rewriter) => {
      for (const { index, 0: found } of text.matchAll(pattern)) rewriter.replace(index, index + found.length, { by, rule: 'r' });
    },
  };
}

const STEPS: readonly TextStep[] = [
  replacing('invisibles', /&[a-z]*;?/g, '&'),
  terminalControls({ stripControlChars: true, stripNullBytes: true }),
  invisibles,
  replacing('secrets', /ab+/g, '[REDACTED:secret:x]'),
  replacing('tags', /t\]|\]c/g, '[REDACTED:tag]'),
  replacing('triggers', /\ufffd.|REDACTED:tag\]\[/gu, ''),
];

const PIECES = ['a', 'b', 'ab', 'c', '&', '&amp;', 't]', ']c', ' ', '\r', '\n', '\u001b[m', '\u200b', '\u0000', 'é', '€', '😀', '\ufffd', '\ufeff', '葛\u{e0100}'];
const BAD = [[0xff], [0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe0, 0x9f], [0xbf]];

const anyUtf8 = fc
  .array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...PIECES.map((piece) => Buffer.from(piece))) }, { weight: 1, arbitrary: fc.constantFrom(...BAD.map((bad) => Buffer.from(bad))) }), { maxLength: 30 })
  .map((pieces) => Buffer.concat(pieces));
const anyUtf16 = fc
  .tuple(fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.constantFrom('\ud83d', '\ude00')), { maxLength: 30 }), fc.boolean(), fc.constantFrom('', 'x'))
  .map(([pieces, isBigEndian, odd]) => {
    const bytes = Buffer.from(`\ufeff${pieces.join('')}`, 'utf16le');
    return Buffer.concat([isBigEndian ? bytes.swap16() : bytes, Buffer.from(odd)]);
  });
const anyBytes = fc.oneof(anyUtf8, anyUtf16, fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)));

describe('the laws of a view', () => {
  it('its text is what the steps make of the decoded whole', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const { text } = readText(bytes, Infinity);
        expect(viewBytes(bytes, STEPS).text).toBe(cleanText(text, STEPS, new Tally()));
      }),
      lawRuns(),
    );
  });

  it('alterations go from left to right in both, and in between text and source are the same', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const view = viewBytes(bytes, STEPS);
        const ends = { view: 0, source: view.sourceOf(0, 0).start };
        const places = [...allOf(view), { start: view.text.length, end: view.text.length, source: { start: bytes.length, end: bytes.length } }];
        for (const { start, end, source } of places) {
          const between = Buffer.from(view.encode(view.text.slice(ends.view, start)));
          expect(between).toEqual(bytes.subarray(ends.source, source.start));
          Object.assign(ends, { view: end, source: source.end });
        }
      }),
      lawRuns(),
    );
  });

  it('what is altered in a piece is what of all lies over it, and edges are the places that stand for bytes', () => {
    fc.assert(
      fc.property(anyBytes, fc.nat(40), fc.nat(40), (bytes, start, length) => {
        const view = viewBytes(bytes, STEPS);
        const all = allOf(view);
        expect(view.alterationCount).toBe(all.length);
        const end = start + length;
        expect([...view.alterationsIn(start, end)]).toEqual(all.filter((one) => one.start < end && one.end > start));
        const places = Array.from({ length: view.text.length + 3 }, (_, index) => index - 1);
        expect(places.filter((edge) => view.isEdge(edge) !== isTaken(view, edge))).toEqual([]);
      }),
      lawRuns(),
    );
  });

  it('pieces that follow one another stand for bytes that do, and none is without them', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const view = viewBytes(bytes, STEPS);
        const edges = Array.from({ length: view.text.length + 1 }, (_, edge) => edge).filter((edge) => view.isEdge(edge));
        const pieces = edges.slice(1).map((next, index) => view.sourceOf(edges[index] ?? 0, next));
        const wrong = pieces.filter(({ start, end }, index) => start < (pieces[index - 1]?.end ?? 0) || end <= start);
        expect(wrong).toEqual([]);
      }),
      lawRuns(),
    );
  });

  it('pages of any size show the view, each mark on every page that has a byte of it', () => {
    fc.assert(
      fc.property(anyBytes, fc.integer({ min: 1, max: 40 }), (bytes, size) => {
        const view = viewBytes(bytes, STEPS);
        const encoding = view.encode('a').length === 1 ? 'utf-8' : bytes[0] === 0xff ? 'utf-16le' : 'utf-16be';
        const tally = new Tally();
        let shown = '';
        const pages: string[] = [];
        for (let start = 0; start < bytes.length; start += size) {
          const page = cleanShown(bytes, STEPS, { tally, encoding, shown: { start, end: Math.min(bytes.length, start + size) } });
          pages.push(page);
          shown += page;
        }
        if (!allOf(view).some(({ kind }) => kind === 'masked')) expect(shown).toBe(view.text);
        else expect(shown.length).toBeGreaterThanOrEqual(view.text.length);
        expect(pages.filter((page) => !view.text.includes(page))).toEqual([]);
      }),
      lawRuns(),
    );
  });
});

function allOf(view: TextView): Alteration[] {
  return [...view.alterationsIn(-1, Infinity)];
}

function isTaken(view: TextView, edge: number): boolean {
  try {
    view.sourceOf(edge, edge);
    return true;
  } catch {
    return false;
  }
}

it('places are found far into a file, from left to right and back', () => {
  const bytes = Buffer.from('aé€😀\u200b'.repeat(5_000));
  const view = viewBytes(bytes, STEPS);
  for (const repeat of [4_999, 0, 2_500, 2_499, 4_000]) {
    const start = repeat * 5;
    expect(view.sourceOf(start, start + 5)).toEqual({ start: repeat * 13, end: repeat * 13 + 10 });
  }
});
