import { NumberStack } from './number-stack.ts';

/**
 * Places of a text where something was taken out, from left to right. What stood apart there stands together now: in
 * `token\u200bghp_…` a secret begins at the seam, though a letter stands before it.
 */
export class Seams {
  readonly #places = new NumberStack('large');

  get count(): number {
    return this.#places.length;
  }

  at(index: number): number {
    return this.#places.at(index);
  }

  /** Not before the last one. A row of deletions is one seam. */
  add(place: number): void {
    if (this.#places.top !== place) this.#places.push(place);
  }

  /** Those of the same text with so many units put in front. */
  moved(units: number): Seams {
    const moved = new Seams();
    for (let index = 0; index < this.count; index += 1) moved.add(this.at(index) + units);
    return moved;
  }
}

/** Says of one place after another, from left to right, whether it is a seam. */
export class SeamCursor {
  readonly #seams: Seams;
  readonly #shift: number;
  #next = 0;

  /** @param shift is added to each seam: the text that is looked at begins so many units before the one that has them */
  constructor(seams: Seams, shift: number) {
    this.#seams = seams;
    this.#shift = shift;
  }

  isAt(place: number): boolean {
    const seam = place - this.#shift;
    while (this.#next < this.#seams.count && this.#seams.at(this.#next) < seam) this.#next += 1;
    return this.#seams.at(this.#next) === seam && seam >= 0;
  }
}
