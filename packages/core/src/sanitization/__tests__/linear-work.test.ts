import { Buffer } from 'node:buffer';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { DevsError } from '../../errors.ts';
import { htmlToText } from '../html/html-text.ts';
import { markdownLinks } from '../markdown/markdown-links.ts';
import { Tally } from '../pipeline/tally.ts';
import { cleanText } from '../pipeline/text-pipeline.ts';
import type { TextStep } from '../pipeline/text-step.ts';
import { fitBudget } from '../results/fit.ts';
import { boundaryTags } from '../steps/boundary-tags.ts';
import { triggers } from '../steps/triggers.ts';
import { invisibles } from '../terminal/invisibles.ts';
import { terminalControls } from '../terminal/terminal-controls.ts';
import { countWork, HOSTILE } from './counted-work.ts';
import { cleanOne } from './pipeline-scene.ts';

/** Each with the most looks at one unit: constants that grow with nothing. */
const STEPS: readonly (readonly [name: string, step: TextStep, most: number])[] = [
  ['terminal controls', terminalControls({ stripControlChars: true, stripNullBytes: true }), 60],
  ['shown controls', terminalControls({ stripControlChars: false, stripNullBytes: false }), 60],
  ['invisibles', invisibles, 60],
  ['html', htmlToText, 60],
  ['tags', boundaryTags, 60],
  ['triggers', triggers(['__ot', 'mcp__onetool', 'mcp__devs']), 60],
  ['triggers without low lines', triggers(['red', 'a1|b']), 60],
  ['links', markdownLinks, 120],
];

afterEach(() => {
  jest.restoreAllMocks();
});

interface Wish {
  readonly unit: string;
  readonly units: number;
  readonly most: number;
}

function expectLinear(clean: (text: string) => unknown, { unit, units, most }: Wish): void {
  const work = (length: number) => countWork(() => void clean(unit.repeat(Math.ceil(length / unit.length))));
  const [once, twice] = [work(units), work(2 * units)];
  expect(twice).toBeLessThanOrEqual(2.3 * Math.max(once, units));
  expect(twice).toBeLessThanOrEqual(most * 2 * units);
}

describe.each(STEPS)('twice the text is at most 2.3 times the work: %s', (_name, step, most) => {
  it.each(HOSTILE)('%s', (_hostile, unit) => {
    expectLinear((text) => cleanText(text, [step], new Tally()), { unit, units: 4_000, most });
    // As the whole of a page, and in text of two bytes a unit.
    expectLinear((text) => cleanText(`<p>日${text}</p>`, [step], new Tally()), { unit, units: 4_000, most });
  });
});

describe('twice the text is at most 2.3 times the work: all steps, in and out of JSON', () => {
  const output = { maxSizeBytes: 1_000_000, onBinary: 'replace', links: 'mark', html: 'text' } as const;
  // What costs more than any honest text is withheld, and is linear up to there.
  const clean = (text: string) => {
    try {
      cleanOne(text, { labels: ['untrusted'], output });
    } catch (cause) {
      if (!DevsError.is(cause)) throw cause;
    }
  };

  it.each(HOSTILE)('%s', (_hostile, unit) => {
    expectLinear(clean, { unit, units: 1_000, most: 400 });
    // Of short texts a run more of a step that settles counts for much.
    expectLinear((text) => clean(JSON.stringify({ text: [text, JSON.stringify({ [text]: text })] })), { unit, units: 2_000, most: 2_000 });
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
