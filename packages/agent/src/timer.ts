import { setTimeout as wait } from 'node:timers/promises';

/** Time, handed in: tests wait for nothing. */
export interface Timer {
  /** Monotonic milliseconds. */
  now(): number;
  /** Rejects when the signal is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** The machine's time. */
export function createTimer(): Timer {
  return {
    now: () => performance.now(),
    sleep: async (milliseconds, signal) => wait(milliseconds, undefined, { signal }),
  };
}

/** What `work` gives, or a rejection with what `onLate` makes once the time is up. */
export async function withTimeLimit<Value>(
  work: Promise<Value>,
  milliseconds: number,
  { timer, onLate }: { readonly timer: Timer; readonly onLate: () => Error },
): Promise<Value> {
  const done = new AbortController();
  const late = timer.sleep(milliseconds, done.signal).then(() => Promise.reject(onLate()));
  try {
    return await Promise.race([work, late]);
  } finally {
    // It is aborted now, or was lost to a rejection that is under way: either is heard by nobody.
    late.catch(() => undefined);
    work.catch(() => undefined);
    done.abort();
  }
}
