import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AgentLogReceipt } from '@devs/core';
import { AgentLogError } from '../agent-log-error.ts';
import type { PendingWrite } from './chain-transaction.ts';
import { toAgentLogError } from './sqlite-failure.ts';
import { whileBusy } from './while-busy.ts';

/** Writes all of them in one transaction with one flush. Throws when none is written. */
export type Commit = (writes: readonly PendingWrite[]) => readonly (AgentLogReceipt | AgentLogError)[];

interface Waiting {
  readonly write: PendingWrite;
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
/** Writes that may wait. They wait only while the disk or a lock makes them. */
const MOST_WAITING = 4_096;
/** Milliseconds after which what may wait is written, though nobody has asked for it. */
const PATIENCE_MS = 50;

/**
 * Shares a flush, which costs more than all else together: whatever is asked for in one turn of the event loop is one
 * transaction. While it waits for a lock more comes together, and goes in the next.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #waiting: Waiting[] = [];
  #turn: NodeJS.Immediate | undefined;
  #patience: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** Whether so much waits that nothing new should begin. */
  get isFull(): boolean {
    return this.#waiting.length >= MOST_WAITING;
  }

  /** Resolves when it is written. Rejects with `AgentLogError`, and then it is not. */
  async add(write: PendingWrite, { mayWait }: { readonly mayWait: boolean }): Promise<AgentLogReceipt> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ write, resolve, reject });
      if (mayWait) this.#patience ??= setTimeout(() => this.#schedule(), PATIENCE_MS).unref();
      else this.#schedule();
    });
  }

  /** Writes what waits. Never rejects: each write has its own promise. */
  async drain(): Promise<void> {
    this.#schedule();
    while (this.#working !== undefined || this.#turn !== undefined) {
      await (this.#working ?? nextTurn());
    }
  }

  #schedule(): void {
    // What is being written takes what came meanwhile with it.
    if (this.#turn !== undefined || this.#working !== undefined) return;
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
    this.#working = this.#work().finally(() => (this.#working = undefined));
  }

  async #work(): Promise<void> {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      await this.#write(batch);
    }
  }

  #takeBatch(): readonly Waiting[] {
    let size = 0;
    let count = 0;
    for (const { write } of this.#waiting) {
      size += sizeOf(write);
      if (count > 0 && (size > MOST_SIZE || count === MOST_WRITES)) break;
      count += 1;
    }
    const rest = this.#waiting.slice(count);
    const batch = this.#waiting.slice(0, count);
    this.#waiting = rest;
    return batch;
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await whileBusy(() => this.#options.commit(batch.map(({ write }) => write)), this.#options.busyTimeoutMs);
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index] ?? new AgentLogError('failed');
        if (result instanceof AgentLogError) reject(result);
        else resolve(result);
      }
    } catch (cause) {
      const error = toAgentLogError(cause);
      for (const { reject } of batch) reject(error);
    }
  }
}

function sizeOf(write: PendingWrite): number {
  if (write.kind === 'outcome') return write.outcome.size;
  return write.kind === 'start' ? write.start.draft.payload.length : 0;
}
