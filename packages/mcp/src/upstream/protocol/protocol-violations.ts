import type { StructuredLogger } from '@devs/core';
import type { Timers } from './timers.ts';

const QUIET_MS = 5_000;

/** Messages of a server that MCP does not allow: counted, and logged now and then, without their content. */
export class ProtocolViolations {
  readonly #tell: (problem: string, count: number) => void;
  readonly #timers: Timers;
  #count = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(logger: StructuredLogger, source: string, timers: Timers) {
    this.#timers = timers;
    this.#tell = (problem, count) => logger.warn('UPSTREAM_NOISE', { source, problem, count });
  }

  /** @param problem devs's own words for it */
  note(problem: string): void {
    this.#count += 1;
    const now = this.#timers.monotonicMs();
    if (now - this.#toldAt < QUIET_MS) return;
    this.#toldAt = now;
    this.#tell(problem, this.#count);
    this.#count = 0;
  }
}
