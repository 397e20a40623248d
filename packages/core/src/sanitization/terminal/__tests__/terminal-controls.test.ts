import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { Tally } from '../../pipeline/tally.ts';
import { cleanText } from '../../pipeline/text-pipeline.ts';
import { terminalControls, type TerminalControlSettings } from '../terminal-controls.ts';

function clean(text: string, settings: Partial<TerminalControlSettings> = {}): { text: string; counts: Record<string, number> } {
  const tally = new Tally();
  const step = terminalControls({ stripControlChars: true, stripNullBytes: true, ...settings });
  const cleaned = cleanText(text, [step], tally);
  const counts = Object.entries(tally.counts).map(([rule, times]) => [rule.replace('terminal-controls:', ''), times] as const);
  return { text: cleaned, counts: Object.fromEntries(counts) };
}

describe('a terminal control goes', () => {
  it.each<[string, string, string, Record<string, number>]>([
    ['colour', 'a\u001b[31mb\u001b[0mc', 'abc', { csi: 2 }],
    ['many parameters', '\u001b[38;2;1;2;3mx', 'x', { csi: 1 }],
    ['private parameters', '\u001b[?25lx\u001b[?1049h', 'x', { csi: 2 }],
    ['intermediate bytes', '\u001b[1 qx', 'x', { csi: 1 }],
    ['8-bit CSI', '\u009b31mx', 'x', { csi: 1 }],
    ['CSI without its last character', '\u001b[31\nx', '31\nx', { csi: 1 }],
    ['CSI at the end of the text', 'x\u001b[', 'x', { csi: 1 }],
    ['OSC title, ended by BEL', 'a\u001b]0;title\u0007b', 'ab', { osc: 1 }],
    ['OSC link, ended by ST', '\u001b]8;;http://x\u001b\\here\u001b]8;;\u001b\\', 'here', { osc: 2 }],
    ['8-bit OSC, ended by 8-bit ST', '\u009d0;title\u009cb', 'b', { osc: 1 }],
    ['clipboard', '\u001b]52;c;cm0gLXJm\u0007', '', { osc: 1 }],
    ['DCS', '\u001bPq#0~\u001b\\x', 'x', { string: 1 }],
    ['8-bit DCS, SOS, PM, APC', '\u0090a\u009c\u0098b\u009c\u009ec\u009c\u009fd\u009cx', 'x', { string: 4 }],
    ['SOS, PM, APC', '\u001bXa\u001b\\\u001b^b\u001b\\\u001b_c\u001b\\x', 'x', { string: 3 }],
    ['two-byte escapes', '\u001bcx\u001b7y\u001b8', 'xy', { escape: 3 }],
    ['character set', '\u001b(Bx', 'x', { escape: 1 }],
    ['intermediate without end', '\u001b(\nx', '(\nx', { escape: 1 }],
    ['ESC alone', 'a\u001b', 'a', { escape: 1 }],
    ['ESC before what is no ASCII', '\u001bé', 'é', { escape: 1 }],
    ['C0 but tab and line feed', 'a\u0001\u0007\u0008\u000e\u001fb\t\n', 'ab\t\n', { c0: 5 }],
    ['DEL', 'a\u007fb', 'ab', { c0: 1 }],
    ['C1', 'a\u0080\u0085\u0099b', 'ab', { c1: 3 }],
    ['NUL', 'a\u0000b', 'ab', { null: 1 }],
  ])('%s', (_name, text, expected, counts) => {
    expect(clean(text)).toEqual({ text: expected, counts });
  });
});

describe('what a sequence does not do', () => {
  it.each<[string, string, string]>([
    ['swallow the rest when its string has no end', '\u001b]0;title and all that follows', '0;title and all that follows'],
    ['swallow text up to the next sequence', '\u001b]0;a\u001b[31mb', '0;ab'],
    ['go on over CAN', '\u001b]0;a\u0018b\u0007', '0;ab'],
    ['go on over CAN, SUB or ESC within it', '\u001b\u0018[1m\u009b3\u001a1m\u001b\u001b[0mx', '[1m31mx'],
    ['go on over another introducer', '\u009d0;a\u009d1;b\u0007c', '0;ac'],
    ['arise from a deletion', '\u001b\u001b[0m[31mx', '[31mx'],
    ['arise from a deletion, 8-bit', '\u001b\u009b0m[31mx', '[31mx'],
    ['arise from a deleted NUL', '\u001b\u0000[31mx', 'x'],
    ['hide behind a NUL in its parameters', '\u001b[3\u00001mx', 'x'],
    ['hide behind a NUL in its end', '\u001b]0;a\u001b\u0000\\x', 'x'],
    ['hide behind a BEL', '\u001b\u0007[31mx', 'x'],
  ])('%s', (_name, text, expected) => {
    expect(clean(text).text).toBe(expected);
  });
});

describe('honest text stays', () => {
  it.each<[string, string, string]>([
    ['a text of Windows-1252, read as Latin-1', 'It\u0092s \u0093here\u0094 \u0096 caf\u00e9\u0094, 5\u0095', 'It’s “here” – café”, 5•'],
    ['behind a control, and behind a space', '\u0007\u0092a \u0092', 'a ’'],
  ])('%s', (_name, text, expected) => {
    expect(clean(text).text).toBe(expected);
    expect(clean(expected)).toEqual({ text: expected, counts: {} });
  });

  const mojibake = (text: string) => Buffer.from(text).toString('latin1');
  const withoutC1 = (text: string) => text.replace(/[\u0080-\u009f]/g, '');

  it.each<[string, string]>([
    ['between quotes', 'He said “hello” and then went home. She said “no” again.'],
    ['behind letters of two bytes', 'țară Ðõ ȟș Н И О'],
    ['behind an arrow', '“a” ← “b” → “c”\u0007'],
  ])('of UTF-8 read as Latin-1, %s', (_name, text) => {
    expect(clean(mojibake(text)).text).toBe(withoutC1(mojibake(text)).replace('\u0007', ''));
  });

  it.each([
    ['a string that a BEL in a log would end', `\u001b]${'x'.repeat(4_097)}\u0007y`, `${'x'.repeat(4_097)}y`],
    ['behind an 8-bit introducer', `\u009d${'x'.repeat(257)}\u0007y`, `${'x'.repeat(257)}y`],
  ])('far from its introducer: %s', (_name, text, expected) => {
    expect(clean(text).text).toBe(expected);
  });
});

describe('a carriage return', () => {
  it.each<[string, string, string]>([
    ['before a line feed stays', 'a\r\nb\r\n', 'a\r\nb\r\n'],
    ['alone becomes a line feed', 'safe\rrm -rf', 'safe\nrm -rf'],
    ['at the end becomes a line feed', 'a\r', 'a\n'],
    ['before another: the last ends the line', 'a\r\r\nb', 'a\n\r\nb'],
    ['stays where what goes stood before the line feed', 'a\r\u001b[0m\u0000\nb', 'a\r\nb'],
    ['becomes one where what goes stood before text', 'a\r\u001b[Kb', 'a\nb'],
  ])('%s', (_name, text, expected) => {
    expect(clean(text).text).toBe(expected);
  });
});

describe('a form feed or a vertical tab', () => {
  it.each<[string, string, string]>([
    ['parts two words', 'page1\fpage2\vpage3', 'page1\npage2\npage3'],
    ['goes where a line ends already', 'a\n\fb\f\nc\f\r\nd\f', 'a\nb\nc\r\nd'],
    ['goes at the beginning', '\fa', 'a'],
    ['in a row is one', 'a\f\v\fb', 'a\nb'],
    ['parts words beside what goes', 'a\u001b[0m\f\u0000b', 'a\nb'],
    ['goes where what goes stands between it and a line end', 'a\f\u001b[0m\nb\n\u0000\fc', 'a\nb\nc'],
    ['goes behind a carriage return that became a line feed', 'a\r\fb', 'a\nb'],
    ['in a sequence belongs to it', 'a\u001b\f[31mb', 'ab'],
  ])('%s', (_name, text, expected) => {
    expect(clean(text).text).toBe(expected);
  });
});

describe('shown instead', () => {
  it('controls are pictures and rule nothing', () => {
    const shown = clean('\u001b[31mx\u0007\u007f\u009b\r\n', { stripControlChars: false });
    expect(shown).toEqual({ text: '\u241b[31m\u2403x\u2407\u2421\ufffd\r\n', counts: { csi: 2, c0: 2 } });
  });

  it('a NUL is a picture, and parts a sequence as any character does', () => {
    expect(clean('a\u0000b\u001b\u0000[m', { stripNullBytes: false })).toEqual({ text: 'a\u2400b\u2400[m', counts: { null: 2, escape: 1 } });
  });

  it.each<[string, string, string]>([
    ['CSI', '\u001b[2J', '\u241b[2J\u2403'],
    ['8-bit CSI', '\u009b2J', '\ufffd2J\u2403'],
    ['two-byte escape', '\u001bc', '\u241bc\u2403'],
    ['OSC', '\u001b]0;a\r\u0001b\u0007', '\u241b]0;a\n\u2401b\u2407\u2403'],
    ['OSC ended by ST', '\u001b]0;a\u001b\\', '\u241b]0;a\u241b\\\u2403'],
  ])('the last letter of a sequence is none of the word behind it: %s', (_name, sequence, shown) => {
    expect(clean(`a${sequence}b`, { stripControlChars: false }).text).toBe(`a${shown}b`);
  });

  it('NULs can go where controls are shown', () => {
    expect(clean('a\u0000\u001bb\r\u0000\n', { stripControlChars: false }).text).toBe('a\u241bb\u2403\r\n');
  });

  it('and the other way round', () => {
    expect(clean('\u0000\u001b[0m', { stripNullBytes: false }).text).toBe('\u2400');
  });
});

it('clean text is the same string, and nothing is counted', () => {
  const text = 'a\tb\r\nc — 日本 😀\n';
  expect(clean(text)).toEqual({ text, counts: {} });
});
