// Measures contenders in turn, round by round, so that a busy neighbour slows all of them alike, and
// compares within a round. Prints medians and ratios; decides nothing.
import os from 'node:os';
import process from 'node:process';

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {(round: number) => Promise<number> | number} measure microseconds for one operation
 */

/** The middle of the values; of an even count, the mean of the middle two. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
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
  }));
}

export function printRow({ id, title, goal, results }) {
  process.stdout.write(`\n${id}  ${title}\n`);
  for (const { name, microseconds, ratio } of results) {
    process.stdout.write(`    ${name.padEnd(44)} ${microseconds.toFixed(2).padStart(10)} µs  ${ratio.toFixed(2).padStart(6)} x\n`);
  }
  process.stdout.write(`    goal: ${goal}\n`);
}

export function printMachine() {
  const [cpu] = os.cpus();
  const memory = Math.round(os.totalmem() / 1024 ** 3);
  process.stdout.write(
    `${new Date().toISOString()}  Node ${process.version}, ${process.platform} ${os.arch()}, ` +
      `${os.cpus().length} x ${cpu?.model ?? 'unknown processor'}, ${memory} GiB; medians, contenders in turn\n`,
  );
}
