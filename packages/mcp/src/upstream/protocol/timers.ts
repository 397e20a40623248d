import { setTimeout } from 'node:timers/promises';

/** Time, as the upstream's parts see it: tests bring their own. */
export interface Timers {
  monotonicMs(): number;
  /** Resolves after the time, and at once when the signal aborts. Never rejects. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const systemTimers: Timers = Object.freeze({
  monotonicMs: () => performance.now(),
  sleep: async (milliseconds: number, signal: AbortSignal) => setTimeout(milliseconds, undefined, { signal }).catch(() => undefined),
});

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10_000;
/** A server that lived so long is not one that dies at its start. */
const LONG_LIFE_MS = 30_000;

/** How long to wait before a server is started again: a quarter of a second, then twice as long each time. */
export class BackOff {
  #next = FIRST_DELAY_MS;
  readonly #jitter: () => number;

  /** @param jitter between 0 and 1: how much of the latter half of a wait is left out, so that many do not come back at once */
  constructor(jitter: () => number = () => 0) {
    this.#jitter = jitter;
  }

  /** Milliseconds. @param lifeMs how long the last one lived */
  delayAfter(lifeMs: number): number {
    if (lifeMs >= LONG_LIFE_MS) this.#next = FIRST_DELAY_MS;
    const delay = this.#next;
    this.#next = Math.min(delay * 2, LONGEST_DELAY_MS);
    return delay * (1 - this.#jitter() / 2);
  }
}
