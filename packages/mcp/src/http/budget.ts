/** An amount that many share. What does not fit is refused; nobody waits. */
export class Budget {
  readonly #most: number;
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get held(): number {
    return this.#held;
  }

  /** A share, of nothing yet. Whoever opens it disposes of it. */
  open(): Share {
    return new Share((change) => this.#change(change));
  }

  #change(by: number): boolean {
    if (by > 0 && this.#held + by > this.#most) return false;
    this.#held += by;
    return true;
  }
}

/** What one holder has of a budget. */
export class Share {
  readonly #change: (by: number) => boolean;
  #held = 0;

  /** @param change takes that much more of the budget; false when it is not there */
  constructor(change: (by: number) => boolean) {
    this.#change = change;
  }

  /** Makes it this large. False, and nothing changed, when the budget has no more. */
  resize(amount: number): boolean {
    if (!this.#change(amount - this.#held)) return false;
    this.#held = amount;
    return true;
  }

  [Symbol.dispose](): void {
    this.resize(0);
  }
}
