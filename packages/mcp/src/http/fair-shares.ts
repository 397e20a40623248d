/**
 * Places that several share. Half of them are kept in equal parts for those who may come, the other half is anybody's:
 * one who takes all that is free still leaves room for each of the others, and where there is but one it has them all.
 */
export class FairShares<Holder> {
  readonly #places: number;
  readonly #holders: () => number;
  readonly #held = new Map<Holder, number>();
  #total = 0;

  /** @param holders how many there may be */
  constructor(places: number, holders: () => number) {
    this.#places = places;
    this.#holders = holders;
  }

  get total(): number {
    return this.#total;
  }

  heldBy(holder: Holder): number {
    return this.#held.get(holder) ?? 0;
  }

  /** How many more it has than are kept for it; negative for one that may still take some of those. */
  excessOf(holder: Holder): number {
    return this.heldBy(holder) - this.#kept;
  }

  /** Takes a place; false, and nothing taken, when those that are left are for others. */
  take(holder: Holder): boolean {
    if (this.#total >= this.#places) return false;
    const held = this.heldBy(holder);
    if (held >= this.#kept && this.#total + this.#keptForOthers(holder) >= this.#places) return false;
    this.#held.set(holder, held + 1);
    this.#total += 1;
    return true;
  }

  give(holder: Holder): void {
    const held = this.heldBy(holder);
    if (held === 0) return;
    if (held === 1) this.#held.delete(holder);
    else this.#held.set(holder, held - 1);
    this.#total -= 1;
  }

  /** Places that are kept for each; of one alone none, as nobody would take them. */
  get #kept(): number {
    const holders = this.#holders();
    return holders <= 1 ? 0 : Math.floor(this.#places / (2 * holders));
  }

  #keptForOthers(holder: Holder): number {
    const others = [...this.#held].filter(([other]) => other !== holder);
    const absent = Math.max(0, this.#holders() - 1 - others.length);
    return others.reduce((sum, [, held]) => sum + Math.max(0, this.#kept - held), absent * this.#kept);
  }
}
