// Calls, and how long they take.
import process from 'node:process';

/** Makes `calls` calls, `atOnce` of them under way at any time. `call` is given the call's number. */
export async function runCalls(call, { calls, atOnce }) {
  let made = 0;
  const lane = async () => {
    while (made < calls) {
      made += 1;
      await call(made);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/** Microseconds for one call, all of them taken together. */
export async function timeCalls(call, load) {
  const start = process.hrtime.bigint();
  await runCalls(call, load);
  return microsecondsSince(start) / load.calls;
}

/** Microseconds of each call, one at a time. */
export async function timeEach(call, calls) {
  const times = [];
  for (let index = 0; index < calls; index += 1) {
    const start = process.hrtime.bigint();
    await call(index);
    times.push(microsecondsSince(start));
  }
  return times;
}

/** Microseconds for one of `count` runs of a function that does not wait. */
export function timeRuns(run, count) {
  const start = process.hrtime.bigint();
  for (let index = 0; index < count; index += 1) run();
  return microsecondsSince(start) / count;
}

export function microsecondsSince(start) {
  return Number(process.hrtime.bigint() - start) / 1_000;
}
