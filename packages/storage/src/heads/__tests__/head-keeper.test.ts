import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DevsError } from '@devs/core';
import type { HeadKeeper } from '../head-keeper.ts';
import { checkHead, type SignedHead } from '../signed-head.ts';
import { openSigningKey } from '../signing-key.ts';
import { createChain, createHeadPlace, leaf, STORE, type FakeChain, type HeadPlace } from './fixtures.ts';

const START = Date.parse('2026-01-02T03:04:05.678Z');
const OTHER = 'cd'.repeat(16);

/** A clock that a test sets. */
function createClock(): { now: number; readonly clock: () => Date } {
  const time = { now: START, clock: () => new Date(time.now) };
  return time;
}

function requireSigned(keeper: HeadKeeper, chain: FakeChain): SignedHead {
  const signed = keeper.sign(chain);
  if (signed === undefined) throw new Error('nothing was signed');
  return signed;
}

describe('sign', () => {
  it('signs the last record, and remembers that before it gives it away', () => {
    using place = createHeadPlace();
    const signed = requireSigned(place.keeper(), createChain(5));
    expect(checkHead(signed, openSigningKey(place.keyFile).publicKey)).toMatchObject({ store: STORE, seq: 5, leaf: leaf(5) });
    const remembered = place.remembered();
    expect(remembered[`${STORE}.json`]).toBe(`${JSON.stringify(signed)}\n`);
    expect(Object.keys(remembered)).toEqual([`${STORE}.json`, expect.stringMatching(/^place-[0-9a-f]{32}\.json$/)]);
    for (const name of Object.keys(remembered)) expect(fs.statSync(path.join(place.folder, name)).mode & 0o777).toBe(0o600);
  });

  it('signs nothing where there is nothing new, or nothing at all', () => {
    using place = createHeadPlace();
    const keeper = place.keeper();
    expect(keeper.sign(createChain(0, { store: null }))).toBeUndefined();
    requireSigned(keeper, createChain(5));
    expect(keeper.sign(createChain(5))).toBeUndefined();
    expect(place.keeper().sign(createChain(5))).toBeUndefined();
  });

  it('is not due any more where another process was quicker', () => {
    using place = createHeadPlace();
    const [one, other] = [place.keeper({ everyRecords: 1 }), place.keeper({ everyRecords: 1 })];
    requireSigned(one, createChain(5));
    requireSigned(other, createChain(9));
    expect(one.isDue(9, Date.now())).toBe(true);
    expect(one.sign(createChain(9))).toBeUndefined();
    expect(one.isDue(9, Date.now())).toBe(false);
  });

  it('signs after what another process has remembered, and never beside it', () => {
    using place = createHeadPlace();
    const [one, other] = [place.keeper(), place.keeper()];
    requireSigned(one, createChain(5));
    requireSigned(other, createChain(9));
    expect(checkHead(requireSigned(one, createChain(12)))).toMatchObject({ seq: 12 });
    // Another branch, longer than all that was signed.
    expect(() => other.sign(createChain(20, { forkedAt: 11 }))).toThrow(DevsError);
    expect(() => other.sign(createChain(11))).toThrow(expect.objectContaining({ code: 'STATE_UNUSABLE' }));
    expect(JSON.parse(place.remembered()[`${STORE}.json`] ?? '').head).toContain('"seq":12,');
  });

  it('makes sure of the records before it remembers them', () => {
    using place = createHeadPlace();
    const chain = createChain(5);
    let isRemembered: boolean | undefined;
    chain.flush = () => (isRemembered = fs.existsSync(path.join(place.folder, `${STORE}.json`)));
    requireSigned(place.keeper(), chain);
    expect(isRemembered).toBe(false);
  });

  it.each<[string, (place: HeadPlace, chain: FakeChain) => () => void]>([
    [
      'the records cannot be made sure of',
      (_place, chain) => {
        chain.flush = () => {
          throw new Error('EIO');
        };
        return () => (chain.flush = () => undefined);
      },
    ],
    [
      'others can write where it is remembered',
      ({ folder }) => {
        fs.mkdirSync(folder, { recursive: true });
        fs.chmodSync(folder, 0o777);
        return () => fs.chmodSync(folder, 0o700);
      },
    ],
  ])('gives away no head that is not remembered: %s; says so once, and tries again', (_name, breakIt) => {
    using place = createHeadPlace();
    const time = createClock();
    const keeper = place.keeper({ clock: time.clock });
    const chain = createChain(5);
    const mend = breakIt(place, chain);
    expect(keeper.isDue(5, time.now)).toBe(true);
    for (let attempt = 0; attempt < 3; attempt += 1) expect(keeper.sign(chain)).toBeUndefined();
    expect(place.problems).toEqual([expect.stringMatching(/^The head of the call log cannot be remembered .* It is tried again\.$/)]);
    expect(Object.keys(place.remembered())).toEqual([]);
    // Not at each call: the disk is likely to be full for a while.
    expect([keeper.isDue(5, time.now), keeper.isDue(5, time.now + 9_999), keeper.isDue(5, time.now + 10_000)]).toEqual([false, false, true]);
    mend();
    time.now += 10_000;
    expect(checkHead(requireSigned(keeper, chain))).toMatchObject({ seq: 5 });
    expect(place.problems).toHaveLength(1);
  });

  it('is not stopped by whoever is told', () => {
    using place = createHeadPlace();
    const chain = createChain(5);
    chain.flush = () => {
      throw new Error('EIO');
    };
    const onProblem = () => {
      throw new Error('nobody listens');
    };
    expect(place.keeper({ onProblem }).sign(chain)).toBeUndefined();
  });
});

describe('isDue', () => {
  it('is true at once where nothing is remembered, and not of an empty log', () => {
    using place = createHeadPlace();
    const keeper = place.keeper();
    keeper.check(createChain(0, { store: null }));
    expect([keeper.isDue(0, START), keeper.isDue(1, START)]).toEqual([false, true]);
  });

  it.each<[string, number, number, boolean]>([
    ['nothing new', 100, 1e9, false],
    ['only the record of the head itself, for ever', 101, 1e9, false],
    ['one record, a moment later', 102, 1, false],
    ['as many records as it takes, less one', 110, 1, false],
    ['as many records as it takes', 111, 1, true],
    ['one record, a millisecond too early', 102, 59_999, false],
    ['one record, late enough', 102, 60_000, true],
    ['one record, the clock an hour back', 102, -3_600_000, true],
  ])('%s', (_name, seq, elapsed, expected) => {
    using place = createHeadPlace();
    const time = createClock();
    const options = { everyRecords: 10, everySeconds: 60, clock: time.clock };
    const keeper = place.keeper(options);
    requireSigned(keeper, createChain(100));
    expect(keeper.isDue(seq, START + elapsed)).toBe(expected);
    // The same after a start.
    const next = place.keeper(options);
    next.check(createChain(100));
    expect(next.isDue(seq, START + elapsed)).toBe(expected);
  });

  it('a clock that goes backwards makes heads that are no less in order', () => {
    using place = createHeadPlace();
    const time = createClock();
    const keeper = place.keeper({ clock: time.clock });
    requireSigned(keeper, createChain(5));
    time.now -= 86_400_000;
    expect(checkHead(requireSigned(keeper, createChain(9)))).toMatchObject({ seq: 9, timestamp: new Date(time.now).toISOString() });
    place.keeper().check(createChain(9));
  });
});

describe('check', () => {
  it.each<[string, FakeChain]>([
    ['the same log', createChain(5)],
    ['the same log, longer', createChain(50)],
  ])('takes %s', (_name, chain) => {
    using place = createHeadPlace();
    requireSigned(place.keeper(), createChain(5));
    place.keeper().check(chain);
    expect(place.keeper().examine(chain)).toBeUndefined();
  });

  it('takes a log of which nothing is remembered, here or anywhere', () => {
    using place = createHeadPlace();
    place.keeper().check(createChain(5));
    place.keeper().check(createChain(0, { store: null }));
    expect(place.remembered()).toEqual({});
  });

  it('takes a log that was moved to another place', () => {
    using place = createHeadPlace();
    requireSigned(place.keeper(), createChain(5));
    place.keeper({ log: path.join(place.path, 'moved.db') }).check(createChain(5));
    expect(() => place.keeper({ log: path.join(place.path, 'moved.db') }).check(createChain(4))).toThrow(DevsError);
  });

  it.each<[string, FakeChain, string, number | null]>([
    ['its end cut off', createChain(3), 'ends with record 3, and record 5 was in it', 5],
    ['all of it cut off', createChain(0), 'ends with record 0, and record 5 was in it', 5],
    ['written anew', createChain(5, { forkedAt: 1 }), 'Record 5 of the call log is not the one that devs signed', 5],
    ['written anew, and longer', createChain(50, { forkedAt: 1 }), 'Record 5 of the call log is not the one that devs signed', 5],
    ['an older copy that has gone on', createChain(50, { forkedAt: 4 }), 'Record 5 of the call log is not the one that devs signed', 5],
    ['deleted', createChain(0, { store: null }), 'signed up to record 5, is not: it is gone or empty', 5],
    ['another log', createChain(50, { store: OTHER }), 'signed up to record 5, is not: another one lies in its place', 5],
    ['a hole', Object.assign(createChain(9), { leafAt: () => undefined }), 'Record 5 of the call log, which devs signed last, is not there', 5],
  ])('refuses a log: %s', (_name, chain, said, from) => {
    using place = createHeadPlace();
    requireSigned(place.keeper(), createChain(5));
    const before = place.remembered();
    const keeper = place.keeper();
    expect(() => keeper.check(chain)).toThrow(expect.objectContaining({ code: 'STATE_UNUSABLE', sentence: expect.stringContaining(said) }));
    expect(() => keeper.sign(chain)).toThrow(said);
    expect(keeper.examine(chain)).toEqual({ what: expect.stringContaining(said), from: { seq: from, leaf: leaf(5) } });
    expect(place.remembered()).toEqual(before);
  });

  const headFile = ({ folder }: HeadPlace) => path.join(folder, `${STORE}.json`);
  const placeFile = (place: HeadPlace) => path.join(place.folder, Object.keys(place.remembered()).find((name) => name.startsWith('place-')) ?? '');
  const edit = (file: string, change: (text: string) => string) => fs.writeFileSync(file, change(fs.readFileSync(file, 'utf8')));

  it.each<[string, (place: HeadPlace) => void, string]>([
    ['the head was changed', (place) => edit(headFile(place), (text) => text.replace('\\"seq\\":5', '\\"seq\\":4')), 'its signature does not fit'],
    ['the head is cut off', (place) => fs.truncateSync(headFile(place), 60), 'is broken'],
    ['the head is empty', (place) => fs.truncateSync(headFile(place), 0), 'is broken'],
    ['the head is gone', (place) => fs.rmSync(headFile(place)), 'that devs remembered is gone'],
    ['the head of another log lies there', (place) => swapIn(place), 'its signature does not fit'],
    ['the place was changed', (place) => edit(placeFile(place), (text) => text.replace(STORE, OTHER)), 'another one lies in its place'],
    ['the place is broken', (place) => fs.truncateSync(placeFile(place), 20), 'is not what it wrote'],
    ['the place is that of another log', (place) => swapPlace(place), 'is not what it wrote'],
    ['the key was replaced', (place) => fs.rmSync(place.keyFile), 'with another key'],
  ])('refuses to go on when %s, until it is adopted', (_name, change, said) => {
    using place = createHeadPlace();
    requireSigned(place.keeper(), createChain(5));
    change(place);
    const chain = createChain(9);
    expect(() => place.keeper().check(chain)).toThrow(said);
    expect(() => place.keeper().sign(chain)).toThrow(said);
    const keeper = place.keeper();
    keeper.setAside(chain);
    keeper.check(chain);
    expect(checkHead(requireSigned(keeper, chain))).toMatchObject({ seq: 9 });
    place.keeper().check(chain);
  });


  /** A true place of ours, of another path. */
  function swapPlace(place: HeadPlace): void {
    const file = placeFile(place);
    requireSigned(place.keeper({ log: path.join(place.path, 'other.db') }), createChain(7));
    const [other = ''] = Object.keys(place.remembered()).filter((name) => name.startsWith('place-') && !file.endsWith(name));
    fs.copyFileSync(path.join(place.folder, other), file);
  }

  /** A true head of ours, of another log that is long enough. */
  function swapIn(place: HeadPlace): void {
    requireSigned(place.keeper({ log: path.join(place.path, 'other.db') }), createChain(1, { store: OTHER }));
    fs.copyFileSync(path.join(place.folder, `${OTHER}.json`), headFile(place));
  }
});

describe('setAside', () => {
  it('keeps each head that was given up, under the next number', () => {
    using place = createHeadPlace();
    const keeper = place.keeper();
    const heads = [5, 3, 2].map((length) => {
      const chain = createChain(length);
      if (length < 5) keeper.setAside(chain);
      return requireSigned(keeper, chain);
    });
    const kept = [`${STORE}.1.json`, `${STORE}.2.json`, `${STORE}.json`].map((name) => place.remembered()[name]);
    expect(kept).toEqual(heads.map((head) => `${JSON.stringify(head)}\n`));
  });

  it('leaves the head of another log that lay here where it is: that log may lie elsewhere now', () => {
    using place = createHeadPlace();
    requireSigned(place.keeper(), createChain(5));
    const keeper = place.keeper();
    const fresh = createChain(1, { store: OTHER });
    keeper.setAside(fresh);
    requireSigned(keeper, fresh);
    const moved = place.keeper({ log: path.join(place.path, 'moved.db') });
    moved.check(createChain(5));
    expect(() => moved.check(createChain(4))).toThrow('ends with record 4');
  });

  it('leaves the head of the log that lies there now, where nothing is wrong with that', () => {
    using place = createHeadPlace();
    requireSigned(place.keeper(), createChain(5));
    const other = createChain(3, { store: OTHER });
    requireSigned(place.keeper({ log: path.join(place.path, 'other.db') }), other);
    // Moved over the one that was here.
    expect(() => place.keeper().check(other)).toThrow('another one lies in its place');
    place.keeper().setAside(other);
    expect(Object.keys(place.remembered())).toContain(`${OTHER}.json`);
    expect(() => place.keeper().check(createChain(2, { store: OTHER }))).toThrow('ends with record 2');
  });
});
