import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lawRuns } from '../../__tests__/law-runs.ts';
import { Tally } from '../pipeline/tally.ts';
import { cleanText } from '../pipeline/text-pipeline.ts';
import type { TextStep } from '../pipeline/text-step.ts';
import { invisibles } from '../terminal/invisibles.ts';
import { terminalControls } from '../terminal/terminal-controls.ts';

const strip = terminalControls({ stripControlChars: true, stripNullBytes: true });
const show = terminalControls({ stripControlChars: false, stripNullBytes: false });

const PIECES = [
  '\u001b', '[', ']', '\\', 'm', '0', ';', '(', ' ', 'P', 'X', '^', '_', '\u0000', '\u0007', '\u0018', '\u007f', '\r', '\n', '\t', '\u0085', '\u0090', '\u009b', '\u009c', '\u009d',
  'a', 'é', '日', '葛', '😀', '👨', '❤', '🏽', '🏴', '1', '\u20e3', 'א', 'م', 'क', '्', 'ก', 'ᠭ', '⠓',
  '\u200b', '\u200c', '\u200d', '\u200e', '\u200f', '\u061c', '\u2028', '\u202e', '\u2060', '\u2800', '\ufe00', '\ufe0e', '\ufe0f', '\ufeff', '\u00ad', '\u180b', '\u180e',
  '\u{e0100}', '\u{e0101}', '\u{e0067}', '\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}', '\u{e007f}', '\ue000', '\ufffd',
];
const anyAttack = fc.array(fc.constantFrom(...PIECES), { maxLength: 25 }).map((pieces) => pieces.join(''));
const anyText = fc.oneof(anyAttack, fc.string({ unit: 'binary', maxLength: 60 }));

function clean(text: string, ...steps: readonly TextStep[]): string {
  return cleanText(text, steps, new Tally());
}

describe('the laws of the steps that delete', () => {
  it.each<[string, readonly TextStep[]]>([
    ['terminal controls', [strip]],
    ['shown controls', [show]],
    ['invisibles', [invisibles]],
    ['both', [strip, invisibles]],
  ])('a second run changes nothing, and the text stays well formed: %s', (_name, steps) => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = clean(text, ...steps);
        const tally = new Tally();
        expect(cleanText(once, steps, tally)).toBe(once);
        expect(tally.counts).toEqual({});
        expect(once.isWellFormed()).toBe(true);
      }),
      lawRuns(),
    );
  });

  it('no control is left that a terminal obeys', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const step of [strip, show]) expect(clean(text, step)).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)/);
      }),
      lawRuns(),
    );
  });

  it('a NUL is as if it had not been there', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(clean(text, strip)).toBe(clean(text.replaceAll('\u0000', ''), strip));
      }),
      lawRuns(),
    );
  });

  it('what stays is a part of what was, in its order', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const seen = text.replaceAll(/[\u2028\u2029\r\v\f]/g, '\n').replaceAll('\u2800', ' ');
        let at = 0;
        for (const character of clean(text, strip, invisibles).replaceAll('\r', '\n').replaceAll('\u2800', ' ')) {
          at = seen.indexOf(character, at);
          expect(at).toBeGreaterThanOrEqual(0);
          at += character.length;
        }
      }),
      lawRuns(),
    );
  });
});
