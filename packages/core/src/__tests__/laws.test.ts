import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc, { assert } from 'fast-check';
import { lawRuns } from './law-runs.ts';

const SOURCES = path.join(__dirname, '..');
const laws = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) => /[.-]laws?\.test\.ts$/.test(file));

const isLooking = process.env['DEVS_LAW_RUNS'] !== undefined;

/** As often as it is written. */
function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

describe('laws', () => {
  it('are found', () => {
    expect(laws.length).toBeGreaterThan(8);
  });

  it.each(laws)('%s: each is tried as often as the nightly run and `pnpm fuzz` say', (file) => {
    const text = readFileSync(path.join(SOURCES, file), 'utf8');
    // A number of its own, or none, would be as small at night as by day.
    expect(count(text, /\blawRuns\(/g)).toBe(count(text, /\bfc\.assert\(/g));
    expect(text).not.toMatch(/numRuns: [\d_]+ *\}\)?,?\n/);
  });

  it('are tried on the same cases each time, but where new ones are looked for', () => {
    const { DEVS_LAW_MS: milliseconds, DEVS_LAW_SEED: seed } = process.env;
    const looking = { ...(seed !== undefined && { seed: Number(seed) }), ...(milliseconds !== undefined && { defaultSizeToMaxWhenMaxSpecified: true }) };
    expect(fc.readConfigureGlobal()).toEqual(isLooking ? looking : { seed: expect.any(Number) });
  });

  it.each([['default', fc.assert], ['named', assert]])('are tried 250 times at most, but where new cases are looked for (the %s import)', (_, check) => {
    const seen = new Set<number>();
    let tried = 0;
    check(
      fc.property(fc.integer(), (each) => {
        tried += 1;
        seen.add(each);
      }),
      { numRuns: 300 },
    );
    expect(tried).toBe(isLooking ? 300 : 250);
    expect(seen.size).toBeGreaterThan(100);
  });

  it('are tried as often as they say, or more often and for a while', () => {
    const { DEVS_LAW_RUNS: runs, DEVS_LAW_MS: milliseconds } = process.env;
    try {
      delete process.env['DEVS_LAW_RUNS'];
      delete process.env['DEVS_LAW_MS'];
      expect(lawRuns(20)).toEqual({ numRuns: 20 });
      process.env['DEVS_LAW_RUNS'] = '200';
      expect([lawRuns(20), lawRuns()]).toEqual([{ numRuns: 200 }, { numRuns: 5_000 }]);
      process.env['DEVS_LAW_MS'] = '7';
      expect(lawRuns(20)).toEqual({ numRuns: 200, interruptAfterTimeLimit: 7 });
    } finally {
      Object.assign(process.env, runs !== undefined && { DEVS_LAW_RUNS: runs }, milliseconds !== undefined && { DEVS_LAW_MS: milliseconds });
      if (runs === undefined) delete process.env['DEVS_LAW_RUNS'];
      if (milliseconds === undefined) delete process.env['DEVS_LAW_MS'];
    }
  });
});
