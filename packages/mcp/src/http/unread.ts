import { FairShares } from './fair-shares.ts';
import { orAborted } from './or-aborted.ts';

/** What clients have not taken yet of answers to one principal. */
export interface UnreadOf {
  /** True when so much waits, though no request of it begins any more, that who adds to it without end must be cut off. */
  readonly isOverfull: boolean;
  add(bytes: number): void;
  remove(bytes: number): void;
  /** Resolves when there is room for answers: clients that do not read must not fill the memory. Also when nobody waits for one any more. */
  untilTaken(gone: AbortSignal): Promise<void>;
}

/** Bytes of answers, over all connections, that clients have not taken yet: in fair shares, so that one who does not read keeps nobody else waiting. */
export class Unread<Holder> {
  readonly #most: number;
  readonly #shares: FairShares<Holder>;
  #taken: PromiseWithResolvers<void> | undefined;

  /**
   * @param most bytes that may wait before further requests wait too
   * @param holders how many there may be
   */
  constructor(most: number, holders: () => number) {
    this.#most = most;
    this.#shares = new FairShares(most, holders);
  }

  of(holder: Holder): UnreadOf {
    const isOverfull = () => this.#shares.total > 2 * this.#most && this.#shares.excessOf(holder) > 0;
    return {
      get isOverfull() {
        return isOverfull();
      },
      add: (bytes) => this.#shares.add(holder, bytes),
      remove: (bytes) => {
        this.#shares.give(holder, bytes);
        this.#taken?.resolve();
        this.#taken = undefined;
      },
      untilTaken: async (gone) => {
        while (this.#shares.hasOfOthers(holder) && !gone.aborted) {
          this.#taken ??= Promise.withResolvers();
          await orAborted(this.#taken.promise, gone);
        }
      },
    };
  }
}
