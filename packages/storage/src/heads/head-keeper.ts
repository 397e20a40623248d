import path from 'node:path';
import { describeCause, DevsError } from '@devs/core';
import type { ChainView } from './chain-view.ts';
import { examine, type Examined, type HeadProblem } from './examine.ts';
import { HeadMemory } from './head-memory.ts';
import { HeadDelivery, type HeadPublisher } from './head-delivery.ts';
import { signHead, toHead, type Head, type SignedHead } from './signed-head.ts';
import type { SigningKey } from './signing-key.ts';

export interface HeadKeeperOptions {
  /** Absent: there is none yet. Then it looks, and never signs. */
  readonly key?: SigningKey | undefined;
  /** Where the last head of each log is remembered: apart from the logs. */
  readonly folder: string;
  /** Path of the log. */
  readonly log: string;
  /** A head is due after so many records, or so many seconds if there are any. */
  readonly everyRecords: number;
  readonly everySeconds: number;
  /** Where heads go besides. */
  readonly publishers?: readonly HeadPublisher[];
  /** Milliseconds that `settle` waits for them. Default 5,000. */
  readonly patienceMs?: number;
  readonly clock?: () => Date;
  /** Told once, until it works again, what does not. A sentence for an operator. */
  readonly onProblem?: (sentence: string) => void;
}

/** Milliseconds until a head that could not be kept is tried again. */
const RETRY_MS = 10_000;
const PATIENCE_MS = 5_000;
const MS = 1_000;

const WHAT_TO_DO = 'Run `devs logs verify` to see what happened. If you restored a backup, or moved the log or the key, run `devs logs adopt`.';

/**
 * Signs where a log stands, remembers it apart from the log, and finds by it that the log is not the same any more. What
 * signs is asked while the lock of the log is held, so that of all processes one signs at a time, each after what the
 * others have remembered: there are never two heads that no one log can have.
 */
export class HeadKeeper {
  readonly #options: HeadKeeperOptions;
  readonly #memory: HeadMemory;
  readonly #log: string;
  readonly #delivery: HeadDelivery;
  readonly #clock: () => Date;
  /** What was signed last, as far as this process knows, and when it learnt of it. */
  #signed: { readonly seq: number; readonly at: number } | undefined;
  #failedAt: number | undefined;
  /** Somebody has said yes to the log as it is: until its next head is remembered, older ones in it accuse nobody. */
  #isAdopted = false;

  constructor(options: HeadKeeperOptions) {
    const { publishers = [], onProblem = () => undefined, clock = () => new Date(), patienceMs = PATIENCE_MS } = options;
    this.#options = options;
    this.#memory = new HeadMemory(options.folder);
    this.#log = path.resolve(options.log);
    this.#delivery = new HeadDelivery(publishers, { onProblem, patienceMs });
    this.#clock = clock;
  }

  /** The key that signs here, as heads name it. Undefined while there is none. */
  get keyId(): string | undefined {
    return this.#options.key?.id;
  }

  /**
   * Whether a head that the log carries was made by whoever remembers here. To be asked after the log has been read: it is
   * remembered before it is written. False also when nothing can be read. Never throws.
   */
  knows({ store, seq, key }: Head): boolean {
    return key === this.keyId && this.#remembersUpTo(store, seq);
  }

  /**
   * When a log is opened, before anything is written to it.
   * @throws DevsError `STATE_UNUSABLE` when it is not the one that is remembered, or what is remembered cannot be read
   */
  check(chain: ChainView): void {
    const remembered = this.#require(chain);
    this.#signed = remembered === undefined ? undefined : { seq: remembered.seq, at: this.#clock().getTime() };
  }

  /** What `check` would refuse. Throws SQLite's error when the log itself cannot be read. */
  examine(chain: ChainView): HeadProblem | undefined {
    return this.#examine(chain).problem;
  }

  /**
   * Whether to sign, the last record being `seq`. `now`: milliseconds of the wall clock; when that goes backwards, a
   * head is due rather than late. Looks at no file.
   */
  isDue(seq: number, now: number): boolean {
    if (seq === 0 || this.keyId === undefined || (this.#failedAt !== undefined && isWithin(now - this.#failedAt, RETRY_MS))) return false;
    if (this.#signed === undefined) return true;
    // The first record after a head says that it was made: alone it is no reason for another, for ever.
    const fresh = seq - this.#signed.seq - 1;
    if (fresh <= 0) return false;
    return fresh >= this.#options.everyRecords || !isWithin(now - this.#signed.at, this.#options.everySeconds * MS);
  }

  /**
   * Signs the end of the chain: the first thing in a transaction of its own, so that all before it is committed. What
   * it returns is remembered. Undefined when there is nothing new, and when it could not be remembered: that is said,
   * and tried again; the records are no less durable for it, and no call waits for it.
   * @throws DevsError `STATE_UNUSABLE` when the remembered head is not in the chain
   */
  sign(chain: ChainView): SignedHead | undefined {
    const at = this.#clock();
    const remembered = this.#requireOrSay(chain);
    if (remembered === 'unread') {
      this.#failedAt = at.getTime();
      return undefined;
    }
    const last = chain.last();
    const { store } = chain;
    const { key } = this.#options;
    if (last === undefined || store === undefined || key === undefined) return undefined;
    if (remembered !== undefined && remembered.seq >= last.seq) {
      // Another process was quicker.
      this.#signed = { seq: remembered.seq, at: at.getTime() };
      return undefined;
    }
    const signed = signHead({ store, ...last }, key, at);
    if (!this.#remember(store, signed, chain)) {
      this.#failedAt = at.getTime();
      return undefined;
    }
    this.#failedAt = undefined;
    this.#signed = { seq: last.seq, at: at.getTime() };
    return signed;
  }

  /** Sends a head to the other places. Not waited for by calls; never throws. */
  publish(head: SignedHead): void {
    this.#delivery.send(head);
  }

  /** Waits until what is being sent has come to its end, as long as its patience lasts. Never rejects. */
  async settle(): Promise<void> {
    await this.#delivery.settle();
  }

  /**
   * Lets the heads of a log begin anew, once its record of that is committed. What was remembered stays beside it.
   * Throws the system's error when that cannot be done.
   */
  setAside(chain: ChainView): void {
    const { store } = chain;
    this.#memory.forgetPlace(this.#log);
    // The head of another log that lay here stays where it is: that log may well be somewhere else now.
    if (store !== undefined && this.examine(chain) !== undefined) this.#memory.setAside(store);
    this.#signed = undefined;
    this.#failedAt = undefined;
    this.#isAdopted = true;
  }

  #remembersUpTo(store: string, seq: number): boolean {
    try {
      const signed = this.#memory.read(store);
      const head = signed === undefined || signed === 'broken' ? undefined : toHead(signed.head);
      return head !== undefined && head.seq >= seq;
    } catch {
      return false;
    }
  }

  #isPlaceKnown(store: string): boolean {
    try {
      return this.#memory.readPlace(this.#log) === store;
    } catch {
      return false;
    }
  }

  #examine(chain: ChainView): Examined {
    return examine(chain, { memory: this.#memory, publicKey: this.#options.key?.publicKey, log: this.#log, isAdopted: this.#isAdopted });
  }

  #require(chain: ChainView): Head | undefined {
    const { problem, remembered } = this.#examine(chain);
    if (problem === undefined) return remembered;
    throw this.#toError(problem);
  }

  /** Heads are signed when nobody waits, and at the end of a session: what is only thrown there, nobody hears. */
  #requireOrSay(chain: ChainView): Head | 'unread' | undefined {
    const { problem, remembered } = this.#examine(chain);
    if (problem === undefined) {
      this.#delivery.works('chain');
      return remembered;
    }
    const error = this.#toError(problem);
    this.#delivery.fails('chain', error.sentence);
    // A file that is out of reach for a moment says nothing of the log: to end all calls for it would be a false alarm.
    if (problem.isUnread === true) return 'unread';
    throw error;
  }

  #toError({ what }: HeadProblem): DevsError {
    return new DevsError('STATE_UNUSABLE', { sentence: `${what} ${WHAT_TO_DO}`, cause: new Error(this.#log) });
  }

  #remember(store: string, signed: SignedHead, chain: ChainView): boolean {
    try {
      chain.flush();
      this.#memory.remember(store, signed);
      if (!this.#isPlaceKnown(store)) this.#memory.rememberPlace(this.#log, store);
      this.#isAdopted = false;
      this.#delivery.works('memory');
      return true;
    } catch (cause) {
      this.#delivery.fails('memory', `The head of the call log cannot be remembered (${describeCause(cause)}): until it can, a rollback is not found. It is tried again.`);
      return false;
    }
  }
}

/** False also where time went backwards. */
function isWithin(elapsed: number, limit: number): boolean {
  return elapsed >= 0 && elapsed < limit;
}
