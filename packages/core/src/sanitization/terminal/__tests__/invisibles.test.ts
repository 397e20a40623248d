import { describe, expect, it } from '@jest/globals';
import { findHiddenCharacter } from '../../../protocol/hidden-characters.ts';
import { isWritten } from '../../../protocol/written-invisibles.ts';
import { Tally } from '../../pipeline/tally.ts';
import { cleanText } from '../../pipeline/text-pipeline.ts';
import { invisibles } from '../invisibles.ts';

function clean(text: string): { text: string; counts: Record<string, number> } {
  const tally = new Tally();
  const cleaned = cleanText(text, [invisibles], tally);
  const counts = Object.entries(tally.counts).map(([rule, times]) => [rule.replace('invisibles:', ''), times] as const);
  return { text: cleaned, counts: Object.fromEntries(counts) };
}

const tags = (word: string) => Array.from(word, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
const flag = (region: string) => `\u{1f3f4}${tags(region)}\u{e007f}`;

/** Of these, what a person approves may hold fewer than what is read. */
const NOT_IN_DEFINITIONS = /[\u00ad\u200e\u200f\u2060\u2066-\u2069]/;

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
    ['the many variants of two letters of names', '邉\u{e011f}邊\u{e010e}'],
    ['a standardized variant', '﨑\ufe00 0\ufe00'],
    ['Burmese with breaks', 'မြန်မာ​ဘာသာ'],
    ['Mongolian', 'ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ᠌'],
    ['Khmer with breaks', 'ភាសា​ខ្មែរ'],
    ['Braille with a blank', '⠓⠊\u2800⠽⠕⠥'],
    ['Javanese with breaks', 'ꦱꦧꦺꦤ꧀\u200bꦮꦺꦴꦁ꧉\u200b'],
    ['Khmer with breaks at its ends', '\u200bភាសា\u200b (ខ្មែរ)'],
    ['Arabic dates and amounts', '12\u200f/3\u200f/2024 ١٢\u200f/٣ \u200f-#,##0.00 ¤ د.إ.\u200f'],
    ['signs and lists of Persian and Hebrew', '\u200e+1 \u200e%\u200e {0}،\u200f {1} ש:\u200f (\u200e0–11)'],
    ['Persian endings by themselves', 'ا\n\u200cها\n\u200cخانه\u200c'],
    ['a joiner behind a virama at the end', 'ක්\u200d'],
    ['isolates in balance', '\u2068Ann\u2069 sent \u2067שלום (3)\u2069 to \u2066b\u2068c\u2069d\u2069.'],
    ['soft hyphens in words', 'Donau\u00addampf\u00adschiff, co\u00adop\u00ader\u00adate'],
    ['the same as entities', 'Donau&shy;dampf&#173;schiff می&zwnj;خواهم'],
    ['entities that are named', 'use `&shy;` or "&#8203;" and <td>&zwnj;</td> &nbsp; &amp; &lt;'],
    ['a word joiner between signs', '{0}\u2060{1}'],
    ['Texas', flag('ustx')],
    ['British Columbia', flag('cabc')],
    ['accents', 'Tiếng Việt'.normalize('NFD')],
  ])('%s', (_name, text) => {
    expect(clean(`${text} a ${text}`)).toEqual({ text: `${text} a ${text}`, counts: {} });
    if (!NOT_IN_DEFINITIONS.test(text)) expect(findHiddenCharacter(text)).toBeUndefined();
  });
});

describe('what nobody sees goes', () => {
  it.each<[string, string, string, Record<string, number>]>([
    ['words in tags', `hi${tags('rm -rf')}`, 'hi', { tag: 6 }],
    ['another flag of tags', flag('usca'), '🏴', { tag: 5 }],
    ['a flag of tags without its end', `🏴${tags('gbeng')}x`, '🏴x', { tag: 5 }],
    ['a second flag behind the first', `${flag('gbeng')}${tags('gbeng')}\u{e007f}`, flag('gbeng'), { tag: 6 }],
    ['overrides', 'a\u202egnp.exe\u202c', 'agnp.exe', { bidi: 2 }],
    ['isolates without an end or a beginning', '\u2066a \u2069b\u2069', '\u2066a \u2069b', { bidi: 1 }],
    ['an isolate over the end of a line', '\u2068a\nb\u2069', 'a\nb', { bidi: 2 }],
    ['an isolate around nothing', 'a\u2068\u2069\u2068\u200b\u2069b', 'ab', { 'bidi': 4, 'zero-width': 1 }],
    ['isolates right inside each other', '\u2066\u2067\u2068a\u2069\u2069\u2069', '\u2068a\u2069', { bidi: 4 }],
    ['isolates too deep in each other', `${'\u2068a'.repeat(6)}${'b\u2069'.repeat(6)}`, `${'\u2068a'.repeat(4)}aabb${'b\u2069'.repeat(4)}`, { bidi: 4 }],
    ['an isolate of the other direction around code (CVE-2021-42574)', 'if (a) { \u2067 return; }\u2069', 'if (a) {  return; }', { bidi: 2 }],
    ['a long isolate', `\u2068${'a'.repeat(1_100)}\u2069`, 'a'.repeat(1_100), { bidi: 2 }],
    ['rows of soft hyphens, and one behind each letter', 'a\u00ad\u00adb\u00adc\u00add\u00ade 1\u00ad2', 'ab\u00adcd\u00ade 12', { other: 4 }],
    ['a mark of direction in English', 'a\u200eb', 'ab', { bidi: 1 }],
    ['rows of them beside Hebrew', '\u200f\u200e\u200fש', '\u200fש', { bidi: 2 }],
    ['a second mark between two letters', 'א\u200f\u200eב', 'א\u200fב', { bidi: 1 }],
    ['zero width', 't\u200bo\u2060k\ufeffe\u200dn', 'token', { 'zero-width': 4 }],
    ['a row of joiners', 'क\u200d\u200c\u200dष', 'क\u200dष', { 'zero-width': 2 }],
    ['soft hyphen and grapheme joiner', 'a\u00ad b\u034fc', 'a bc', { other: 2 }],
    ['fillers', 'a\u115f\u1160\u3164\uffa0b', 'ab', { other: 4 }],
    ['data in variation selectors', `😀${String.fromCodePoint(0xe0100, 0xe0101, 0xe0102)}`, '😀', { 'variation-selector': 3 }],
    ['a row of them behind Han', '葛\u{e0100}\u{e0101}\ufe00', '葛\u{e0100}', { 'variation-selector': 2 }],
    ['a letter of data behind each ideograph', Array.from('obey', (letter) => `字${String.fromCodePoint(0xe00f0 + letter.charCodeAt(0))}`).join(''), '字字字字', { 'variation-selector': 4 }],
    ['more than an ideograph has', '葛\u{e0107}葛\u{e0108}邉\u{e0120}', '葛\u{e0107}葛邉', { 'variation-selector': 2 }],
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
    ['builds no entity', '&#82\u200b03; &\u200bshy; &#8\u200b2\u200b03; &#82&#8203;03;', '&#82 03; & shy; &#82 03; &#82 03;'],
    ['parts no word by an entity', 'igno&#8203;re &#x200B;all &ZeroWidthSpace;&NoBreak;rules&amp;#8203;&#xE0041;&#917570;', 'ignore all rules'],
    ['keeps a break only beside what stays', 'ก\u200b\u200ba', 'กa'],
    ['puts no second selector behind a character', '葛\u{e0100}\u200b\u{e0101}', '葛\u{e0100}'],
    ['puts no selector behind a line that ends', '葛\u2028\u{e0100}', '葛\n'],
    ['keeps nothing behind a line that ends which needs a space before it', '\u2028\u180eᠭ', '\nᠭ'],
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
    const text = `😀 a${character}7`;
    if ((cleanText(text, [invisibles], new Tally()) !== text) !== isHidden) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});

it('clean text is the same string', () => {
  const text = 'plain ASCII, naïve, 日本, 😀\n';
  expect(cleanText(text, [invisibles], new Tally())).toBe(text);
});

describe('each place is judged by its own neighbours, though judgements are kept for the next', () => {
  const sides = Array.from('abz09.,;\u05d0\u05e9\u0645\u0e01\u0e2a\u1780\u0915\u0937\u6f22\u{1f600}\u2764');
  const pairs = sides.flatMap((last) => sides.map((next) => [last, next] as const));

  it.each<[string, number]>([
    ['zero width spaces', 0x200b], ['non-joiners', 0x200c], ['joiners', 0x200d], ['marks of direction', 0x200f], ['word joiners', 0x2060], ['selectors', 0xfe0f],
  ])('%s', (_name, code) => {
    const character = String.fromCodePoint(code);
    for (const repeated of [1, 12]) {
      const rows = Array.from({ length: repeated }, () => pairs).flat();
      const expected = rows.map(([last, next]) => `${last}${isWritten(code, { beforeLast: '\n', last, next }) ? character : ''}${next}`);
      expect(clean(rows.map(([last, next]) => `${last}${character}${next}`).join('\n')).text).toBe(expected.join('\n'));
    }
  });

  it('soft hyphens, which two letters have to part', () => {
    const letters = Array.from('abcdefghijklmnopqrstuvwxyz');
    const rows = letters.map((first) => [`${first}b\u00adc`, 'x\u00adb\u00adc']).flat();
    expect(clean(rows.join(' ')).text).toBe(rows.map((row) => row.replace('x\u00adb\u00adc', 'x\u00adbc')).join(' '));
  });
});
