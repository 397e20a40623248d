// `pnpm fuzz [seconds]`: the laws of what goes out, over generated attacks, for that long (default 60); a failure prints the
// smallest attack found, and the seed that makes it again. `pnpm nightly`: each law 200,000 times.
import process from 'node:process';
import { main, report, runVisibly } from './lib/processes.mjs';
import { inRepository } from './lib/repository.mjs';

const PACKAGE = 'packages/core';
const LAWS = 'sanitization/.*\\.law\\.';
/** How many laws share the time: jest runs them one after another. */
const LAW_COUNT = 7;
const NIGHTLY_RUNS = 200_000;

await main(async () => {
  const [asked = '60'] = process.argv.slice(2).filter((argument) => argument !== '--');
  const settings = asked === '--nightly' ? { DEVS_LAW_RUNS: String(NIGHTLY_RUNS) } : { DEVS_FUZZ_MS: millisecondsOf(asked) };
  if (settings.DEVS_FUZZ_MS === undefined && settings.DEVS_LAW_RUNS === undefined) return 64;
  const command = [process.execPath, inRepository('scripts/jest.mjs'), '--runInBand', '--testPathPattern', LAWS];
  return runVisibly(command, { cwd: inRepository(PACKAGE), env: { ...process.env, ...settings } });
});

function millisecondsOf(asked) {
  if (/^[1-9]\d{0,6}$/.test(asked)) return String(Math.ceil((Number(asked) * 1_000) / LAW_COUNT));
  report('usage: pnpm fuzz [seconds]');
  return undefined;
}
