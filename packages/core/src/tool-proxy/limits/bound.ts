/** One limit: it has room for a call, or says when it will. */
export interface Bound {
  /** Which entry of the configuration it is, for the log alone. */
  readonly entry: string;
  /**
   * Milliseconds until there is room beside what is kept free; 0: there is; Infinity: when a call under way ends.
   * @param kept calls that room is kept for
   */
  waitMs(kept: number): number;
  /** Only where there is room. */
  take(): void;
  /** The call is over. */
  giveBack(): void;
}

/** Calls that run at once. Reads no clock: it is on the way of every call. */
export class AtOnce implements Bound {
  readonly entry: string;
  readonly #most: number;
  #running = 0;

  constructor(most: number, entry: string) {
    this.#most = most;
    this.entry = entry;
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }

  waitMs(kept: number): number {
    return this.#running + kept < this.#most ? 0 : Infinity;
  }

  take(): void {
    this.#running += 1;
  }

  giveBack(): void {
    this.#running -= 1;
  }
}

const WINDOW_MS = 60_000;

/**
 * Calls that begin within any minute: never more than that in any 60 seconds, wherever they begin (a counter that is set
 * back each minute lets twice as many through around its turn). Keeps when each of the last ones began.
 */
export class PerMinute implements Bound {
  readonly entry: string;
  readonly #most: number;
  readonly #now: () => number;
  readonly #begun: number[] = [];
  /** Where the oldest stands, once there are as many as may be. */
  #oldest = 0;

  constructor(most: number, { entry, now }: { readonly entry: string; readonly now: () => number }) {
    this.#most = most;
    this.entry = entry;
    this.#now = now;
  }

  waitMs(kept: number): number {
    const late = this.#begun.length + kept - this.#most;
    if (late < 0) return 0;
    // What room is kept for has not begun yet: nobody knows when it is a minute ago.
    const begunAt = late < this.#begun.length ? this.#begun[(this.#oldest + late) % this.#begun.length] : undefined;
    return begunAt === undefined ? Infinity : Math.max(0, begunAt + WINDOW_MS - this.#now());
  }

  take(): void {
    if (this.#begun.length < this.#most) {
      this.#begun.push(this.#now());
      return;
    }
    this.#begun[this.#oldest] = this.#now();
    this.#oldest = (this.#oldest + 1) % this.#most;
  }

  /** It has begun, however it ended. */
  giveBack(): void {}
}
