import { DevsError } from '../../errors.ts';

/**
 * Steps, of about two nanoseconds each. What a result has whatever its length: a list of a few thousand short strings may cost
 * a hundred times what a text of that length costs, and still takes no time that anybody notices.
 */
const FREE_STEPS = 16_000_000;

/** How many each unit brings. Sources and lockfiles cost one or two a unit, JSON that writes each letter as an escape 17. */
const STEPS = 28;

/**
 * Counts what cleaning costs beside the passes over the text: looks for secrets, links and tags, changes, forms that are read, strings.
 * One for all texts of a result, or a list of small ones would have its free steps many times.
 * What costs more than any honest text is withheld, not given half looked at.
 */
export class WorkBudget {
  #limit: number;
  #spent = 0;
  /** Units that came in, and of how many of them a share was granted. */
  #units = 0;
  #shared = 0;

  constructor(limit = FREE_STEPS) {
    this.#limit = limit;
  }

  static forText(text: string): WorkBudget {
    const work = new WorkBudget();
    work.grant(text.length);
    return work;
  }

  get spent(): number {
    return this.#spent;
  }

  /** For a text that comes in: once, however often it, or a string in it, is looked at. @param units of UTF-16 */
  grant(units: number): void {
    this.#limit += STEPS * units;
    this.#units += units;
  }

  /** For another kind of look at what has come in: once for each unit, at however many levels of a document it is looked at. */
  grantShare(share: number): void {
    this.#limit += share * STEPS * (this.#units - this.#shared);
    this.#shared = this.#units;
  }

  /** @throws DevsError `OUTPUT_WITHHELD` beyond the limit */
  spend(steps: number): void {
    this.#spent += steps;
    if (this.#spent > this.#limit) throw new DevsError('OUTPUT_WITHHELD', { cause: new Error('cleaning it would take more work than a result of its length may') });
  }
}
