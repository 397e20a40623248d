import { setTimeout as pause } from 'node:timers/promises';
import { tryLockFile } from './lock-file.ts';

const LONGEST_PAUSE_MS = 16;

export interface Waiting {
  /** When the patience runs out, on the clock of `performance.now()`. */
  readonly until: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The lock on a file, tried again from a timer while another holder has it. The event loop goes on meanwhile.
 * @returns undefined when the patience ran out
 * @throws the reason of `signal`, and what `tryLockFile` throws
 */
export async function waitForLock(file: string, { until, signal }: Waiting): Promise<Disposable | undefined> {
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const held = tryLockFile(file);
    const leftMs = until - performance.now();
    if (held !== undefined || leftMs <= 0) return held;
    await pause(Math.min(pauseMs, leftMs));
    signal?.throwIfAborted();
  }
}
