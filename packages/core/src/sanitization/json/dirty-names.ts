import { DevsError } from '../../errors.ts';

/**
 * Each costs as much as some hundred units that are clean. An export whose header begins with a byte order mark has one dirty
 * name in each of its rows, and it is the same one; thousands that differ are no honest answer.
 */
const MOST = 5_000;

/** The names of one document that had to be cleaned, each once. */
export class DirtyNames {
  readonly #names = new Set<string>();

  /** @throws DevsError `OUTPUT_WITHHELD` beyond 5,000 */
  add(name: string): void {
    this.#names.add(name);
    if (this.#names.size > MOST) throw new DevsError('OUTPUT_WITHHELD', { cause: new Error(`JSON: more than ${String(MOST)} different names had to be cleaned`) });
  }
}
