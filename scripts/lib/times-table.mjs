/** @typedef {{ file: string, unit: 'CPU' | 'wall', seconds: number }} Cost */

/** The lines that the environment of tests wrote. @returns {readonly Cost[]} */
export function readCosts(text) {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line));
}

/** A table of what each file costs, slowest first, and the total of each package. Paths are as `nameOf` shows them. */
export function timesTable(costs, nameOf) {
  const named = costs.map((cost) => ({ ...cost, file: nameOf(cost.file) }));
  const files = slowestFirst(named.map(({ file, seconds }) => [seconds, file]));
  const packages = [...new Set(named.map(({ file }) => packageOf(file)))];
  const totals = slowestFirst(packages.map((name) => totalOf(name, named.filter(({ file }) => packageOf(file) === name))));
  return [`${named[0]?.unit ?? 'CPU'} seconds`, ...[...files, ...totals, totalOf('in all', named)].map(row)].join('\n');
}

function packageOf(file) {
  return file.split(/[\\/]/).slice(0, 2).join('/');
}

function slowestFirst(rows) {
  return rows.toSorted(([one], [other]) => other - one);
}

function totalOf(name, costs) {
  const seconds = costs.reduce((sum, cost) => sum + cost.seconds, 0);
  return [seconds, `${name}, ${costs.length === 1 ? '1 file' : `${costs.length} files`}`];
}

function row([seconds, name]) {
  return `${seconds.toFixed(1).padStart(8)}  ${name}`;
}
