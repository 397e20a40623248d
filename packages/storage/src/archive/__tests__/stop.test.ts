import fs from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { ArchiveStep } from '../archive-plan.ts';
import { createArchivePlace, outcomeOf, plantedIn } from './fixtures.ts';

const POLICY = { payloadDays: 60, keepDays: 60 };

describe('told to stop', () => {
  it.each<[ArchiveStep, { erased: number; archives: number }]>([
    ['planned', { erased: 0, archives: 0 }],
    ['erased', { erased: 4, archives: 0 }],
    ['exported', { erased: 4, archives: 0 }],
    ['checked', { erased: 4, archives: 0 }],
    // A step that has begun comes to its end.
    ['placed', { erased: 4, archives: 1 }],
  ])('when it had %s it ends between two steps, and the next run does the rest', async (step, expected) => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const controller = new AbortController();
    const onStep = (done: ArchiveStep) => {
      if (done === step) controller.abort();
    };
    const report = await place.archiver(100, { onStep, signal: controller.signal }).run(POLICY);
    const isAll = expected.archives === 1;
    expect(report).toMatchObject({ erased: expected.erased, problems: [], isStopped: !isAll, isJournalEmpty: true });
    expect(report.archives).toHaveLength(expected.archives);
    expect(await place.verifyAll()).toMatchObject({ verdict: 'intact', erased: expected.erased });
    expect(fs.existsSync(place.archives) ? fs.readdirSync(place.archives) : []).toHaveLength(expected.archives);
    const rest = await place.archiver(100).run(POLICY);
    expect(rest).toMatchObject({ problems: [], isStopped: false });
    expect(report.erased + rest.erased).toBe(4);
    expect(plantedIn(place.path)).toEqual([]);
    expect(await place.verifyAll()).toMatchObject({ verdict: 'intact', first: { seq: 1 } });
  });

  it('between two erasures keeps the one that is done', async () => {
    using place = createArchivePlace();
    await using logs = place.open(0);
    await Promise.all(Array.from({ length: 1_200 }, async (_, index) => logs.append(outcomeOf(index + 1, 0))));
    await logs.close();
    const controller = new AbortController();
    const onStep = (step: ArchiveStep) => {
      if (step === 'erased') controller.abort();
    };
    const report = await place.archiver(100, { onStep, signal: controller.signal }).run(POLICY);
    expect(report).toMatchObject({ erased: 1_000, archives: [], problems: [], isStopped: true, isJournalEmpty: true });
    expect(plantedIn(place.path)).toHaveLength(200);
    expect(await place.verify()).toMatchObject({ verdict: 'intact', erased: 1_000 });
  });

  it('before the log is read does nothing, be it a plan or a run', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(place.archiver(100, { signal }).plan(POLICY)).rejects.toThrow('enough');
    await expect(place.archiver(100, { signal }).run(POLICY)).rejects.toThrow('enough');
    expect(await place.verify()).toMatchObject({ verdict: 'intact', first: { seq: 1 }, erased: 0 });
  });

  it('while an archive is written leaves no part of it', async () => {
    using place = createArchivePlace();
    await using logs = place.open(0);
    await Promise.all(Array.from({ length: 2_500 }, async (_, index) => logs.append(outcomeOf(index + 1, 0))));
    await logs.close();
    const controller = new AbortController();
    const policy = { payloadDays: 0, keepDays: 60 };
    const steps: ArchiveStep[] = [];
    const onStep = (step: ArchiveStep) => {
      steps.push(step);
      // Its first batch is on the way by then.
      if (step === 'planned') setTimeout(function look() {
        if (fs.existsSync(place.archives) && fs.readdirSync(place.archives).length > 0) controller.abort();
        else setImmediate(look);
      });
    };
    const report = await place.archiver(100, { onStep, signal: controller.signal }).run(policy);
    expect(report).toMatchObject({ archives: [], problems: [], isStopped: true });
    expect(steps).toEqual(['planned', 'emptied']);
    expect(fs.readdirSync(place.archives)).toEqual([]);
    expect(await place.verify()).toMatchObject({ verdict: 'intact', first: { seq: 1 } });
  });
});

describe('progress', () => {
  it('rises from nothing to all', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 20]);
    const shares: number[] = [];
    const archiver = place.archiver(100, {
      onStep: () => {
        const { done, total } = archiver.progress();
        shares.push(done / total);
      },
    });
    expect(archiver.progress()).toEqual({ done: 0, total: 0 });
    await archiver.run(POLICY);
    expect(shares).toEqual(shares.toSorted((one, other) => one - other));
    expect(shares[0]).toBeGreaterThan(0);
    expect(shares[0]).toBeLessThan(1);
    expect(shares.at(-1)).toBe(1);
    await archiver.plan({ payloadDays: 10 });
    const { done, total } = archiver.progress();
    expect(done).toBe(total);
  });
});
