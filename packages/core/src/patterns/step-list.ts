/** Steps of a program, each once, in the order in which they came. Emptied in no time. */
export class StepList {
  readonly #steps: Int32Array;
  /** The round in which a step last came. */
  readonly #cameIn: Uint32Array;
  #round: number;
  #count = 0;

  /** `size` is the number of steps of the program; rounds are counted from 1 on. */
  constructor(size: number, round = 1) {
    this.#round = round;
    this.#steps = new Int32Array(size);
    this.#cameIn = new Uint32Array(size);
  }

  get count(): number {
    return this.#count;
  }

  at(index: number): number {
    return this.#steps[index] ?? 0;
  }

  add(step: number): void {
    if (this.#cameIn[step] === this.#round) return;
    this.#cameIn[step] = this.#round;
    this.#steps[this.#count] = step;
    this.#count += 1;
  }

  clear(): void {
    this.#count = 0;
    this.#round += 1;
    // The rounds are used up after four thousand million characters: then all of them begin anew.
    if (this.#round > 0xffff_fffe) {
      this.#cameIn.fill(0);
      this.#round = 1;
    }
  }

  toArray(): Int32Array {
    return this.#steps.slice(0, this.#count);
  }
}
