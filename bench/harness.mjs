// Measures contenders in turn, round by round, so that a busy neighbour slows all of them alike, and
// compares within a round. Prints medians and ratios; decides nothing.
import os from 'node:os';
import process from 'node:process';

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {(round: number) => Promise<number> | number} measure microseconds for one operation
 */

/**
 * @typedef {object} Row
 * @property {string} id
 * @property {string} title
 * @property {string} against what the figures are divided by, or what is subtracted from them
 * @property {string} goal
 * @property {readonly { name: string, figures: readonly string[] }[]} lines
 */

/** The middle of the values; of an even count, the mean of the middle two. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The smallest value that is not below `share` (0 to 1) of the values. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}

/** Every contender once a round. The first is what the others are divided by. */
export async function compare(contenders, rounds) {
  const times = contenders.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, contender] of contenders.entries()) times[index].push(await contender.measure(round));
  }
  return contenders.map(({ name }, index) => ({
    name,
    microseconds: median(times[index]),
    ratio: median(times[index].map((time, round) => time / times[0][round])),
    times: times[index],
  }));
}

/** What `compare` gives, as a row's lines. */
export function toLines(results) {
  return results.map(({ name, microseconds, ratio }) => ({ name, figures: [showTime(microseconds), `${ratio.toFixed(2)} x`] }));
}

export function showTime(microseconds) {
  const size = Math.abs(microseconds);
  if (size < 1_000) return `${microseconds.toFixed(2)} µs`;
  return size < 1_000_000 ? `${(microseconds / 1_000).toFixed(2)} ms` : `${(microseconds / 1_000_000).toFixed(2)} s`;
}

/** @param {Row} row */
export function printRow({ id, title, against, goal, lines }) {
  process.stdout.write(`\n${id}  ${title}\n`);
  for (const { name, figures } of lines) {
    process.stdout.write(`    ${name.padEnd(46)}${figures.map((figure) => figure.padStart(14)).join('')}\n`);
  }
  process.stdout.write(`    against: ${against}\n    goal: ${goal}\n`);
}

export function printMachine() {
  const [cpu] = os.cpus();
  const memory = Math.round(os.totalmem() / 1024 ** 3);
  process.stdout.write(
    `${new Date().toISOString()}  Node ${process.version}, ${process.platform} ${os.arch()}, ` +
      `${os.cpus().length} x ${cpu?.model ?? 'unknown processor'}, ${memory} GiB, load ${os.loadavg()[0].toFixed(1)}; ` +
      'medians, contenders in turn\n',
  );
}
