/** Throws when nothing is left. */
interface Payer {
  spend(steps: number): void;
}

/** What it costs to remember one member. */
const PRICE = 6;

/** Which members of one value have been looked at by the schemas that it fits: what `unevaluated…` leaves out. */
export class Marks {
  #everyName = false;
  #everyItem = false;
  /** All items before this one. */
  #first = 0;
  readonly #names = new Set<string>();
  readonly #items = new Set<number>();
  readonly #payer: Payer;

  constructor(payer: Payer) {
    this.#payer = payer;
  }

  addName(name: string): void {
    this.#payer.spend(PRICE);
    this.#names.add(name);
  }

  addItem(index: number): void {
    this.#payer.spend(PRICE);
    this.#items.add(index);
  }

  addFirstItems(count: number): void {
    this.#first = Math.max(this.#first, count);
  }

  addEveryName(): void {
    this.#everyName = true;
  }

  addEveryItem(): void {
    this.#everyItem = true;
  }

  hasName(name: string): boolean {
    return this.#everyName || this.#names.has(name);
  }

  hasItem(index: number): boolean {
    return this.#everyItem || index < this.#first || this.#items.has(index);
  }

  merge(other: Marks): void {
    this.#everyName ||= other.#everyName;
    this.#everyItem ||= other.#everyItem;
    this.addFirstItems(other.#first);
    for (const name of other.#names) this.addName(name);
    for (const index of other.#items) this.addItem(index);
  }
}
