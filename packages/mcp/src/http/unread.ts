/** Bytes of answers, over all connections, that clients have not taken yet. */
export class Unread {
  readonly #most: number;
  #bytes = 0;
  #taken: PromiseWithResolvers<void> | undefined;

  /** @param most bytes that may wait before further calls wait too */
  constructor(most: number) {
    this.#most = most;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  remove(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes > this.#most) return;
    this.#taken?.resolve();
    this.#taken = undefined;
  }

  /** Resolves when there is room for answers: clients that do not read must not fill the memory. */
  async untilTaken(): Promise<void> {
    while (this.#bytes > this.#most) {
      this.#taken ??= Promise.withResolvers();
      await this.#taken.promise;
    }
  }
}
