/** Of all the lines that are looked at, before and after together. */
const MAX_BYTES = 1_048_576;
/** Lines of the one times lines of the other, of all that are compared in full. */
const MAX_PAIRS = 2_000_000;

/**
 * What a whole diff may take. What is printed bounds no work: of a place whose first and last line change
 * two lines are shown and all are compared, and one call may name 100,000 such places.
 */
export class DiffBudget {
  #bytes = MAX_BYTES;
  #pairs = MAX_PAIRS;

  /** False, and nothing is taken, when so many bytes are not left. */
  takeBytes(count: number): boolean {
    if (count > this.#bytes) return false;
    this.#bytes -= count;
    return true;
  }

  /** False, and nothing is taken, when so many pairs of lines are not left. */
  takePairs(count: number): boolean {
    if (count > this.#pairs) return false;
    this.#pairs -= count;
    return true;
  }
}
