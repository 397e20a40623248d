import type { Timers } from './timers.ts';

/** How much a server may say unasked: so much at once, and so much a second. */
export interface BudgetOptions {
  readonly burst: number;
  readonly perSecond: number;
  readonly timers: Timers;
}

/** Lets through what a server says unasked, as long as it is not a flood. */
export class Budget {
  readonly #options: BudgetOptions;
  #left: number;
  #at: number;

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#left = options.burst;
    this.#at = options.timers.monotonicMs();
  }

  /** False: it is too much, and dropped. @param cost what is more than all there may be is let through where all is there, and takes it */
  spend(cost = 1): boolean {
    const { burst, perSecond, timers } = this.#options;
    const now = timers.monotonicMs();
    this.#left = Math.min(burst, this.#left + ((now - this.#at) * perSecond) / 1_000);
    this.#at = now;
    const taken = Math.min(cost, burst);
    if (this.#left < taken) return false;
    this.#left -= taken;
    return true;
  }
}
