/**
 * What the members of one object are called once their names are clean. A name that was clean keeps itself; one that
 * became another's gets a number, ` (2)`, in the order of the object: silence would drop a value, or let a name with a
 * hidden character take the place of the honest one.
 */
export class DistinctNames {
  readonly #cleanOf = new Map<string, string>();
  readonly #finalOf = new Map<string, string>();
  readonly #taken = new Set<string>();
  /** The number that a name was given last: numbers are tried once, so that a thousand collisions are no million. */
  readonly #lastNumber = new Map<string, number>();
  #isSettled = false;

  /** Takes in a name and what became of it. The same name twice is one. */
  add(name: string, clean: string): void {
    this.#cleanOf.set(name, clean);
    if (name === clean) this.#taken.add(name);
  }

  /** Once all names are in. */
  finalOf(name: string): string {
    if (!this.#isSettled) this.#settle();
    return this.#finalOf.get(name) ?? name;
  }

  /** Names that got a number. */
  get collisions(): number {
    if (!this.#isSettled) this.#settle();
    let count = 0;
    for (const [name, final] of this.#finalOf) if (final !== this.#cleanOf.get(name)) count += 1;
    return count;
  }

  #settle(): void {
    this.#isSettled = true;
    for (const [name, clean] of this.#cleanOf) {
      if (name === clean) continue;
      const final = this.#taken.has(clean) ? this.#numbered(clean) : clean;
      this.#taken.add(final);
      this.#finalOf.set(name, final);
    }
  }

  #numbered(clean: string): string {
    for (let number = (this.#lastNumber.get(clean) ?? 1) + 1; ; number += 1) {
      const candidate = `${clean} (${number})`;
      if (this.#taken.has(candidate)) continue;
      this.#lastNumber.set(clean, number);
      return candidate;
    }
  }
}
