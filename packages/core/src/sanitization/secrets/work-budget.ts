import { DevsError } from '../../errors.ts';

/** Steps: about one look at one unit. Ten times what source code costs, and about 0.2 s a megabyte. */
const STEPS_A_UNIT = 256;
const FREE_STEPS = 100_000;

/** Counts what looking costs. A text that costs more than any honest one is withheld, not given half looked at. */
export class WorkBudget {
  readonly #limit: number;
  #spent = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  static forText(text: string): WorkBudget {
    return new WorkBudget(FREE_STEPS + STEPS_A_UNIT * text.length);
  }

  get spent(): number {
    return this.#spent;
  }

  /** @throws DevsError `OUTPUT_WITHHELD` beyond the limit */
  spend(steps: number): void {
    this.#spent += steps;
    if (this.#spent > this.#limit) throw new DevsError('OUTPUT_WITHHELD', { cause: new Error('secrets: too much to look at') });
  }
}
