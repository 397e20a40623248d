import { Buffer } from 'node:buffer';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { fitBudget } from '../fit.ts';
import { invisibles } from '../invisibles.ts';
import { Tally } from '../tally.ts';
import { terminalControls } from '../terminal-controls.ts';
import { cleanText } from '../text-pipeline.ts';
import type { TextStep } from '../text-step.ts';

/** The adversarial set: what made other systems take minutes to days for ten megabytes. */
const HOSTILE: readonly (readonly [name: string, unit: string])[] = [
  ['ESC', '\u001b'],
  ['OSC without end', '\u001b]'],
  ['8-bit OSC without end', '\u009d'],
  ['OSC broken off by CAN', '\u001b]a\u0018'],
  ['CSI without end', '\u001b[0;'],
  ['CSI with NULs', '\u001b[\u0000\u0000'],
  ['DCS and ST in halves', '\u001bP\u001b'],
  ['NULs', '\u0000'],
  ['DEL', '\u007f'],
  ['carriage returns', '\r'],
  ['carriage returns and NULs', '\r\u0000'],
  ['carriage returns and strings', '\r\u0090'],
  ['control beside text', 'a\u0007'],
  ['tag characters', '\u{e0041}'],
  ['flags without end', '🏴\u{e0067}'],
  ['zero width', '\u200b'],
  ['joiners', '\u200d'],
  ['joined letters', 'क\u200d'],
  ['selectors', '\ufe0f'],
  ['marks of direction', '\u200f'],
  ['private use', '\u{10fffd}'],
  ['bad bytes, decoded', '\ufffd'],
  ['tags', '<external-content-'],
  ['keys', '-----BEGIN RSA PRIVATE KEY-----'],
];

const STEPS: readonly (readonly [name: string, step: TextStep])[] = [
  ['terminal controls', terminalControls({ stripControlChars: true, stripNullBytes: true })],
  ['shown controls', terminalControls({ stripControlChars: false, stripNullBytes: false })],
  ['invisibles', invisibles],
];

afterEach(() => {
  jest.restoreAllMocks();
});

/** Units looked at: one by one, and those that a search went over. Work that is counted is the same on every machine. */
function countWork(work: () => void): number {
  let units = 0;
  const one = jest.spyOn(String.prototype, 'charCodeAt');
  const search = jest.spyOn(RegExp.prototype, 'exec');
  jest.spyOn(RegExp.prototype, 'test').mockImplementation(function (this: RegExp, text: string) {
    const from = this.lastIndex;
    const found = this.exec(text);
    units += found === null ? text.length - from : found.index + found[0].length - from;
    return found !== null;
  });
  work();
  units += one.mock.calls.length + search.mock.calls.length;
  jest.restoreAllMocks();
  return units;
}

describe.each(STEPS)('twice the text is at most 2.3 times the work: %s', (_name, step) => {
  it.each(HOSTILE)('%s', (_hostile, unit) => {
    const work = (units: number) => {
      const text = unit.repeat(Math.ceil(units / unit.length));
      return countWork(() => void cleanText(text, [step], new Tally()));
    };
    const [once, twice] = [work(4_000), work(8_000)];
    expect(twice).toBeLessThanOrEqual(2.3 * once);
    // A constant that grows with nothing: no more than a few dozen looks at each unit.
    expect(twice).toBeLessThanOrEqual(60 * 8_000);
  });
});

describe('a cut looks at its neighbourhood alone', () => {
  it.each<[string, string]>([
    ['a cluster without end', `e${'\u0301'.repeat(3_000_000)}`],
    ['flags without end', '🇩🇪'.repeat(700_000)],
    ['joined pictures without end', '👨\u200d'.repeat(1_000_000)],
    ['the start of a mark without end', '[REDACTED:'.repeat(300_000)],
  ])('%s', (_name, text) => {
    const segment = jest.spyOn(Intl.Segmenter.prototype, 'segment');
    for (const strategy of ['head', 'head-and-tail'] as const) {
      const fitted = fitBudget(text, { maxBytes: 100_000, message: '[truncated]', strategy });
      expect(Buffer.byteLength(fitted.text)).toBeLessThanOrEqual(100_000);
      expect(Buffer.byteLength(fitted.text)).toBeGreaterThan(89_000);
      expect(fitted.text.isWellFormed()).toBe(true);
    }
    expect(Math.max(...segment.mock.calls.map(([nearby]) => nearby.length))).toBeLessThan(300);
  });
});
