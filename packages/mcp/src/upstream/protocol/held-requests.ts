import { randomUUID } from 'node:crypto';
import type { InFlight } from './in-flight.ts';
import type { Timers } from './timers.ts';

export interface HeldRequestsOptions {
  readonly timers: Timers;
  /** How many are held at once. */
  readonly most: number;
  /** Milliseconds after which nobody is expected to come back. */
  readonly holdMs: number;
  readonly onExpired: (request: InFlight) => void;
}

interface Held {
  readonly request: InFlight;
  readonly stop: AbortController;
}

/**
 * Requests that stand still because their server has asked the client something. Each is found by a
 * state that nobody can guess, and once: a client that brings an old state back gets no other's request.
 */
export class HeldRequests {
  readonly #options: HeldRequestsOptions;
  readonly #held = new Map<string, Held>();

  constructor(options: HeldRequestsOptions) {
    this.#options = options;
  }

  /** True: no more are held, so that a server that asks and asks fills no memory. */
  get isFull(): boolean {
    return this.#held.size >= this.#options.most;
  }

  /** The state to bring back. */
  hold(request: InFlight): string {
    const state = randomUUID();
    const stop = new AbortController();
    this.#held.set(state, { request, stop });
    void this.#expire(state, stop.signal);
    return state;
  }

  take(state: string | undefined): InFlight | undefined {
    const held = state === undefined ? undefined : this.#held.get(state);
    if (state === undefined || held === undefined) return undefined;
    this.#held.delete(state);
    held.stop.abort();
    return held.request;
  }

  clear(): void {
    for (const { stop } of this.#held.values()) stop.abort();
    this.#held.clear();
  }

  async #expire(state: string, signal: AbortSignal): Promise<void> {
    await this.#options.timers.sleep(this.#options.holdMs, signal);
    if (signal.aborted) return;
    const request = this.take(state);
    if (request !== undefined) this.#options.onExpired(request);
  }
}
