import type { Timer } from '../timer.ts';

/** Time that stands still until it is told: waits are remembered, and those of a length that is named end at once. */
export class FakeTimer implements Timer {
  readonly slept: number[] = [];
  readonly #ends: (milliseconds: number) => boolean;

  constructor(ends: (milliseconds: number) => boolean = () => false) {
    this.#ends = ends;
  }

  now(): number {
    return 0;
  }

  async sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    this.slept.push(milliseconds);
    if (this.#ends(milliseconds)) return;
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true }));
  }
}
