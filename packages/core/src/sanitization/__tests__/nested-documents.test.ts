import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG } from '../../config/defaults.ts';
import { DEFAULT_OUTPUT_CONFIG } from '../../config/output-config.ts';
import { DevsError } from '../../errors.ts';
import { cleanNested, cleanWord } from '../json/clean-nested.ts';
import { OutputPolicy } from '../output-policy.ts';
import { Glance } from '../pipeline/glance.ts';
import { Tally } from '../pipeline/tally.ts';
import { WorkBudget } from '../pipeline/work-budget.ts';
import { TOKENS } from './attacks.ts';
import { createPipeline, textOf } from './pipeline-scene.ts';

const [TOKEN = ''] = TOKENS;
const HIDDEN = `\u001b[31ma\u0007 ${TOKEN.slice(0, 9)}\u200b${TOKEN.slice(9)}`;
const CLEAN = 'a [REDACTED:secret:github-token]';
const steps = new OutputPolicy({ sanitize: DEFAULT_CONFIG.sanitize }).stepsFor({ name: 'fetch', labels: [] }, DEFAULT_OUTPUT_CONFIG, false);
const pipeline = createPipeline({ output: { maxSizeBytes: 10_000_000 } });

/** Each level writes the backslashes of the one in it twice. */
const inJson = (text: string) => JSON.stringify({ a: text });
/** Each level adds five units to a backslash: deep strings stay short. */
const inEscapes = (text: string) => `"${text.replaceAll(/["\\\u0000-\u001f\u200b]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;

function nested(levels: number, wrap: (text: string) => string, innermost = HIDDEN): string {
  let text = innermost;
  for (let level = 0; level < levels; level += 1) text = wrap(text);
  return text;
}

function readAt(text: string, levels: number): unknown {
  let value: unknown = text;
  for (let level = 0; level < levels; level += 1) {
    const read: unknown = JSON.parse(String(value));
    value = typeof read === 'object' && read !== null && 'a' in read ? read.a : read;
  }
  return value;
}

describe('JSON in strings of JSON', () => {
  it.each([1, 2, 3, 4, 5, 6, 9, 14])('is clean in a text, %i levels deep', (levels) => {
    const cleaned = textOf(pipeline({ content: [{ type: 'text', text: nested(levels, inJson) }] }));
    expect(readAt(cleaned, levels)).toBe(CLEAN);
  });

  it.each([1, 4, 9])('is clean in structured content, %i levels deep', (levels) => {
    const { structuredContent } = pipeline({ content: [], structuredContent: { x: nested(levels, inJson) } }).result;
    expect(readAt((structuredContent as { x: string }).x, levels)).toBe(CLEAN);
  });

  it.each([4, 20, 30])('is clean where escapes keep it short, %i levels deep', (levels) => {
    const cleaned = textOf(pipeline({ content: [{ type: 'text', text: nested(levels, inEscapes) }] }));
    expect(readAt(cleaned, levels)).toBe(CLEAN);
  });

  it.each([40, 200])('is withheld where escapes keep it short, %i levels deep', (levels) => {
    expect(() => pipeline({ content: [{ type: 'text', text: nested(levels, inEscapes) }] })).toThrow(DevsError);
  });
});

it('does not grow with each level: what writes quotes and backslashes by their numbers still does', () => {
  const [shallow, deep] = [10, 30].map((levels) => {
    const text = nested(levels, inEscapes);
    return cleanNested(new Glance(text), steps, new Tally()).text.length - text.length;
  });
  expect(deep).toBeLessThanOrEqual(shallow ?? 0);
});

describe('what is deep is paid for at each level', () => {
  const spentOn = (levels: number) => {
    const work = new WorkBudget(Number.MAX_SAFE_INTEGER);
    cleanNested(new Glance(nested(levels, inEscapes), { work }), [], new Tally());
    return work.spent;
  };

  it('below the third', () => {
    // Of a string that is a document: one look, and one whether it is one.
    const free = spentOn(3) - spentOn(2);
    expect(free).toBe(400);
    expect(spentOn(5) - spentOn(4)).toBeGreaterThan(free + 250);
  });

  it('from the budget of the result, or one for the text', () => {
    const text = nested(6, inEscapes);
    expect(() => cleanNested(new Glance(text, { work: new WorkBudget(2_000) }), [], new Tally())).toThrow(DevsError);
    expect(() => cleanWord(text, [], { tally: new Tally(), work: new WorkBudget(2_000) })).toThrow(DevsError);
    const long = JSON.stringify(Array.from({ length: 300 }, (_, index) => nested(28, inEscapes, `\n${String(index)}`)));
    expect(() => cleanNested(new Glance(long), [], new Tally())).toThrow(DevsError);
  });
});
