import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { compare, median, showTime } from '../harness.mjs';
import { timeCalls } from '../load.mjs';
import { FILE, makePlace } from '../place.mjs';
import { serverFile, startServer } from '../stdio-client.mjs';

const LARGE_FILE = 'hundred-kilobytes.txt';

/** A whole read_file of 1 KB over stdio, 32 at once, against the bare SDK server with the same tool. */
export async function measureReadFile() {
  using place = makePlace();
  return {
    id: 'P6',
    title: 'read_file of 1 KB over stdio, 32 at once; the last column against devs without its log',
    against: 'the bare SDK server with the same tool',
    goal: 'without log / process-safe / power-safe <= 1.25 / 1.7 / 2.5 x',
    lines: await measureReads(place, { file: FILE, rounds: 9, load: { calls: 2_000, atOnce: 32 } }),
  };
}

/** The same with 100 KB, all of which is in the log. */
export async function measureLargeReads() {
  using place = makePlace();
  writeFileSync(path.join(place.root, LARGE_FILE), 'A line of text as people write it, of about sixty letters.\n'.repeat(1_736));
  return {
    id: 'P7',
    title: 'read_file of 100 KB over stdio, 32 at once; the last column against devs without its log',
    against: 'the bare SDK server with the same tool',
    goal: 'power-safe, the body stored <= 2.0 x',
    lines: await measureReads(place, { file: LARGE_FILE, rounds: 7, load: { calls: 320, atOnce: 32 } }),
  };
}

async function measureReads(place, { file, rounds, load }) {
  await using servers = new AsyncDisposableStack();
  const read = { name: 'read_file', arguments: { path: file } };
  const contender = async (name, script, args) => {
    const server = servers.use(await startServer([serverFile(script), place.root, ...args]));
    const measure = async () => timeCalls(async () => server.call(read), load);
    await measure();
    return { name, measure };
  };
  const results = await compare(
    [
      await contender('bare SDK server', 'bare-sdk', []),
      await contender('devs, without log', 'devs', ['none']),
      await contender('devs, log process-safe', 'devs', ['process', place.inside('process.db')]),
      await contender('devs, log power-safe', 'devs', ['power', place.inside('power.db')]),
    ],
    rounds,
  );
  const [, without] = results;
  return results.map(({ name, microseconds, ratio, times }) => {
    const toWithout = median(times.map((time, round) => time / without.times[round]));
    return { name, figures: [showTime(microseconds), `${ratio.toFixed(2)} x`, `${toWithout.toFixed(2)} x`] };
  });
}
