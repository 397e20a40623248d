import { setTimeout as pause } from 'node:timers/promises';
import { describeCause } from '@devs/core';
import type { SignedHead } from './signed-head.ts';

/** A second place for heads: best one that whoever changes the log cannot change. */
export interface HeadPublisher {
  /** In words, as in "… cannot be published to the system log". */
  readonly name: string;
  /** Rejects when it did not get there. Ends by itself, however that place behaves. */
  publish(head: SignedHead): Promise<void>;
}

export interface DeliveryOptions {
  readonly onProblem: (sentence: string) => void;
  /** Milliseconds that the end of a session waits. */
  readonly patienceMs: number;
}

/** Brings heads to where they go, one at a time at each place, and says once what does not work. */
export class HeadDelivery {
  readonly #lanes: readonly Lane[];
  readonly #options: DeliveryOptions;
  readonly #failing = new Set<string>();

  constructor(publishers: readonly HeadPublisher[], options: DeliveryOptions) {
    this.#options = options;
    this.#lanes = publishers.map((publisher) => new Lane(async (head) => this.#deliver(publisher, head)));
  }

  send(head: SignedHead): void {
    for (const lane of this.#lanes) lane.take(head);
  }

  async settle(): Promise<void> {
    const ended = new AbortController();
    const patience = pause(this.#options.patienceMs, undefined, { signal: ended.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#lanes.map(async (lane) => lane.idle())), patience]);
    ended.abort();
  }

  /** Says it, unless it has been said. */
  fails(what: string, sentence: string): void {
    if (this.#failing.has(what)) return;
    this.#failing.add(what);
    try {
      this.#options.onProblem(sentence);
    } catch {
      // Who is told must not end a call by it.
    }
  }

  works(what: string): void {
    this.#failing.delete(what);
  }

  async #deliver(publisher: HeadPublisher, head: SignedHead): Promise<void> {
    const { name } = publisher;
    try {
      await publisher.publish(head);
      this.works(name);
    } catch (cause) {
      this.fails(name, `Heads of the call log cannot be published to ${name} (${describeCause(cause)}).`);
    }
  }
}

/** One place. While it is slow the newest head waits, and no queue grows: a later head says all that an earlier one does. */
class Lane {
  readonly #deliver: (head: SignedHead) => Promise<void>;
  #running: Promise<void> | undefined;
  #next: SignedHead | undefined;

  constructor(deliver: (head: SignedHead) => Promise<void>) {
    this.#deliver = deliver;
  }

  take(head: SignedHead): void {
    this.#next = head;
    this.#running ??= this.#run();
  }

  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#next !== undefined) {
      const head = this.#next;
      this.#next = undefined;
      await this.#deliver(head);
    }
    this.#running = undefined;
  }
}
