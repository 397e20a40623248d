import { Share } from './share.ts';

/**
 * An amount that several share: of places, or of bytes. Half of it is kept in equal parts for those who may come, the other
 * half is anybody's: one who takes all that is free still leaves some for each of the others, and where there is but one
 * it has it all. What does not fit is refused; nobody waits.
 */
export class FairShares<Holder> {
  readonly #most: number;
  readonly #holders: () => number;
  readonly #held = new Map<Holder, number>();
  #total = 0;

  /** @param holders how many there may be */
  constructor(most: number, holders: () => number) {
    this.#most = most;
    this.#holders = holders;
  }

  get total(): number {
    return this.#total;
  }

  heldBy(holder: Holder): number {
    return this.#held.get(holder) ?? 0;
  }

  /** How much more it has than is kept for it; negative for one that may still take some of that. */
  excessOf(holder: Holder): number {
    return this.heldBy(holder) - this.#kept;
  }

  /** True for one that has more than is kept for it, and of what is kept for others. */
  hasOfOthers(holder: Holder): boolean {
    return this.excessOf(holder) > 0 && this.#total + this.#keptForOthers(holder) > this.#most;
  }

  /** Takes so much; false, and nothing taken, when what is left is for others. */
  take(holder: Holder, amount = 1): boolean {
    const isKept = this.heldBy(holder) + amount <= this.#kept;
    const taken = this.#total + amount + (isKept ? 0 : this.#keptForOthers(holder));
    if (taken > this.#most) return false;
    this.add(holder, amount);
    return true;
  }

  /** Counts so much, whether there was room for it or not. */
  add(holder: Holder, amount: number): void {
    this.#held.set(holder, this.heldBy(holder) + amount);
    this.#total += amount;
  }

  /** What was not taken is not given back. */
  give(holder: Holder, amount = 1): void {
    const held = this.heldBy(holder);
    const given = Math.min(held, amount);
    if (given === held) this.#held.delete(holder);
    else this.#held.set(holder, held - given);
    this.#total -= given;
  }

  /** A share that grows and shrinks, of nothing yet. Whoever opens it disposes of it. */
  open(holder: Holder): Share {
    return new Share((change) => {
      if (change > 0) return this.take(holder, change);
      this.give(holder, -change);
      return true;
    });
  }

  /** What is kept for each, where there are very many one place at least; of one alone nothing, as nobody would take it. */
  get #kept(): number {
    const holders = this.#holders();
    return holders <= 1 ? 0 : Math.max(1, Math.floor(this.#most / (2 * holders)));
  }

  /** Never more than half of all, however many they are: then it is for those who come first. */
  #keptForOthers(holder: Holder): number {
    const others = [...this.#held].filter(([other]) => other !== holder);
    const absent = Math.max(0, this.#holders() - 1 - others.length);
    const kept = others.reduce((sum, [, held]) => sum + Math.max(0, this.#kept - held), absent * this.#kept);
    return Math.min(kept, Math.floor(this.#most / 2));
  }
}
