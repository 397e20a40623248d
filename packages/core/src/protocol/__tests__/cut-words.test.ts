import { describe, expect, it } from '@jest/globals';
import { cutWords } from '../text.ts';

/** Letters and digits of a token, put together here. */
const [HALF, OTHER] = ['ghp_A1b2C3d4E5f6G7h8', 'I9j0K1l2M3n4O5p6Q7r8'];
const BEFORE = 'some words before ';

describe('a cut parts no long word', () => {
  it.each<[name: string, between: string]>([
    ['nothing in it', ''],
    ['a zero-width space', '\u200b'],
    ['a soft hyphen', '\u00ad'],
    ['a tag character', '\u{e0061}'],
    ['a NUL', '\u0000'],
    ['a control sequence', '\u001b[31m'],
    ['a sequence with a colon and a question mark', '\u001b[?38:5:1m'],
    ['a link of a terminal', '\u001b]8;;https://a.example/\u0007'],
    ['a zero-width space that is written out', '\\u{200b}'],
    ['a control sequence that is written out', '\\u001b[31m'],
  ])('%s', (_name, between) => {
    const whole = `${BEFORE}${HALF}${between}${OTHER}`;
    for (let most = BEFORE.length + 12; most < whole.length; most += 1) {
      expect(cutWords(whole, most)).not.toContain(HALF.slice(0, 12));
      expect(cutWords(whole, most).startsWith(BEFORE.trimEnd())).toBe(true);
    }
    expect(cutWords(whole, whole.length)).toBe(whole);
  });

  it.each<[name: string, text: string, most: number, kept: string]>([
    ['between two words', `${HALF} ${OTHER}`, HALF.length, HALF],
    ['in a short word', 'a few words', 8, 'a few wo'],
    ['in a row of emoji', '😀'.repeat(20), 25, `${'😀'.repeat(12)}\ufffd`],
    ['and says so where nothing is left', 'x'.repeat(100), 20, '[...]'],
    ['in Chinese', '密'.repeat(30), 20, '密'.repeat(20)],
  ])('%s it cuts', (_name, text, most, kept) => {
    expect(cutWords(text, most)).toBe(kept);
  });
});
