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

  /** Which of them is the first at a place or behind it; `count` when none is. */
  firstFrom(place: number): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.at(middle) < place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Those of a piece of the text, from one place to before another; undefined when it has none. */
  within(start: number, end: number): Seams | undefined {
    let found: Seams | undefined;
    for (let index = this.firstFrom(start); index < this.count && this.at(index) < end; index += 1) (found ??= new Seams()).add(this.at(index) - start);
    return found;
  }

  /** Those of the same text with so many units put in front. */
  moved(units: number): Seams {
    if (units === 0) return this;
    const moved = new Seams();
    for (let index = 0; index < this.count; index += 1) moved.add(this.at(index) + units);
    return moved;
  }
}

/** Says of places whether they are seams. */
export class SeamCursor {
  readonly #seams: Seams;
  readonly #shift: number;
  #next = 0;

  /** @param shift is added to each seam: the text that is looked at begins so many units before the one that has them */
  constructor(seams: Seams, shift: number) {
    this.#seams = seams;
    this.#shift = shift;
  }

  /** Asked for one place after another, from left to right. */
  isAt(place: number): boolean {
    const seam = place - this.#shift;
    while (this.#next < this.#seams.count && this.#seams.at(this.#next) < seam) this.#next += 1;
    return this.#seams.at(this.#next) === seam && seam >= 0;
  }

  /** Asked for any place. */
  has(place: number): boolean {
    const seam = place - this.#shift;
    return seam >= 0 && this.#seams.at(this.#seams.firstFrom(seam)) === seam;
  }

  /** Those from behind one place up to another, from right to left: as many as there are units between, where each of these is parted. */
  between(from: number, to: number): readonly number[] {
    const places: number[] = [];
    for (let index = this.#seams.firstFrom(to - this.#shift + 1) - 1; index >= 0; index -= 1) {
      const place = this.#seams.at(index) + this.#shift;
      if (place <= from) break;
      places.push(place);
    }
    return places;
  }
}
