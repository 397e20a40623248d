import { DevsError } from '../errors.ts';

/**
 * Steps: some nanoseconds each. Sources and lockfiles cost one or two a unit, JSON that writes each letter as an escape 20, a page with
 * a soft hyphen in every third place 32.
 */
const STEPS_A_UNIT = 64;
const FREE_STEPS = 1_000_000;
/** Beyond so many units there is less for each: at the price above, an answer of 30 MB could hold up everybody for many seconds. */
const DEAR_UNITS = 1_048_576;
const STEPS_A_FURTHER_UNIT = 16;

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
    const dear = Math.min(units, Math.max(0, DEAR_UNITS - this.#units));
    this.#limit += STEPS_A_UNIT * dear + STEPS_A_FURTHER_UNIT * (units - dear);
    this.#units += units;
  }

  /** For another kind of look at what has come in: once for each unit, at however many levels of a document it is looked at. */
  grantShare(share: number): void {
    const before = Math.min(this.#shared, DEAR_UNITS);
    const dear = Math.min(this.#units, DEAR_UNITS) - before;
    this.#limit += share * (STEPS_A_UNIT * dear + STEPS_A_FURTHER_UNIT * (this.#units - this.#shared - dear));
    this.#shared = this.#units;
  }

  /** @throws DevsError `OUTPUT_WITHHELD` beyond the limit */
  spend(steps: number): void {
    this.#spent += steps;
    if (this.#spent > this.#limit) throw new DevsError('OUTPUT_WITHHELD', { cause: new Error('cleaning it would take more work than a result of its length may') });
  }
}
