/** A schema that cannot be used, where and why. */
export class SchemaProblem extends Error {
  /** JSON Pointer into the schema. */
  readonly pointer: string;
  /** Follows `it` or the place in a sentence: `must be a string`. */
  readonly problem: string;

  constructor(pointer: string, problem: string) {
    super(`${pointer} ${problem}`);
    this.pointer = pointer;
    this.problem = problem;
  }
}
