// What jest gives a test for `fast-check`. `npm test` tries every law on the same cases each time, so that what turns a change
// red is the change, and on 250 of them at most: more of the same cases find nothing that they did not find the last time.
// With `DEVS_LAW_RUNS`, each is tried as often as it says, on other cases each time: a failure names the seed, and
// `DEVS_LAW_SEED` makes the same cases again. CI sets both. The nightly run and `pnpm fuzz`, which also say for how long, try longer texts and lists too.
import process from 'node:process';
// By its path: by its name jest would give this file again.
import library from '../../node_modules/fast-check/lib/cjs/fast-check.js';

const SEED = 20_261_122;
const MOST_RUNS = 250;

const { DEVS_LAW_RUNS: runs, DEVS_LAW_MS: milliseconds, DEVS_LAW_SEED: seed } = process.env;
const isLooking = runs !== undefined;
library.configureGlobal({
  ...(isLooking ? seed !== undefined && { seed: Number(seed) } : { seed: SEED }),
  // Without more words fast-check stops at about ten units of a text or list, whatever `maxLength` says.
  ...(isLooking && milliseconds !== undefined && { defaultSizeToMaxWhenMaxSpecified: true }),
});

/** Fast-check's own, of which it is one place that every law of every package goes through. */
export function assert(property, parameters) {
  const { numRuns } = parameters ?? {};
  const bounded = isLooking || numRuns === undefined ? parameters : { ...parameters, numRuns: Math.min(numRuns, MOST_RUNS) };
  return library.assert(property, bounded);
}

export * from '../../node_modules/fast-check/lib/cjs/fast-check.js';
export default { ...library, assert };
