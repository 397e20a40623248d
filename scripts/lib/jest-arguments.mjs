import process from 'node:process';
import { slowPattern } from './slow-tests.mjs';

/**
 * Lowest line coverage, in percent, of a package's full run, where one is asked for. Counting lines makes core's tests half as dear
 * again, so that `.ci/run` asks for it, once, and `npm test` does not.
 */
export const lineCoverageFloors = new Map([['@devs/core', 95]]);

/** Arguments that leave the run a full one. Any other selects tests, and a selection has no floor. */
const harmless = new Set(['--ci', '--coverage', '--silent', '--verbose', '--colors', '--no-colors']);

function translate(argument) {
  if (argument === '--testPathPattern') return '--testPathPatterns';
  return argument.replace(/^--testPathPattern=/, '--testPathPatterns=');
}

/** As `.ci/run` asks for it. */
export function asksForFloor(environment = process.env) {
  return environment.DEVS_LINE_FLOOR === '1';
}

/**
 * Jest's arguments for what a person typed: pnpm's literal `--` dropped, jest 29's name of the filter translated. `--slow` asks for
 * the slow tests alone. A full run takes them only with `hasSlow`, and has a floor of coverage only with `hasFloor`; a selection
 * takes all that it names.
 */
export function jestArguments(typed, packageName, { hasSlow, hasFloor }) {
  const asked = (typed[0] === '--' ? typed.slice(1) : typed).map(translate);
  if (asked.includes('--slow')) return [...asked.filter((argument) => argument !== '--slow'), `--testPathPatterns=${slowPattern}`];
  if (!isFullRun(asked)) return asked;
  const chosen = hasSlow ? asked : [...asked, `--testPathIgnorePatterns=${slowPattern}`];
  const floor = hasFloor ? lineCoverageFloors.get(packageName) : undefined;
  if (floor === undefined) return chosen;
  const table = asked.includes('--coverage') ? [] : ['--coverage', '--coverageReporters=text-summary'];
  return [...chosen, ...table, `--coverageThreshold=${JSON.stringify({ global: { lines: floor } })}`];
}

function isFullRun(asked) {
  return asked.every((argument) => harmless.has(argument));
}
