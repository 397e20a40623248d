/** Milliseconds that answers may be worked on within one turn of the event loop. */
const MOST_MS = 10;

/**
 * Shares the event loop between answers and everybody else. To clean a large answer takes tens of milliseconds, and the
 * answers of many calls become ready in one turn. libuv accepts one connection a turn: with turns of half a second, the
 * fiftieth client to connect would wait for twenty. Whoever comes when a turn is used up waits for a turn of its own.
 */
export class TurnBudget {
  readonly #now: () => number;
  readonly #waiting: (() => void)[] = [];
  #startedAt: number | undefined;

  /** @param now monotonic milliseconds; not the clock by which calls are measured, of which tests count the looks */
  constructor(now: () => number = () => Number(process.hrtime.bigint()) / 1e6) {
    this.#now = now;
  }

  /** Does the work at once where there is time left in this turn, else in one of its own. First come, first served. */
  async spend<Result>(work: () => Result): Promise<Result> {
    this.#startedAt ??= this.#begin();
    const hasTime = this.#waiting.length === 0 && this.#now() - this.#startedAt < MOST_MS;
    // Not awaited where there is time: others would be let in before this has taken any.
    if (!hasTime) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return work();
  }

  #begin(): number {
    setImmediate(() => this.#onNextTurn());
    return this.#now();
  }

  #onNextTurn(): void {
    const next = this.#waiting.shift();
    this.#startedAt = next === undefined ? undefined : this.#begin();
    next?.();
  }
}
