// `pnpm fuzz [seconds]`: the laws of core, over generated attacks, for about that long (default 60); a failure prints the
// smallest attack found, and the seed that makes it again. `pnpm nightly`: each law 200,000 times, or as often as fits in four minutes;
// then 5,000 generated answers of a megabyte are cleaned, none of which may cost more than 150 ms of CPU (`fuzz-cost.mjs`), and devs,
// built, is killed 200 times under load, and its log is held against what it had answered and done. `--nightly --list` names them.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { main, report, runVisibly, worst } from './lib/processes.mjs';
import { inRepository, repository } from './lib/repository.mjs';

const PACKAGE = 'packages/core';
const NIGHTLY = { DEVS_LAW_RUNS: '200000', DEVS_LAW_MS: String(4 * 60 * 1_000) };
const KILLS = 200;
/** Of a test; the longest that Node's timers know. What ends a law is its own limit. */
const NO_TIMEOUT = String(2 ** 31 - 1);

await main(async () => {
  const [asked = '60', more] = process.argv.slice(2).filter((argument) => argument !== '--');
  const { files, laws } = findLaws();
  const settings = asked === '--nightly' ? NIGHTLY : shareOf(asked, laws);
  if (settings === undefined) return 64;
  const run = () => runTests(PACKAGE, ['--testTimeout', NO_TIMEOUT, '--runTestsByPath', ...files], settings);
  if (asked !== '--nightly') return run();
  const suites = [
    [`${laws} laws of ${files.length} files, each 200,000 times or for four minutes`, run],
    ['the cost of 5,000 generated answers', measureAnswers],
    [`devs killed ${KILLS} times under load`, killRounds],
  ];
  if (more === '--list') {
    process.stdout.write(suites.map(([name]) => `  ${name}\n`).join(''));
    return 0;
  }
  return worst([build, ...suites.map(([, suite]) => suite)]);
});

function runTests(folder, words, settings) {
  const command = [process.execPath, inRepository('scripts/jest.mjs'), '--runInBand', ...words];
  return runVisibly(command, { cwd: inRepository(folder), env: { ...process.env, ...settings } });
}

function build() {
  return runVisibly([process.execPath, inRepository('scripts/build.mjs')], { cwd: repository });
}

function measureAnswers() {
  return runVisibly([process.execPath, inRepository('scripts/fuzz-cost.mjs')], { cwd: repository });
}

/** With other moments each night. A run that fails names its seed: `DEVS_KILL_SEED`. */
function killRounds() {
  const seed = process.env.DEVS_KILL_SEED ?? String(Math.floor(Date.now() / 1_000) % 1_000_000);
  return runTests('packages/cli', ['--testPathPattern', 'log-kill'], { DEVS_KILL_ROUNDS: String(KILLS), DEVS_KILL_SEED: seed });
}

/** The files that ask `lawRuns` how often, and in how many places: a table of laws counts once. */
function findLaws() {
  const sources = inRepository(PACKAGE, 'src');
  const tests = readdirSync(sources, { recursive: true }).filter((file) => file.endsWith('.test.ts'));
  const counted = tests.map((file) => ({ file: path.join('src', file), count: readFileSync(path.join(sources, file), 'utf8').split(/fc\.assert\([^]*?\blawRuns\(/).length - 1 }));
  const asking = counted.filter(({ count }) => count > 0);
  return { files: asking.map(({ file }) => file), laws: asking.reduce((sum, { count }) => sum + count, 0) };
}

/** Jest runs them one after another. */
function shareOf(seconds, laws) {
  if (/^[1-9]\d{0,6}$/.test(seconds)) {
    return { DEVS_LAW_RUNS: String(Number.MAX_SAFE_INTEGER), DEVS_LAW_MS: String(Math.ceil((Number(seconds) * 1_000) / laws)) };
  }
  report('usage: pnpm fuzz [seconds]');
  return undefined;
}
