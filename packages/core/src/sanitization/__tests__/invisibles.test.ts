import { describe, expect, it } from '@jest/globals';
import { findHiddenCharacter } from '../../protocol/hidden-characters.ts';
import { invisibles } from '../invisibles.ts';
import { Tally } from '../tally.ts';
import { cleanText } from '../text-pipeline.ts';

function clean(text: string): { text: string; counts: Record<string, number> } {
  const tally = new Tally();
  const cleaned = cleanText(text, [invisibles], tally);
  const counts = Object.entries(tally.counts).map(([rule, times]) => [rule.replace('invisibles:', ''), times] as const);
  return { text: cleaned, counts: Object.fromEntries(counts) };
}

const tags = (word: string) => Array.from(word, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
const flag = (region: string) => `\u{1f3f4}${tags(region)}\u{e007f}`;

describe('what people write survives byte for byte', () => {
  it.each<[string, string]>([
    ['a family', '👨‍👩‍👧'],
    ['a red heart', '❤️'],
    ['marks of direction beside Hebrew', '\u200fעברית\u200f'],
    ['a mark before Arabic', '\u061cعربي'],
    ['a left-to-right mark behind Hebrew', 'C++ עברית\u200e!'],
    ['Hindi', 'नमस्ते क्‍ष'],
    ['Persian', 'می‌خواهم'],
    ['emoji that are joined', '👨‍👩‍👧‍👦 ❤️‍🔥 👩🏽‍💻 🏳️‍🌈 🏴‍☠️ 👁️‍🗨️ 🧑🏽‍🤝‍🧑🏻 🙂‍↔️'],
    ['keycaps', '1️⃣ #️⃣ *️⃣'],
    ['text style', '☎︎ ©️'],
    ['flags of nations', '🇩🇪🇫🇷'],
    ['England', flag('gbeng')],
    ['Scotland', flag('gbsct')],
    ['Wales', flag('gbwls')],
    ['an ideographic variant', '葛\u{e0100}城市'],
    ['a standardized variant', '﨑\ufe00 0\ufe00'],
    ['Burmese with breaks', 'မြန်မာ​ဘာသာ'],
    ['Mongolian', 'ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ᠌'],
    ['Khmer with breaks', 'ភាសា​ខ្មែរ'],
    ['Braille with a blank', '⠓⠊\u2800⠽⠕⠥'],
    ['accents', 'Tiếng Việt'.normalize('NFD')],
  ])('%s', (_name, text) => {
    expect(clean(`${text} a ${text}`)).toEqual({ text: `${text} a ${text}`, counts: {} });
    expect(findHiddenCharacter(text)).toBeUndefined();
  });
});

describe('what nobody sees goes', () => {
  it.each<[string, string, string, Record<string, number>]>([
    ['words in tags', `hi${tags('rm -rf')}`, 'hi', { tag: 6 }],
    ['another flag of tags', flag('usca'), '🏴', { tag: 5 }],
    ['a flag of tags without its end', `🏴${tags('gbeng')}x`, '🏴x', { tag: 5 }],
    ['a second flag behind the first', `${flag('gbeng')}${tags('gbeng')}\u{e007f}`, flag('gbeng'), { tag: 6 }],
    ['overrides', 'a\u202egnp.exe\u202c', 'agnp.exe', { bidi: 2 }],
    ['isolates', '\u2066a\u2069', 'a', { bidi: 2 }],
    ['a mark of direction in English', 'a\u200eb', 'ab', { bidi: 1 }],
    ['rows of them beside Hebrew', '\u200f\u200e\u200fש', '\u200fש', { bidi: 2 }],
    ['a second mark between two letters', 'א\u200f\u200eב', 'א\u200fב', { bidi: 1 }],
    ['zero width', 't\u200bo\u2060k\ufeffe\u200dn', 'token', { 'zero-width': 4 }],
    ['a row of joiners', 'क\u200d\u200c\u200dष', 'क\u200dष', { 'zero-width': 2 }],
    ['soft hyphen and grapheme joiner', 'a\u00adb\u034fc', 'abc', { other: 2 }],
    ['fillers', 'a\u115f\u1160\u3164\uffa0b', 'ab', { other: 4 }],
    ['data in variation selectors', `😀${String.fromCodePoint(0xe0100, 0xe0101, 0xe0102)}`, '😀', { 'variation-selector': 3 }],
    ['a row of them behind Han', '葛\u{e0100}\u{e0101}\ufe00', '葛\u{e0100}', { 'variation-selector': 2 }],
    ['one behind a letter', 'a\ufe0f', 'a', { 'variation-selector': 1 }],
    ['Mongolian ones in a row', 'ᠭ\u180b\u180e\u180eᠭ', 'ᠭ\u180bᠭ', { 'other': 2 }],
    ['private use', 'a\ue000\u{f0000}\u{10fffd}b', 'ab', { 'private-use': 3 }],
    ['noncharacters', 'a\ufdd0\uffff\u{1ffff}b', 'ab', { other: 3 }],
    ['unassigned and ignored', 'a\u2065\u{e0080}\u{e0fff}b', 'ab', { other: 3 }],
    ['annotations', 'a\ufff9b\ufffac\ufffb', 'abc', { other: 3 }],
    ['separators of lines become lines', 'a\u2028b\u2029c', 'a\nb\nc', { separator: 2 }],
    ['the Braille blank in English becomes a space', 'a\u2800b', 'a b', { blank: 1 }],
  ])('%s', (_name, text, expected, counts) => {
    expect(clean(text)).toEqual({ text: expected, counts });
  });
});

describe('a deletion and its neighbours', () => {
  it.each<[string, string, string]>([
    ['puts no joiner between pictures', '😀\u200b\u200d😀', '😀\u200d😀'],
    ['puts no second selector behind a character', '葛\u{e0100}\u200b\u{e0101}', '葛\u{e0100}'],
    ['puts no selector behind a line that ends', '葛\u2028\u{e0100}', '葛\n'],
    ['puts no joiner where a hidden letter stood', 'a\u200c\u180b', 'a'],
    ['makes no keycap', '1\ufe0f\u200b\u20e3', '1\u20e3'],
    ['makes no second mark beside a letter', '\u200e\u200b\u200eא', '\u200eא'],
  ])('%s', (_name, text, expected) => {
    const once = clean(text).text;
    expect(once).toBe(expected);
    expect(clean(once)).toEqual({ text: once, counts: {} });
  });
});

// The class of units that is looked for first is written by hand: each code point is tried alone and among others.
it('misses no hidden character, and takes no other', () => {
  const hidden = /^[\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]$/u;
  const seen = /^[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]$/u;
  const wrong: string[] = [];
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const character = String.fromCodePoint(code);
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const isHidden = hidden.test(character) && !seen.test(character);
    const text = `😀 a${character}z`;
    if ((cleanText(text, [invisibles], new Tally()) !== text) !== isHidden) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});

it('clean text is the same string', () => {
  const text = 'plain ASCII, naïve, 日本, 😀\n';
  expect(cleanText(text, [invisibles], new Tally())).toBe(text);
});
