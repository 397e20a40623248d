/** Small: one is made for each of a hundred thousand strings of a hostile document, and most stay nearly empty. */
const FIRST_LENGTH = 16;
const GROWTH = 4;

/** Behind every place of a text. A whole number: with `Infinity` the engine reads all places beside it as fractions, at twice the price. */
export const NOWHERE = 0x7fff_ffff;

/** Of a stack that nothing was put on: many stay so. */
const NONE = new Uint8Array(0);

/** Whole numbers of one or four bytes each: ten megabytes of opening brackets must not become a hundred. */
export class NumberStack {
  readonly #create: (length: number) => Uint8Array | Int32Array;
  #numbers: Uint8Array | Int32Array;
  #length = 0;

  readonly #firstLength: number;

  /**
   * @param size of the numbers: `small` up to 255, `large` up to 2³¹ - 1
   * @param firstLength how many there is room for before it has to grow
   */
  constructor(size: 'small' | 'large', firstLength = FIRST_LENGTH) {
    this.#firstLength = firstLength;
    this.#create = size === 'small' ? (length) => new Uint8Array(length) : (length) => new Int32Array(length);
    this.#numbers = NONE;
  }

  get length(): number {
    return this.#length;
  }

  /** The last one; -1 when there is none. */
  get top(): number {
    return this.#numbers[this.#length - 1] ?? -1;
  }

  at(index: number): number {
    return index < this.#length ? (this.#numbers[index] ?? -1) : -1;
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) {
      const longer = this.#create(Math.max(this.#firstLength, this.#length * GROWTH));
      longer.set(this.#numbers);
      this.#numbers = longer;
    }
    this.#numbers[this.#length] = number;
    this.#length += 1;
  }

  /** Takes off the last one and gives it; -1 when there is none. */
  pop(): number {
    const { top } = this;
    this.#length = Math.max(0, this.#length - 1);
    return top;
  }

  /** Takes off all but the first so many. */
  cut(length: number): void {
    this.#length = Math.min(this.#length, length);
  }
}
