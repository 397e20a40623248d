import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AgentLogReceipt } from '@devs/core';
import { AgentLogError } from '../agent-log-error.ts';
import type { PendingWrite } from './chain-transaction.ts';
import { toAgentLogError } from '../database/sqlite-failure.ts';
import { whileBusy } from '../database/while-busy.ts';

/** Writes all of them in one transaction with one flush. Throws when none is written. */
export type Commit = (writes: readonly PendingWrite[]) => readonly (AgentLogReceipt | AgentLogError)[];

export interface WriteWishes {
  /** Nobody waits for it: it goes with the next that somebody waits for, or after a moment. */
  readonly mayWait: boolean;
  /** It was answered for: what fails is tried again, until the end. */
  readonly isKept?: boolean;
}

interface Waiting extends Omit<WriteWishes, 'mayWait'> {
  readonly write: PendingWrite;
  /** Nobody waits for it any more, and it is not written. */
  isAbandoned: boolean;
  /** Monotonic milliseconds. */
  readonly since: number;
  readonly resolve: (receipt: AgentLogReceipt) => void;
  readonly reject: (cause: AgentLogError) => void;
}

export interface GroupCommitOptions {
  readonly commit: Commit;
  /** Milliseconds that a transaction waits for another process's lock. */
  readonly busyTimeoutMs: number;
}

/** Of one transaction: beyond it the calls that wait for it would wait longer than for a second one. */
const MOST_WRITES = 512;
/** Writes for which no more are waited for: more would make each of them wait longer than it saves. */
const ENOUGH = 32;
/** Turns of the event loop that are waited for more at most. */
const MOST_TURNS = 16;
/** UTF-16 units of one transaction. */
const MOST_SIZE = 8_388_608;
/** Writes that may wait, and UTF-16 units of them. They wait only while the disk or a lock makes them. */
const MOST_WAITING = 4_096;
const MOST_WAITING_SIZE = 67_108_864;
/** Milliseconds after which what may wait is written, though nobody has asked for it; and what failed is tried again. */
const PATIENCE_MS = 50;

/**
 * Shares a flush, which costs more than all else together: whatever is asked for in one turn of the event loop is one
 * transaction. While it waits for a lock more comes together, and goes in the next.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #waiting: Waiting[] = [];
  #size = 0;
  #turn: NodeJS.Immediate | undefined;
  #patience: NodeJS.Timeout | undefined;
  #isWorking = false;
  /** What is being written. */
  #batch: readonly Waiting[] = [];

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** Whether so much waits that nothing new should begin. */
  get isFull(): boolean {
    return this.#waiting.length >= MOST_WAITING || this.#size >= MOST_WAITING_SIZE;
  }

  /** Resolves when it is written. Rejects with `AgentLogError`, and then it is not. */
  async add(write: PendingWrite, { mayWait, ...wishes }: WriteWishes): Promise<AgentLogReceipt> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ write, ...wishes, isAbandoned: false, since: performance.now(), resolve, reject });
      this.#size += sizeOf(write);
      if (mayWait) this.#scheduleLater();
      else this.#schedule();
    });
  }

  /** What waits of a call is not written any more, but for what was answered for. */
  abandon(callId: string): void {
    for (const waiting of [...this.#batch, ...this.#waiting]) if (callIdOf(waiting.write) === callId && waiting.isKept !== true) waiting.isAbandoned = true;
  }

  /** Writes what waits, and gives up what cannot be written. Never rejects. @returns how many were answered for and are lost */
  async drain(): Promise<number> {
    this.#schedule();
    while (this.#isWorking || this.#turn !== undefined) await nextTurn();
    clearTimeout(this.#patience);
    const lost = this.#waiting;
    this.#waiting = [];
    for (const { reject } of lost) reject(new AgentLogError('closed'));
    return lost.length;
  }

  #scheduleLater(): void {
    this.#patience ??= setTimeout(() => this.#schedule(), PATIENCE_MS).unref();
  }

  #schedule(): void {
    // What is being written takes what came meanwhile with it.
    if (this.#turn !== undefined || this.#isWorking) return;
    this.#turn = setImmediate(() => this.#gather(this.#waiting.length, 0));
  }

  /** Writes now, unless the last turn has brought more: then the next may too, and they all share the flush. */
  #gather(before: number, turns: number): void {
    const { length } = this.#waiting;
    if (length > before && length < ENOUGH && turns < MOST_TURNS) {
      this.#turn = setImmediate(() => this.#gather(length, turns + 1));
      return;
    }
    this.#turn = undefined;
    void this.#work();
  }

  /** Never rejects: each write has its own promise. */
  async #work(): Promise<void> {
    this.#isWorking = true;
    clearTimeout(this.#patience);
    this.#patience = undefined;
    let isStuck = false;
    while (this.#waiting.length > 0 && !isStuck) isStuck = await this.#write(this.#takeBatch());
    // In the very step in which nothing was found to wait: of what comes a moment later somebody has to take notice.
    this.#isWorking = false;
    if (isStuck) this.#scheduleLater();
  }

  #takeBatch(): readonly Waiting[] {
    let size = 0;
    let count = 0;
    for (const { write } of this.#waiting) {
      size += sizeOf(write);
      if (count > 0 && (size > MOST_SIZE || count === MOST_WRITES)) break;
      count += 1;
    }
    const batch = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    for (const { write } of batch) this.#size -= sizeOf(write);
    return batch;
  }

  /** @returns whether some of it is still to be written */
  async #write(batch: readonly Waiting[]): Promise<boolean> {
    this.#batch = batch;
    try {
      await whileBusy(() => this.#attempt(batch), this.#patienceFor(batch));
      return false;
    } catch (cause) {
      const error = toAgentLogError(cause);
      for (const { isKept, reject } of batch) if (isKept !== true) reject(error);
      return this.#keep(batch.filter(({ isKept }) => isKept === true), error);
    } finally {
      this.#batch = [];
    }
  }

  /** Puts them back to the front: what came later may be about the same calls. */
  #keep(kept: readonly Waiting[], error: AgentLogError): boolean {
    if (kept.length === 0) return false;
    // Nothing behind them is tried before they are written: whoever waits there hears why, and does not wait for ever.
    for (const { isKept, reject } of this.#waiting) if (isKept !== true) reject(error);
    this.#waiting = [...kept, ...this.#waiting.filter(({ isKept }) => isKept === true)];
    this.#size = this.#waiting.reduce((size, { write }) => size + sizeOf(write), 0);
    return true;
  }

  #attempt(batch: readonly Waiting[]): void {
    // Whoever has given up has said so to its caller: written now, the log would tell of an answer that nobody got.
    const wanted = batch.filter(({ isAbandoned }) => !isAbandoned);
    const results = wanted.length === 0 ? [] : this.#options.commit(wanted.map(({ write }) => write));
    for (const [index, { resolve, reject }] of wanted.entries()) {
      const result = results[index] ?? new AgentLogError('failed');
      if (result instanceof AgentLogError) reject(result);
      else resolve(result);
    }
    for (const { isAbandoned, reject } of batch) if (isAbandoned) reject(new AgentLogError('abandoned'));
  }

  /** What waited in the queue has waited for the same lock: none waits longer than another for being further behind. */
  #patienceFor(batch: readonly Waiting[]): number {
    const youngest = batch.reduce((latest, { since }) => Math.max(latest, since), 0);
    return Math.max(0, this.#options.busyTimeoutMs - (performance.now() - youngest));
  }
}

function sizeOf(write: PendingWrite): number {
  if (write.kind === 'outcome') return write.outcome.size;
  return write.kind === 'start' ? write.start.draft.payload.length : 0;
}

function callIdOf(write: PendingWrite): string | undefined {
  if (write.kind === 'outcome') return write.outcome.callId;
  return write.kind === 'start' ? write.start.callId : undefined;
}
