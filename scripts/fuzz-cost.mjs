// `node scripts/fuzz-cost.mjs [shapes] [first]`: what generated answers of a megabyte cost in CPU time, on every way through the built
// gate, and some of ten megabytes. Ends with 1 when one is above its ceiling. Part of `pnpm nightly`.
import process from 'node:process';
import { PLACES, shapeAt } from '../packages/core/src/sanitization/__tests__/answer-shapes.ts';
import { createAnswerCleaners } from './lib/answer-cleaners.mjs';
import { main, report } from './lib/processes.mjs';

/** Answers of either size, and the most that one may cost. */
const SIZES = [
  { units: 1_000_000, milliseconds: 150, each: 1 },
  { units: 10_000_000, milliseconds: 1_500, each: 50 },
];
/** Runs of one answer: the least counts, since other work on the machine makes it only dearer. */
const RUNS = 4;
const SHOWN = 25;

await main(async () => {
  const [count = '5000', first = '0'] = process.argv.slice(2);
  // Of no answers none would be above its ceiling.
  if (!/^[1-9]\d{0,6}$/.test(count) || !/^\d{1,7}$/.test(first)) {
    report('usage: fuzz-cost [shapes] [first]');
    return 64;
  }
  const cleaners = createAnswerCleaners({ maxBytes: 33_554_432 });
  const codes = SIZES.map((size) => measureSize({ ...size, cleaners, first: Number(first), last: Number(first) + Number(count) }));
  return Math.max(...codes);
});

function measureSize({ units, milliseconds, each, cleaners, first, last }) {
  const measured = [];
  for (let number = first; number < last; number += each) {
    const place = PLACES[(number * 7) % PLACES.length];
    const size = Math.min(units, place.mostUnits ?? units);
    measured.push({ place: place.name, shape: shapeAt(number).name, ...measure({ cleaner: cleaners[place.way], place, number, size, most: milliseconds }) });
  }
  const dear = measured.filter((one) => one.cost > milliseconds).sort((one, other) => other.cost - one.cost);
  const sorted = measured.map(({ cost }) => cost).sort((one, other) => one - other);
  const at = (share) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  report(`${String(measured.length)} answers of ${String(units)} units: median ${String(at(0.5))} ms, 99 of 100 within ${String(at(0.99))} ms, most ${String(at(1))} ms of CPU; ${String(dear.length)} above ${String(milliseconds)} ms`);
  for (const { cost, place, shape, outcome } of dear.slice(0, SHOWN)) report(`  ${String(Math.round(cost))} ms  ${place}  ${shape}  (${outcome})`);
  return dear.length === 0 ? 0 : 1;
}

function measure({ cleaner, place, number, size, most }) {
  const raw = place.make(shapeAt(number), size);
  let least = { cost: Infinity, outcome: '' };
  for (let run = 0; run < RUNS && least.cost > most; run += 1) {
    const before = process.cpuUsage();
    const outcome = cleaner(raw);
    const { user, system } = process.cpuUsage(before);
    const cost = (user + system) / 1_000;
    if (cost < least.cost) least = { cost, outcome };
  }
  return least;
}
