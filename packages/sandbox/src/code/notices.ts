const MOST = 10;
const MOST_UNITS = 1_000;

/** What devs has said about the answers of a run's calls: each once, and not all of a thousand. */
export class Notices {
  readonly #said = new Set<string>();
  #more = 0;

  add(notices: readonly string[]): void {
    for (const notice of notices) {
      if (this.#said.has(notice)) continue;
      if (this.#said.size === MOST || notice.length > MOST_UNITS) this.#more += 1;
      else this.#said.add(notice);
    }
  }

  get list(): readonly string[] {
    return this.#more === 0 ? [...this.#said] : [...this.#said, `[devs: Notices about answers of tools that are left out here: ${String(this.#more)}.]`];
  }
}
