/** Lowest line coverage, in percent, of a package's full run. */
export const lineCoverageFloors = new Map([['@devs/core', 95]]);

/** Arguments that leave the run a full one. Any other selects tests, and a selection has no floor. */
const harmless = new Set(['--ci', '--coverage', '--silent', '--verbose', '--colors', '--no-colors']);

function translate(argument) {
  if (argument === '--testPathPattern') return '--testPathPatterns';
  return argument.replace(/^--testPathPattern=/, '--testPathPatterns=');
}

/** Jest's arguments for what a person typed: pnpm's literal `--` dropped, jest 29's name of the filter translated. */
export function jestArguments(typed, packageName) {
  const asked = (typed[0] === '--' ? typed.slice(1) : typed).map(translate);
  const floor = lineCoverageFloors.get(packageName);
  const full = asked.every((argument) => harmless.has(argument));
  if (floor === undefined || !full) return asked;
  const table = asked.includes('--coverage') ? [] : ['--coverage', '--coverageReporters=text-summary'];
  return [...asked, ...table, `--coverageThreshold=${JSON.stringify({ global: { lines: floor } })}`];
}
