import { describe, expect, it } from '@jest/globals';
import { dayAt } from './archiver.ts';
import { callOf, createArchivePlace, outcomeOf, plantedIn, type ArchivePlace } from './fixtures.ts';

const POLICY = { payloadDays: 60, keepDays: 60 };
const WRONG_DAY = 20_000;

/** Calls 1 and 2, then 3 with the clock far ahead, then 4 and 5. */
async function fill(place: ArchivePlace, later = 0): Promise<{ readonly first: number; readonly last: number }> {
  await place.write(0, [1, 2]);
  await place.write(WRONG_DAY, [3, 3]);
  const [{ first, last } = { first: 0, last: 0 }] = place.query<{ first: number; last: number }>(`SELECT min(seq) AS first, max(seq) AS last FROM records WHERE timestamp > '${dayAt(1_000)}'`);
  await place.write(later, [4, 5]);
  return { first, last };
}

function factsOf(place: ArchivePlace): readonly unknown[] {
  return place.query("SELECT kind, header ->> '$.ignoredFuture' AS ignored FROM records WHERE kind IN ('audit.erased', 'audit.pruned') ORDER BY seq");
}

describe('records that were written while the clock was ahead', () => {
  it('are named by the refusal, and left out when somebody names the last of them; the log says so', async () => {
    using place = createArchivePlace();
    const { first, last } = await fill(place);
    const { forbidden } = await place.archiver(100).plan(POLICY);
    expect(forbidden).toContain(`The first of them is record ${first}, the last is record ${last}`);
    expect(forbidden).toContain(`--ignore-future ${last}`);
    const report = await place.archiver(100).run({ payloadDays: 60, ignoreFuture: last });
    expect(report).toMatchObject({ erased: 8, problems: [], plan: { misdated: { records: last - first + 1, payloads: 2, from: first, upTo: last } } });
    // Of the call that is dated wrong nothing shows how old it is.
    expect(plantedIn(place.path)).toEqual([3]);
    expect(factsOf(place)).toEqual([{ kind: 'audit.erased', ignored: last }]);
    expect(await place.verify()).toMatchObject({ verdict: 'intact', erased: 8 });
  });

  it('are a reason to do nothing for as long as one of them is not named', async () => {
    using place = createArchivePlace();
    const { first, last } = await fill(place);
    for (const ignoreFuture of [1, first - 1, last - 1]) {
      expect(await place.archiver(100).run({ ...POLICY, ignoreFuture })).toMatchObject({ erased: 0, archives: [], problems: [expect.stringContaining(`--ignore-future ${last}`)] });
    }
    expect(plantedIn(place.path)).toEqual([1, 2, 3, 4, 5]);
    expect((await place.archiver(100).plan({ payloadDays: 0, keepDays: 60 })).pruning.upTo?.seq).toBe(first - 1);
  });

  it('cannot be named before they are written', async () => {
    using place = createArchivePlace();
    await place.write(0, [1, 2]);
    expect(await place.archiver(100).run({ ...POLICY, ignoreFuture: 1_000 })).toMatchObject({ erased: 0, archives: [], problems: [expect.stringMatching(/^The log has no record 1000/)] });
    expect((await place.archiver(100).plan({ ...POLICY, ignoreFuture: 1 })).forbidden).toBeNull();
  });

  it.each([0, -1, 1.5])('are not named by %d', async (ignoreFuture) => {
    using place = createArchivePlace();
    await place.write(0, [1, 1]);
    await expect(place.archiver(100).run({ ...POLICY, ignoreFuture })).rejects.toMatchObject({ code: 'LOG_QUERY_REFUSED' });
  });

  it('make nothing else older: what is young by its own time stays', async () => {
    using place = createArchivePlace();
    const { last } = await fill(place, 90);
    expect(await place.archiver(100).run({ payloadDays: 60, ignoreFuture: last })).toMatchObject({ erased: 4 });
    expect(plantedIn(place.path)).toEqual([3, 4, 5]);
  });

  it('do not hold the start of a call that began in time', async () => {
    using place = createArchivePlace();
    await using logs = place.open(0);
    await logs.begin(callOf(1, 0));
    await logs.append(outcomeOf(1, 0, { timestamp: dayAt(WRONG_DAY) }));
    await logs.append(outcomeOf(2, 0));
    await logs.close();
    const [{ last } = { last: 0 }] = place.query<{ last: number }>(`SELECT max(seq) AS last FROM records WHERE timestamp > '${dayAt(1_000)}'`);
    expect(await place.archiver(100).run({ payloadDays: 60, ignoreFuture: last })).toMatchObject({ erased: 2, plan: { erasure: { held: 0 } } });
    expect(await place.verify()).toMatchObject({ verdict: 'intact', erased: 2 });
  });
});

describe('pruning over them', () => {
  it('stops at the first whose payload would never be erased in an archive', async () => {
    using place = createArchivePlace();
    const { first, last } = await fill(place);
    const [{ payload } = { payload: 0 }] = place.query<{ payload: number }>(`SELECT min(seq) AS payload FROM records WHERE seq >= ${first} AND payload IS NOT NULL`);
    const { plan, archives, problems } = await place.archiver(100).run({ ...POLICY, ignoreFuture: last });
    expect(problems).toEqual([]);
    expect(plan.pruning.misdatedAt).toBe(payload);
    // Up to the last one before them that is old by its own time.
    expect(archives.at(-1)?.upTo).toBe(first - 1);
    expect(await place.verifyAll()).toMatchObject({ verdict: 'intact', first: { seq: 1 } });
  });

  it('takes them along where payloads are kept, and from then on nobody has to name them', async () => {
    using place = createArchivePlace();
    const { first, last } = await fill(place);
    await place.archiver(100).run({ payloadDays: 60, ignoreFuture: last });
    const { archives, problems, plan } = await place.archiver(100).run({ payloadDays: 0, keepDays: 60, ignoreFuture: last });
    expect(problems).toEqual([]);
    expect(plan.pruning.misdatedAt).toBeNull();
    expect(archives.at(-1)?.upTo).toBeGreaterThan(last);
    expect(factsOf(place)).toContainEqual({ kind: 'audit.pruned', ignored: last });
    expect(place.query(`SELECT count(*) AS misdated FROM records WHERE timestamp > '${dayAt(1_000)}'`)).toEqual([{ misdated: 0 }]);
    expect(await place.archiver(200).run(POLICY)).toMatchObject({ problems: [], plan: { misdated: null } });
    expect(first).toBeGreaterThan(0);
    expect(await place.verifyAll()).toMatchObject({ verdict: 'intact', first: { seq: 1 } });
  });

  it('takes none that nothing shows to be old: what comes after it is young', async () => {
    using place = createArchivePlace();
    const { first, last } = await fill(place, 90);
    const { archives, plan } = await place.archiver(100).run({ payloadDays: 0, keepDays: 60, ignoreFuture: last });
    expect(archives.at(-1)?.upTo).toBe(first - 1);
    expect(plan.pruning.misdatedAt).toBeNull();
  });
});
