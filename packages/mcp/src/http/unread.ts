/** Bytes of answers, over all connections, that clients have not taken yet. */
export class Unread {
  readonly #most: number;
  #bytes = 0;
  #taken: PromiseWithResolvers<void> | undefined;

  /** @param most bytes that may wait before further calls wait too */
  constructor(most: number) {
    this.#most = most;
  }

  /** True when so much waits, though no call begins any more, that who adds to it without end must be cut off. */
  get isOverfull(): boolean {
    return this.#bytes > 2 * this.#most;
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

  /** Resolves when there is room for answers: clients that do not read must not fill the memory. Also when nobody waits for one any more. */
  async untilTaken(gone: AbortSignal): Promise<void> {
    while (this.#bytes > this.#most && !gone.aborted) {
      this.#taken ??= Promise.withResolvers();
      await orAborted(this.#taken.promise, gone);
    }
  }
}

/** Leaves nothing behind with a signal that lives long. */
async function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { signal: over.signal }));
  await Promise.race([promise, aborted]);
  over.abort();
}
