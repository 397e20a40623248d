/** Least recently used go first. Bounded by number, and by the characters of the keys, which are the schemas' own. */
export class RecentSchemas<Compiled> {
  readonly #byKey = new Map<string, Compiled>();
  readonly #mostEntries: number;
  readonly #mostCharacters: number;
  #characters = 0;

  constructor(mostEntries = 256, mostCharacters = 1_048_576) {
    this.#mostEntries = mostEntries;
    this.#mostCharacters = mostCharacters;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** What is made throws when it cannot be made, and is then not kept. */
  getOrMake(key: string, make: () => Compiled): Compiled {
    const known = this.#byKey.get(key);
    const compiled = known ?? make();
    // Behind all others again.
    if (known !== undefined) this.#byKey.delete(key);
    else this.#characters += key.length;
    this.#byKey.set(key, compiled);
    this.#drop();
    return compiled;
  }

  #drop(): void {
    for (const key of this.#byKey.keys()) {
      if (this.#byKey.size <= this.#mostEntries && this.#characters <= this.#mostCharacters) return;
      this.#byKey.delete(key);
      this.#characters -= key.length;
    }
  }
}
