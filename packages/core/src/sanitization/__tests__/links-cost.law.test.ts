import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DevsError } from '../../errors.ts';
import { Glance } from '../pipeline/glance.ts';
import { markdownLinks } from '../markdown/markdown-links.ts';
import { TextRewriter } from '../pipeline/rewriter.ts';
import { WorkBudget } from '../pipeline/work-budget.ts';
import { Tally } from '../pipeline/tally.ts';
import { lawRuns } from '../../__tests__/law-runs.ts';
import { countWork } from './counted-work.ts';

// What links cost, counted in looks. Rows of fragments are changed one at a time, and what costs more is kept: whoever
// searches for a page that blocks the gate does the same.

const FRAGMENTS = [
  '<', '>', '<img ', '<a b=', '<a ', '<a/b=', '<style>', '<style/>', '</style>', '<script>', '</script>', '<svg ', '<![CDATA[', 'srcdoc="',
  '<!--', '<?', 'x=&', 'x=', 'style="', 'on=', '/', '=', ' ', '\n', '\n\n',
  '[', ']', '](', '![', '![a](', '![[', ']]', '[a]:', ']:', ' [a]', '`', '``', '\\', '\\"', '(', ')', '"', "'", ',', ';', ':', '|',
  '&', '&lt;', '&#1;', '&quot;', '&#x2F;', '\\u003c', 'url(', '@import', 'image-set(', '{', '}', '//e.x', 'https://e.x ', 'a:b@', 'type', 'password=', 'A'.repeat(40),
  '-', '.', '%0a', '日', 'é', 'ı', '\u200b', '\u00ad',
] as const;

const UNITS = 4_000;
/** Units looked at for one step of the work budget and one unit of the text: no look is without its price. */
const MOST_PER_STEP = 4;
/** The same for one unit of the text, whether it is withheld in the end or not: what the budget has for it, and what is looked at in vain. */
const MOST_WORK = MOST_PER_STEP * (1.5 * 96 + 6);
const LONGEST_TEST_MS = 24 * 60 * 60 * 1_000;

function workOf(text: string, budget?: WorkBudget): number {
  const glance = new Glance(text, { work: budget });
  return countWork(() => {
    try {
      markdownLinks.rewrite(text, new TextRewriter(glance, 'links', new Tally()), glance);
    } catch (cause) {
      if (!DevsError.is(cause) || cause.code !== 'OUTPUT_WITHHELD') throw cause;
    }
  });
}

function rowOf(pieces: readonly string[], units = UNITS): string {
  const row = pieces.join('');
  return row.repeat(Math.ceil(units / row.length));
}

/** What a row costs for one unit; asks of it what holds for all rows. */
function judge(pieces: readonly string[]): number {
  const text = rowOf(pieces);
  const budget = new WorkBudget(Infinity);
  expect([pieces.join(''), workOf(text, budget) <= MOST_PER_STEP * (budget.spent + text.length)]).toEqual([pieces.join(''), true]);
  const granted = new WorkBudget(0);
  granted.grant(text.length);
  const work = workOf(text, granted) / text.length;
  expect([pieces.join(''), work <= MOST_WORK]).toEqual([pieces.join(''), true]);
  return work;
}

const fragment = fc.constantFrom(...FRAGMENTS);
const step = fc.record({ at: fc.nat(7), put: fc.constantFrom('in', 'instead', 'nothing'), fragment });

function climb(beginning: readonly string[], steps: readonly { readonly at: number; readonly put: string; readonly fragment: string }[]): void {
  let best = beginning;
  let most = judge(best);
  for (const { at, put, fragment: piece } of steps) {
    const next = best.toSpliced(at % best.length, put === 'in' ? 0 : 1, ...(put === 'nothing' ? [] : [piece]));
    if (next.length === 0) continue;
    const work = judge(next);
    if (work <= most) continue;
    best = next;
    most = work;
  }
}

describe('rows of what links and tags are made of', () => {
  it('cost no more than so much a unit, and all of it is charged', () => {
    fc.assert(
      fc.property(fc.array(fragment, { minLength: 1, maxLength: 5 }), fc.array(step, { maxLength: 30 }), (pieces, steps) => climb(pieces, steps)),
      lawRuns(20),
    );
  }, LONGEST_TEST_MS);

  it.each([
    '<img ', '<img x=& ', 'password=x&lt;<img ', '\\n"<img server=a;', '<a <b c=', '<a b="<a b=\'', '<img \\"', '](&lt;', '](&lt;x)', ']: &lt;\n[',
    '](a:b@\n\n', '\n\n<![CDATA[<&quot;]:https://e.x ', '<style>', '<style/>', '<style/><', '<style/>@import ', '<script/>', '<script>', '<svg><script><![CDATA[', '<a b=](',
  ])('%j: twice the text is at most 2.3 times the work and its price', (piece) => {
    const [once, twice] = [UNITS, 2 * UNITS].map((units) => {
      const budget = new WorkBudget(Infinity);
      return { work: workOf(rowOf([piece], units), budget), spent: budget.spent };
    });
    expect(twice?.work).toBeLessThanOrEqual(2.3 * (once?.work ?? 0));
    expect(twice?.spent).toBeLessThanOrEqual(2.3 * (once?.spent ?? 0) + 2_000);
  });

  it.each<[string, string, number]>([
    ['a bracket', '[a](b) ', 4],
    ['an address, however short it is', '](a)', 34],
    ['a URL in disguise', '[t](&lt;) ', 16],
    ['a tag and its attribute', '<a b> ', 8],
    ['the name of an attribute', `<a ${'x'.repeat(90)}> `, 1.3],
    ['a value', `<a b="${'x'.repeat(90)}"> `, 2],
    ['a value in entities', `<p style="${'&amp;'.repeat(18)}"> `, 8],
    ['the title of an address', '[a]:a:b@![a](srcdoc="\\"', 8],
    ['a label', `![${'x'.repeat(90)}]://e.x] `, 2],
    ['a script', `<script>${'a'.repeat(90)}</script> `, 1.5],
    ['a style', `<style>${'a'.repeat(90)}</style> `, 1.5],
  ])('%s has its price', (_name, piece, least) => {
    const budget = new WorkBudget(Infinity);
    const text = rowOf([piece]);
    workOf(text, budget);
    expect(budget.spent / text.length).toBeGreaterThan(least);
  });

  it('a text has its share once, in however many documents it is looked at', () => {
    const text = rowOf(['[t](&lt;) ']);
    const work = new WorkBudget(0);
    work.grant(text.length);
    const glance = new Glance(text, { work });
    const look = () => markdownLinks.rewrite(text, new TextRewriter(glance, 'links', new Tally()), glance);
    expect(() => Array.from({ length: 40 }, look)).toThrow('OUTPUT_WITHHELD');
  });

  it('a URL that leads nowhere, whatever is behind, is not decoded: pages are full of them', () => {
    const budget = new WorkBudget(Infinity);
    const text = rowOf(['<img src="/a/b.png?width=640&amp;height=480&amp;quality=75"> ']);
    workOf(text, budget);
    expect(budget.spent / text.length).toBeLessThan(6);
  });

  it.each(['<a/b='])('%j, of which each looks at all the rest, is withheld', (piece) => {
    expect(() => {
      const glance = new Glance(rowOf([piece], 200_000));
      markdownLinks.rewrite(glance.text, new TextRewriter(glance, 'links', new Tally()), glance);
    }).toThrow('OUTPUT_WITHHELD');
  });
});
