import type { Timers } from './timers.ts';

export interface BreakerOptions {
  readonly timers: Timers;
  /** Between 0 and 1. */
  readonly random: () => number;
  /** Starts that fail in a row before nobody tries any more for a while. */
  readonly mostFailures: number;
}

const FIRST_OPEN_MS = 10_000;
const LONGEST_OPEN_MS = 300_000;

/**
 * Keeps callers from a server that cannot be started: after some failures in a row it is left alone
 * for a while, then tried once, and after each failure left alone for twice as long.
 */
export class CircuitBreaker {
  readonly #options: BreakerOptions;
  #failures = 0;
  #openMs = FIRST_OPEN_MS;
  #openUntil = Number.NEGATIVE_INFINITY;

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Milliseconds until it may be tried again; 0 when it may be now. */
  get waitMs(): number {
    return Math.max(0, Math.ceil(this.#openUntil - this.#options.timers.monotonicMs()));
  }

  noteSuccess(): void {
    this.#failures = 0;
    this.#openMs = FIRST_OPEN_MS;
  }

  noteFailure(): void {
    this.#failures += 1;
    const { mostFailures, random, timers } = this.#options;
    if (this.#failures < mostFailures) return;
    this.#openUntil = timers.monotonicMs() + this.#openMs * (1 + random() / 4);
    this.#openMs = Math.min(this.#openMs * 2, LONGEST_OPEN_MS);
  }
}
