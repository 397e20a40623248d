import { setImmediate } from 'node:timers/promises';

/** Milliseconds after which other calls get their turn. */
const TURN = 15;

/** Lets other calls have their turn. */
export class Turn {
  #since = performance.now();

  async pause(): Promise<void> {
    if (performance.now() - this.#since <= TURN) return;
    await setImmediate();
    this.#since = performance.now();
  }
}
