import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { showInPages } from '../commands/in-pages.ts';

/** A log of records `length`…1, that may be asked for a page at a time. */
function askOf(length: number, asked: number[] = []) {
  return async ({ limit, before = length + 1 }: { readonly limit: number; readonly before?: number }) => {
    asked.push(limit);
    const found = Array.from({ length: Math.max(0, Math.min(limit, before - 1)) }, (_, index) => before - 1 - index);
    return { found, next: found.length === limit ? found.at(-1) : undefined };
  };
}

describe('showInPages', () => {
  it('shows what one question would have found, in pages that are small', async () => {
    const figures = { length: fc.nat(100), limit: fc.integer({ min: 1, max: 100 }), before: fc.option(fc.integer({ min: 1, max: 101 }), { nil: undefined }) };
    await fc.assert(
      fc.asyncProperty(fc.record(figures), async ({ length, limit, before }) => {
        const query = { limit, ...(before !== undefined && { before: Math.min(before, length + 1) }) };
        const whole = await askOf(length)(query);
        const asked: number[] = [];
        const seen: number[] = [];
        const { shown, next } = await showInPages(query, askOf(length, asked), async (found) => void seen.push(found));
        expect([seen, shown, next]).toEqual([whole.found, whole.found.length, whole.next]);
        expect(Math.max(...asked)).toBeLessThanOrEqual(20);
      }),
    );
  });

  it('stops where a page ended early, and says where', async () => {
    const pages = [{ found: [1, 2], next: 7 }];
    const seen: number[] = [];
    const ask = async () => pages.shift() ?? { found: [], next: undefined };
    expect(await showInPages({ limit: 40 }, ask, async (found) => void seen.push(found))).toEqual({ shown: 2, next: 7 });
    expect(seen).toEqual([1, 2]);
  });
});
