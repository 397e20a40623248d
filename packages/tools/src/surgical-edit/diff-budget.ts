/** Of all the lines that are looked at, before and after together, in UTF-16 units. */
const MAX_UNITS = 1_048_576;
/** Lines, or characters, of the one times those of the other, of all that are compared in full. */
const MAX_PAIRS = 2_000_000;

/**
 * What a whole diff may take. What is printed bounds no work: of a place whose first and last line change
 * two lines are shown and all are compared, and one call may name 100,000 such places.
 */
export class DiffBudget {
  #units = MAX_UNITS;
  #pairs = MAX_PAIRS;

  /** False, and nothing is taken, when so many units are not left. */
  takeUnits(count: number): boolean {
    if (count > this.#units) return false;
    this.#units -= count;
    return true;
  }

  /** False, and nothing is taken, when so many pairs of lines are not left. */
  takePairs(count: number): boolean {
    if (count > this.#pairs) return false;
    this.#pairs -= count;
    return true;
  }
}
