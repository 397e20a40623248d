import { encodeFrame, FRAME } from './channel.ts';
import type { GuestMessage } from './guest-message.ts';

/** Of one run, as `prelude.cts` counts them. */
export const MOST_TIMERS = 1_000;

/** `setTimeout` of the code: the guest waits in a blocking read, so the clock is here. */
export class GuestTimers {
  readonly #write: (frame: Buffer) => Promise<void>;
  readonly #timers = new Set<NodeJS.Timeout>();
  #count = 0;

  constructor(write: (frame: Buffer) => Promise<void>) {
    this.#write = write;
  }

  /** False for one that the prelude would not ask for. */
  add({ id, ms }: Extract<GuestMessage, { type: 'sleep' }>): boolean {
    if (id !== this.#count + 1 || this.#count === MOST_TIMERS) return false;
    this.#count += 1;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#write(encodeFrame(FRAME.wake, id, ''));
    }, ms);
    this.#timers.add(timer);
    return true;
  }

  clear(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
