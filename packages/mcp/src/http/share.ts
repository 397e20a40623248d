/** What one holder has of an amount that many share. */
export class Share {
  readonly #change: (by: number) => boolean;
  #held = 0;

  /** @param change takes that much more of it, or gives it back; false when it is not there */
  constructor(change: (by: number) => boolean) {
    this.#change = change;
  }

  /** Makes it this large. False, and nothing changed, when there is no more. */
  resize(amount: number): boolean {
    if (!this.#change(amount - this.#held)) return false;
    this.#held = amount;
    return true;
  }

  [Symbol.dispose](): void {
    this.resize(0);
  }
}
