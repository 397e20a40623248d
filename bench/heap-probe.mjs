// Loaded into a process with `--expose-gc --import`: asked by SIGUSR2, it collects what nobody holds and writes down what is left.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import process from 'node:process';

const file = process.env.DEVS_BENCH_HEAP;

process.on('SIGUSR2', () => {
  // What is only reachable through a finalizer or a weak reference goes with a later one.
  for (let round = 0; round < 4; round += 1) globalThis.gc();
  const { heapUsed, heapTotal, external, rss } = process.memoryUsage();
  // Of what is resident: pages of files, such as a log that is mapped, go when somebody needs the memory.
  const [, kibibytes = 0] = /^RssFile:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  writeFileSync(`${file}.new`, JSON.stringify({ heapUsed, heapTotal, external, rss, ofFiles: 1_024 * Number(kibibytes) }));
  renameSync(`${file}.new`, file);
});
