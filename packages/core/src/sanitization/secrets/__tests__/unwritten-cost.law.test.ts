import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lawRuns } from '../../../__tests__/law-runs.ts';
import { createSecretDetector } from '../secret-detector.ts';
import { UnwrittenText } from '../unwritten-text.ts';
import { WorkBudget } from '../../pipeline/work-budget.ts';
import { Meanings, WrittenForms } from '../written-forms.ts';

const detector = createSecretDetector({ enabled: true, allowed: [], fingerprintKey: new Uint8Array(32) });
const UNITS = 65_536;
const rowOf = (piece: string, units: number) => piece.repeat(Math.ceil(units / piece.length)).slice(0, units);

/** Steps for one unit. */
function workOf(text: string): number {
  const work = new WorkBudget(Number.MAX_SAFE_INTEGER);
  detector.find(text, { toolName: 't', work });
  return work.spent / text.length;
}

describe('what is hidden and written out, in rows', () => {
  it.each<[string, number]>([
    ['a\\u200b', 24], ['aaaaaaaaaaaaaaa\\u200b', 10], ['k\\u001b[31mghp_\\u200b', 20], ['a\\u200b\\u001b', 20], [`a${'\\'.repeat(15)}b`, 15], ['a\\udb40\\udc41', 17], ['\\u0645\\u06cc\\u200c', 10],
  ])('%j: each has its price, and twice the text is twice the work', (piece, least) => {
    const [once, twice] = [workOf(rowOf(piece, UNITS)), workOf(rowOf(piece, 2 * UNITS))];
    expect(once).toBeGreaterThan(least);
    expect(twice).toBeLessThan(1.15 * once);
    expect(twice).toBeLessThan(96);
  });

  it.each(['a\\n', '\\', '\\\\', 'a\\u0041', '\\u', '\\u0', '\\u{0000', `${'\\'.repeat(40)}u`])('%j, which is none: looked at a few times', (piece) => {
    expect(workOf(rowOf(piece, UNITS))).toBeLessThan(6);
  });

  it('a form that can be seen has a price as well, and so has what is copied around one that is hidden', () => {
    expect(workOf(rowOf('a\\u0041', UNITS))).toBeGreaterThan(2);
    expect(workOf(`${'a'.repeat(UNITS)}\\u200b`)).toBeGreaterThan(5);
  });

  it('cost nothing where no secret is looked for, and something where one that devs hands out is', () => {
    const spentBy = (injected: readonly string[]) => {
      const work = new WorkBudget(Number.MAX_SAFE_INTEGER);
      createSecretDetector({ enabled: false, allowed: [], injected, fingerprintKey: new Uint8Array(32) }).find(rowOf('a\\u200b', UNITS), { toolName: 't', work });
      return work.spent;
    };
    expect(spentBy([])).toBe(0);
    expect(spentBy(['correct-horse-battery'])).toBeGreaterThan(UNITS);
  });

  it('are withheld beyond the budget, before any of it is copied', () => {
    const pieces = () => [...UnwrittenText.of({ text: rowOf('a\\u200b', UNITS) }, new WorkBudget(100_000))];
    expect(pieces).toThrow('OUTPUT_WITHHELD');
  });
});

describe('honest texts stay far below', () => {
  it.each([
    ['JSON with a few escapes', '{"id":12345,"title":"She said \\"hello\\"","path":"C:\\\\Users\\\\name","note":"first line\\nsecond line \\u00e9\\u00e8"},\n'],
    ['Persian in JSON of ASCII', '{"text":"\\u0645\\u06cc\\u200c\\u062e\\u0648\\u0627\\u0647\\u0645 \\u0628\\u0631\\u0648\\u0645"},\n'],
    ['source of a program', "const HIDDEN = /[\\u200b-\\u200f\\u2028\\u2029\\ufeff]/g;\nexport const clean = (text) => text.replace(HIDDEN, '').split('\\n').join('\\r\\n');\n"],
    ['a log with its colours quoted', '2026-01-02T03:04:05Z runner[12] "\\u001b[32minfo\\u001b[39m: task /srv/app/build finished in 3.2s" status=0 bytes=18234\n'],
    ['paths of Windows', 'C:\\Users\\x86build\\b\\u\\Documents\\file\\0017\\x64\\bin\\backup\n'],
  ])('%s', (_name, line) => {
    expect(workOf(rowOf(line, UNITS))).toBeLessThan(24);
  });
});

describe('forms', () => {
  it('are those that one pattern finds', () => {
    const hex = '[0-9A-Fa-f]';
    const form = String.raw`\\{1,16}(?:u(?:[dD][89abAB]${hex}{2}\\{1,16}u[dD][c-fC-F]${hex}{2}|${hex}{4}|\{0{0,8}${hex}{1,6}\})|x${hex}{2}|U${hex}{8}|[01][0-7]{2}|b)`;
    const piece = fc.constantFrom('\\', '\\\\', '\\'.repeat(15), '\\u', '\\u{', '}', '200b', '\\udb40', '\\udc41', '0', '1b', '\\x', '\\U000', '\\033', '\\b', 'n', 'a', ' ');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 16 }), (pieces) => {
        const text = pieces.join('');
        const found: [number, number][] = [];
        const forms = new WrittenForms(text);
        while (forms.next()) found.push([forms.start, forms.end]);
        expect(found).toEqual([...text.matchAll(new RegExp(form, 'g'))].map(({ 0: one, index }) => [index, index + one.length]));
        expect(forms.looked).toBeLessThanOrEqual(2 * text.length);
      }),
      lawRuns(2_000),
    );
  });

  it.each<[string, string | undefined]>([
    ['\\u200b', ''], ['\\u{e0041}', ''], ['\\U0000200b', ''], ['\\udb40\\udc41', ''], ['\\\\u00ad', ''],
    ['\\u001b', '\u001b'], ['\\033', '\u001b'], ['\\x9b', '\u009b'], ['\\b', '\b'], ['\\u2028', '\u2028'], ['\\u2800', '\u2800'],
    ['\\u0041', undefined], ['\\u000a', undefined], ['\\x41', undefined], ['\\u65e5', undefined],
  ])('%j stands for %j', (form, meaning) => {
    const meanings = new Meanings();
    expect([meanings.of(form), meanings.of(form)]).toEqual([meaning, meaning]);
  });
});
