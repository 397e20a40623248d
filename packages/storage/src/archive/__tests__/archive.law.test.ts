import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { callId } from '../../__tests__/fixtures.ts';
import { callOf, createArchivePlace, outcomeOf, plantedIn, type ArchivePlace } from './fixtures.ts';

type Step =
  | { readonly kind: 'write'; readonly calls: number; readonly size: number }
  | { readonly kind: 'begin' }
  | { readonly kind: 'end' }
  | { readonly kind: 'wait'; readonly days: number }
  | { readonly kind: 'archive'; readonly payloadDays: number; readonly more: number | null };

const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), calls: fc.integer({ min: 1, max: 6 }), size: fc.constantFrom(1, 40, 200, 900) }),
  fc.record({ kind: fc.constant('begin' as const) }),
  fc.record({ kind: fc.constant('end' as const) }),
  fc.record({ kind: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ kind: fc.constant('archive' as const), payloadDays: fc.integer({ min: 0, max: 50 }), more: fc.option(fc.integer({ min: 1, max: 40 })) }),
);

/** What must be true of a log, told apart from the log. */
class Expected {
  day = 0;
  next = 1;
  /** Number and day of each call that has ended; day of those whose payloads may still be there. */
  readonly ended = new Map<number, number>();
  readonly open = new Map<number, number>();
  /** By the latest run, of calls that have ended before it. */
  readonly erased = new Set<number>();

  archive(payloadDays: number): void {
    if (payloadDays === 0) return;
    for (const [number, day] of this.ended) if (day < this.day - payloadDays) this.erased.add(number);
  }

  get answered(): readonly string[] {
    return [...this.ended.keys()].map((number) => callId(number)).toSorted();
  }
}

/** Calls that are begun stay in a session of their own, which lives as long as the place. */
async function take(step: Step, { place, expected, session }: { place: ArchivePlace; expected: Expected; session: ReturnType<ArchivePlace['open']> }): Promise<void> {
  const { day } = expected;
  if (step.kind === 'wait') expected.day += step.days;
  if (step.kind === 'write') {
    await using logs = place.open(day);
    for (let left = step.calls; left > 0; left -= 1) {
      const number = expected.next++;
      await logs.begin(callOf(number, day));
      await logs.append(outcomeOf(number, day, { output: { content: [{ type: 'text', text: `planted${number}word `.repeat(step.size) }] } }));
      expected.ended.set(number, day);
    }
  }
  if (step.kind === 'begin') {
    const number = expected.next++;
    await session.begin(callOf(number, day));
    expected.open.set(number, day);
  }
  if (step.kind === 'end') {
    const [oldest] = expected.open;
    if (oldest === undefined) return;
    await session.append(outcomeOf(oldest[0], oldest[1]));
    expected.open.delete(oldest[0]);
    expected.ended.set(...oldest);
  }
  if (step.kind === 'archive') {
    const { payloadDays, more } = step;
    const report = await place.archiver(day).run({ payloadDays, ...(more !== null && { keepDays: payloadDays + more }) });
    expect(report).toMatchObject({ problems: [], isJournalEmpty: true });
    expected.archive(payloadDays);
    expect(plantedIn(place.path).filter((number) => expected.erased.has(number))).toEqual([]);
  }
}

describe('law', () => {
  it('whatever is written, erased and archived in whatever order: the log is intact, no call is lost, nothing erased stays', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 3, maxLength: 14 }), async (steps) => {
        using place = createArchivePlace();
        const expected = new Expected();
        await using session = place.open(0);
        await session.append(outcomeOf(0, 0));
        expected.ended.set(0, 0);
        for (const step of steps) await take(step, { place, expected, session });
        expect(await place.verify()).toMatchObject({ verdict: 'intact' });
        expect(await place.verifyAll()).toMatchObject({ verdict: 'intact', first: { seq: 1 } });
        expect(await place.answered()).toEqual(expected.answered);
      }),
      { numRuns: 40 },
    );
  });
});
