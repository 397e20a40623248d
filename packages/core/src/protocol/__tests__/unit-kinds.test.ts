import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { C0, C1, CARRIAGE_RETURN, ESCAPER, FOREIGN, HIDDEN, kindsOf, LOW_LINE, OPENER } from '../unit-kinds.ts';

/** The kind of one unit, said by patterns instead of tables. */
const KINDS: readonly (readonly [name: string, kind: number, pattern: RegExp])[] = [
  ['C0', C0, /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/],
  ['C1', C1, /[\u007f-\u009f]/],
  ['carriage return', CARRIAGE_RETURN, /\r/],
  ['opener', OPENER, /[[{⁅⟦【〖〚︗︻﹇［❴︷﹛｛<«˂ᐸᚲ‹≮≺⊀〈❬❮❰⟨⟪⟬⦑⧼⪡《︽︿﹤＜\u2329\ud834]/],
  ['low line', LOW_LINE, /[_ˍߺ‗⎽▁‿⎯︳︴﹍﹎﹏＿]/],
  ['escaper', ESCAPER, /[&%\\]/],
];

function kindOfUnit(code: number): number {
  return KINDS.reduce((kinds, [, kind, pattern]) => (pattern.test(String.fromCharCode(code)) ? kinds | kind : kinds), 0);
}

const OF_PATTERNS = KINDS.reduce((kinds, [, kind]) => kinds | kind, 0);

describe('the kinds of a text', () => {
  it('are those of each unit, in text of one byte a unit and of two', () => {
    const wrong: string[] = [];
    for (let code = 0; code <= 0xff_ff; code += 1) {
      const unit = String.fromCharCode(code);
      const expected = kindOfUnit(code);
      if ((kindsOf(unit) & OF_PATTERNS) !== expected) wrong.push(code.toString(16));
      if (code <= 0xff && (kindsOf(`日${unit}`) & OF_PATTERNS) !== expected) wrong.push(`wide ${code.toString(16)}`);
    }
    expect(wrong).toEqual([]);
  });

  it('know every hidden character but controls', () => {
    const missed: string[] = [];
    for (let code = 0xa0; code <= 0x10_ff_ff; code += 1) {
      if (code >= 0xd8_00 && code <= 0xdf_ff) continue;
      const character = String.fromCodePoint(code);
      const isHidden = /[\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/u.test(character);
      const isSeen = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u.test(character);
      if (isHidden && !isSeen && (kindsOf(character) & HIDDEN) === 0) missed.push(code.toString(16));
    }
    expect(missed).toEqual([]);
  });

  it.each([0, 1, 2, 3, 4, 5, 8_191, 8_192, 8_193, 16_383, 16_384, 16_385, 40_000])('are found after %i units and before as many', (units) => {
    for (const filler of ['a', '日', 'é']) {
      const text = `${filler.repeat(units)}\u0000${filler.repeat(units)}`;
      expect([filler, kindsOf(text) & C0]).toEqual([filler, C0]);
      expect([filler, kindsOf(text.replaceAll('\u0000', 'b')) & C0]).toEqual([filler, 0]);
    }
  });

  it('do not remember the text before', () => {
    kindsOf('<_\u0000'.repeat(20_000));
    expect(kindsOf('a')).toBe(0);
    expect(kindsOf('abc')).toBe(0);
    expect(kindsOf('')).toBe(0);
  });

  it('of two texts are those of both together', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
        expect(kindsOf(one + other)).toBe(kindsOf(one) | kindsOf(other));
      }),
      { numRuns: 2_000 },
    );
  });

  it('say of what is beyond ASCII and may be read as ASCII that it is foreign', () => {
    for (const text of ['é', 'о', '＜', '𝓸', '\u0301', '\u00ad', '😀']) expect([text, kindsOf(text) & FOREIGN]).toEqual([text, FOREIGN]);
    expect(kindsOf('日本 한국 text') & FOREIGN).toBe(0);
  });
});
