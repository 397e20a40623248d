import { noteShown, type PinBook } from './pin-book.ts';
import type { PinStore, ServerIdentity, ServerPins, ShownServer } from './pin-store.ts';

/** Pins that last as long as the process. */
export class MemoryPins implements PinStore {
  #book: PinBook = new Map();
  readonly #now: () => string;

  constructor(now: () => string = () => new Date().toISOString()) {
    this.#now = now;
  }

  async find({ key }: ServerIdentity): Promise<ServerPins | undefined> {
    return this.#book.get(key);
  }

  async note(identity: ServerIdentity, shown: ShownServer): Promise<ServerPins> {
    this.#book = noteShown(this.#book, identity, { shown, now: this.#now() });
    const pins = this.#book.get(identity.key);
    if (pins === undefined) throw new Error('what was noted is not there');
    return pins;
  }
}
