import type { StructuredLogger } from '@devs/core';
import type { Timers } from './timers.ts';

const QUIET_MS = 5_000;

/** What a server writes that is nobody's answer: counted, and told now and then. Never its words. */
export class Noise {
  readonly #tell: (problem: string, count: number) => void;
  readonly #timers: Timers;
  #count = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(logger: StructuredLogger, source: string, timers: Timers) {
    this.#timers = timers;
    this.#tell = (problem, count) => logger.warn('UPSTREAM_NOISE', { source, problem, count });
  }

  /** @param problem devs's own words for it */
  hear(problem: string): void {
    this.#count += 1;
    const now = this.#timers.monotonicMs();
    if (now - this.#toldAt < QUIET_MS) return;
    this.#toldAt = now;
    this.#tell(problem, this.#count);
    this.#count = 0;
  }
}
