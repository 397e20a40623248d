import type { Timers } from './timers.ts';
import type { UpstreamEvent } from '../../protocol/upstream.ts';

/** Milliseconds between two words of the same change. */
const QUIET_MS = 250;
/** Resources whose change is told apart; a server that thinks of new ones for ever must not fill the memory. */
const MOST_TOLD_APART = 1_000;

/**
 * Notifies of changes: the first at once, and then once more for however many come until some time has
 * passed. None is lost, which dropping would do, and ten thousand are two.
 */
export class ChangeNotifications {
  readonly #emit: (event: UpstreamEvent) => void;
  readonly #timers: Timers;
  readonly #stop: AbortSignal;
  /** Changes that were just sent, and whether each is to be sent again. */
  readonly #quiet = new Map<string, boolean>();

  constructor(emit: (event: UpstreamEvent) => void, timers: Timers, stop: AbortSignal) {
    this.#emit = emit;
    this.#timers = timers;
    this.#stop = stop;
  }

  /** False when there are too many to tell apart. */
  send(event: UpstreamEvent): boolean {
    const key = event.kind === 'resource-updated' ? `${event.kind} ${event.uri}` : event.kind;
    if (this.#quiet.has(key)) {
      this.#quiet.set(key, true);
      return true;
    }
    if (this.#quiet.size >= MOST_TOLD_APART) return false;
    this.#quiet.set(key, false);
    this.#emit(event);
    void this.#wait(key, event);
    return true;
  }

  async #wait(key: string, event: UpstreamEvent): Promise<void> {
    await this.#timers.sleep(QUIET_MS, this.#stop);
    const isAsked = this.#quiet.get(key) === true;
    this.#quiet.delete(key);
    if (isAsked && !this.#stop.aborted) this.send(event);
  }
}
