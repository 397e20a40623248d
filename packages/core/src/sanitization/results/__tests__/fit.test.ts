import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { triggerAtEnd } from '../../steps/cut-triggers.ts';
import { triggers } from '../../steps/triggers.ts';
import { fitBudget, type BudgetSettings } from '../fit.ts';

const MESSAGE = '[truncated]';
const cut = (text: string, settings: Partial<BudgetSettings>) => fitBudget(text, { maxBytes: 40, message: MESSAGE, strategy: 'head', ...settings });

describe('a text within a budget', () => {
  it.each<[string, string, Partial<BudgetSettings>, string, string | undefined]>([
    ['fits', 'short', {}, 'short', undefined],
    ['fits to the byte', '€'.repeat(4), { maxBytes: 12 }, '€€€€', undefined],
    ['nothing fits nothing', '', { maxBytes: 0 }, '', undefined],
    ['head', 'a'.repeat(50), {}, `${'a'.repeat(28)}\n${MESSAGE}`, 'a'.repeat(22)],
    ['head that ends a line', `${'a'.repeat(27)}\n${'b'.repeat(30)}`, {}, `${'a'.repeat(27)}\n${MESSAGE}`, 'b'.repeat(30)],
    ['head and tail', `${'h'.repeat(100)}${'m'.repeat(100)}${'t'.repeat(100)}`, { maxBytes: 200, strategy: 'head-and-tail' }, `${'h'.repeat(100)}${'m'.repeat(40)}\n${MESSAGE}\n${'t'.repeat(40)}`, `${'m'.repeat(60)}${'t'.repeat(60)}`],
    ['no room for the text', 'a'.repeat(50), { maxBytes: 11 }, MESSAGE, 'a'.repeat(50)],
    ['a limit smaller than the message cuts the message', 'a'.repeat(50), { maxBytes: 5 }, '[trun', 'a'.repeat(50)],
    ['no room at all', 'a', { maxBytes: 0 }, '', 'a'],
    ['less than none', 'a', { maxBytes: -1 }, '', 'a'],
    ['no number', 'a', { maxBytes: Number.NaN }, '', 'a'],
    ['no message', 'a'.repeat(9), { maxBytes: 5, message: '' }, 'aaaa', 'aaaaa'],
    ['between two characters of UTF-8', '€'.repeat(20), {}, `${'€'.repeat(9)}\n${MESSAGE}`, '€'.repeat(11)],
    ['not within a family', `${'a'.repeat(20)}👨‍👩‍👧${'b'.repeat(20)}`, {}, `${'a'.repeat(20)}\n${MESSAGE}`, `👨‍👩‍👧${'b'.repeat(20)}`],
    ['not between a letter and its accent', `${'a'.repeat(27)}e\u0301${'b'.repeat(20)}`, {}, `${'a'.repeat(27)}\n${MESSAGE}`, `e\u0301${'b'.repeat(20)}`],
    ['not within a flag', `${'a'.repeat(24)}🇩🇪${'b'.repeat(20)}`, {}, `${'a'.repeat(24)}\n${MESSAGE}`, `🇩🇪${'b'.repeat(20)}`],
    ['not between CR and LF', `${'a'.repeat(27)}\r\n${'b'.repeat(20)}`, {}, `${'a'.repeat(27)}\n${MESSAGE}`, `\r\n${'b'.repeat(20)}`],
    ['not inside a mark', `${'a'.repeat(10)}[REDACTED:secret:x-y]${'b'.repeat(20)}`, {}, `${'a'.repeat(10)}\n${MESSAGE}`, `[REDACTED:secret:x-y]${'b'.repeat(20)}`],
    ['a mark that begins the text', `[REDACTED:secret:github-token]${'b'.repeat(30)}`, {}, MESSAGE, `[REDACTED:secret:github-token]${'b'.repeat(30)}`],
    ['a mark that begins the tail', `${'a'.repeat(200)}[REDACTED:tag]${'t'.repeat(15)}`, { maxBytes: 100, strategy: 'head-and-tail' }, `${'a'.repeat(67)}\n${MESSAGE}\n${'t'.repeat(15)}`, `${'a'.repeat(133)}[REDACTED:tag]`],
  ])('%s', (_name, text, settings, expected, rest) => {
    expect(cut(text, settings)).toEqual({ text: expected, rest });
  });

  it.each<[string, string, Partial<BudgetSettings>, string, string]>([
    ['head', `${'a'.repeat(23)} __otter feeds the others`, {}, `${'a'.repeat(23)} `, '__otter feeds the others'],
    ['an escape', `${'a'.repeat(19)} &#95;_otter feeds the others`, {}, `${'a'.repeat(19)} `, '&#95;_otter feeds the others'],
    ['what is left out before the tail', `${'a'.repeat(100)}${'b'.repeat(97)} __ot${'t'.repeat(40)}`, { maxBytes: 200, strategy: 'head-and-tail' }, `${'a'.repeat(100)}${'b'.repeat(40)}`, `${'b'.repeat(57)} __ott`],
    ['nothing but that', 'abc'.repeat(500), { maxBytes: 1_000, avoid: (piece) => (piece.endsWith('abc') ? piece.length - 3 : undefined) }, 'abc'.repeat(329) + 'a', 'bc' + 'abc'.repeat(170)],
    ['nothing but that, at each place', 'abc'.repeat(500), { maxBytes: 1_000, avoid: (piece) => piece.length - 3 }, '', 'abc'.repeat(500)],
  ])('ends with no trigger that a letter behind it made none: %s', (_name, text, settings, head, rest) => {
    const avoid = triggerAtEnd([triggers(['__ot'])]);
    const fitted = cut(text, { avoid, ...settings });
    expect(fitted.rest).toBe(rest);
    expect(fitted.text.startsWith(head === '' ? MESSAGE : `${head}\n${MESSAGE}`)).toBe(true);
  });

  const anyPiece = fc.constantFrom('a', ' ', '\n', '\r\n', 'é', '€', '😀', '👨‍👩‍👧', 'e\u0301', '🇩🇪', '[REDACTED:tag]', '[REDACTED:secret:abc]', '[REDACTED:', ']', 'क्ष');
  const anyText = fc.oneof(fc.array(anyPiece, { maxLength: 60 }).map((pieces) => pieces.join('')), fc.string({ unit: 'binary', maxLength: 80 }));

  it.each(['head', 'head-and-tail'] as const)('is never longer, loses nothing, and is cut where it may be: %s', (strategy) => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 160 }), fc.constantFrom(MESSAGE, '', '…'), (text, maxBytes, message) => {
        const { text: fitted, rest } = fitBudget(text, { maxBytes, message, strategy });
        expect(Buffer.byteLength(fitted)).toBeLessThanOrEqual(maxBytes);
        expect(fitted.isWellFormed()).toBe(true);
        if (rest === undefined) return expect(fitted).toBe(text);
        expect(rest).not.toBe('');
        // What is kept lies on both sides of what was left out.
        const cuts = cutsOf(text, rest, fitted);
        expect(cuts).toBeDefined();
        for (const cut of cuts ?? []) expect([cut, isCuttable(text, cut)]).toEqual([cut, true]);
      }),
      { numRuns: 5_000 },
    );
  });
});

/** The two ends of what was left out, such that what is around it is what was kept. */
function cutsOf(text: string, rest: string, fitted: string): readonly number[] | undefined {
  for (let start = text.indexOf(rest); start >= 0; start = text.indexOf(rest, start + 1)) {
    const [head, tail] = [text.slice(0, start), text.slice(start + rest.length)];
    const isKept = fitted.startsWith(head) && fitted.endsWith(tail) && [start, start + rest.length].every((cut) => isCuttable(text, cut));
    if (isKept) return [start, start + rest.length];
  }
  return undefined;
}

function isCuttable(text: string, cut: number): boolean {
  if (cut === 0 || cut === text.length) return true;
  for (const { index, 0: mark } of text.matchAll(/\[REDACTED:[a-z0-9:-]{1,100}\]/g)) {
    if (index < cut && cut < index + mark.length) return false;
    if (cut === index || cut === index + mark.length) return true;
  }
  return new Intl.Segmenter('und').segment(text).containing(cut)?.index === cut;
}
