import { DevsError } from '../../errors.ts';

/** Steps: about one look at one unit. Sources and lockfiles cost one or two; the worst rows known less than this, in one look. */
const STEPS_A_UNIT = 96;
const FREE_STEPS = 100_000;

/**
 * Counts what looking for secrets and links costs: one for all texts of a result, or a list of small ones would have its free
 * steps many times.
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
    this.#limit += STEPS_A_UNIT * units;
    this.#units += units;
  }

  /** For another kind of look at what has come in: once for each unit, at however many levels of a document it is looked at. */
  grantShare(share: number): void {
    this.#limit += STEPS_A_UNIT * share * (this.#units - this.#shared);
    this.#shared = this.#units;
  }

  /** @throws DevsError `OUTPUT_WITHHELD` beyond the limit */
  spend(steps: number): void {
    this.#spent += steps;
    if (this.#spent > this.#limit) throw new DevsError('OUTPUT_WITHHELD', { cause: new Error('too much to look at, in search of secrets and links') });
  }
}
