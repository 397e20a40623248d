import type { DevsError } from '@devs/core';
import type { RequestId } from './read-message.ts';

/** A request that came and is not answered yet. */
export interface Arrival {
  readonly method: string;
  /** As they came, before the SDK made its own of them. */
  readonly params: unknown;
  /** Size of the message. */
  readonly bytes: number;
  /** Set when the raw message was found wanting: the call is refused for this. */
  readonly refusal: DevsError | undefined;
}

/** The requests of one connection that are not answered yet, by id. */
export class Arrivals {
  readonly #open = new Map<RequestId, Arrival>();
  /** Calls that the gate has not seen. What is still here when its answer leaves was refused on the way. */
  readonly #unseen = new Set<RequestId>();
  /** They are open for as long as the client likes, and the SDK bounds how many there are: not counted. */
  readonly #subscriptions = new Set<RequestId>();
  readonly #onEnd: () => void;
  #bytes = 0;

  /** @param onEnd called whenever there is one less */
  constructor(onEnd: () => void = () => undefined) {
    this.#onEnd = onEnd;
  }

  get count(): number {
    return this.#open.size;
  }

  get ids(): readonly RequestId[] {
    return [...this.#open.keys(), ...this.#subscriptions];
  }

  get bytes(): number {
    return this.#bytes;
  }

  has(id: RequestId): boolean {
    return this.#open.has(id) || this.#subscriptions.has(id);
  }

  add(id: RequestId, arrival: Arrival): void {
    if (arrival.method === 'subscriptions/listen') {
      this.#subscriptions.add(id);
      return;
    }
    this.#open.set(id, arrival);
    this.#bytes += arrival.bytes;
    if (arrival.method === 'tools/call') this.#unseen.add(id);
  }

  /** The call has reached the gate, and with it the log. */
  take(id: RequestId): Arrival | undefined {
    this.#unseen.delete(id);
    return this.#open.get(id);
  }

  /** Its answer leaves, or never will. Returns the call when the gate has not seen it. */
  end(id: RequestId): Arrival | undefined {
    this.#subscriptions.delete(id);
    const arrival = this.#open.get(id);
    if (arrival === undefined) return undefined;
    this.#open.delete(id);
    this.#bytes -= arrival.bytes;
    this.#onEnd();
    return this.#unseen.delete(id) ? arrival : undefined;
  }

  /** The connection is over: ends, and returns, the calls that the gate has not seen and never will. */
  endUnseen(): readonly Arrival[] {
    return [...this.#unseen].flatMap((id) => this.end(id) ?? []);
  }

  methodOf(id: RequestId): string | undefined {
    return this.#open.get(id)?.method;
  }

  endUnlessCall(id: RequestId): void {
    if (this.#open.get(id)?.method !== 'tools/call') this.end(id);
  }
}
