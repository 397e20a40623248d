import { setTimeout as pause } from 'node:timers/promises';
import { isBusy } from './sqlite-failure.ts';

const LONGEST_PAUSE_MS = 8;

/**
 * Tries again while another process holds the lock, until the pauses add up to `patienceMs`. SQLite's
 * own busy handler would sleep on the main thread, and no other call would be served meanwhile.
 * @throws what `attempt` threw last
 */
export async function whileBusy<Result>(attempt: () => Result, patienceMs: number): Promise<Result> {
  let waitedMs = 0;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return attempt();
    } catch (cause) {
      if (!isBusy(cause) || waitedMs >= patienceMs) throw cause;
    }
    await pause(pauseMs);
    waitedMs += pauseMs;
  }
}

/**
 * The same on the main thread, for opening: SQLite does not wait for a lock where that might be a
 * deadlock, and two processes that switch a new file to WAL at once look like one.
 */
export function whileBusyBlocking(attempt: () => void, patienceMs: number): void {
  const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  for (let waitedMs = 0; ; waitedMs += LONGEST_PAUSE_MS) {
    try {
      attempt();
      return;
    } catch (cause) {
      if (!isBusy(cause) || waitedMs >= patienceMs) throw cause;
    }
    Atomics.wait(never, 0, 0, LONGEST_PAUSE_MS);
  }
}
