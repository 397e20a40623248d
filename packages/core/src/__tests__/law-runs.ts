interface LawRuns {
  readonly numRuns: number;
  readonly interruptAfterTimeLimit?: number;
}

/**
 * How often a law is tried: `usual` times in CI, and 250 times at most in `npm test` (`same-laws.mjs`); in the nightly run, and
 * by `pnpm fuzz`, as often as they are told, for as long as they are told. `scripts/fuzz.mjs` runs each file that asks this, and
 * shares its time among those who ask.
 */
export function lawRuns(usual = 5_000): LawRuns {
  const { DEVS_LAW_RUNS: runs, DEVS_LAW_MS: milliseconds } = process.env;
  const numRuns = runs === undefined ? usual : Math.max(usual, Number(runs));
  return milliseconds === undefined ? { numRuns } : { numRuns, interruptAfterTimeLimit: Number(milliseconds) };
}
