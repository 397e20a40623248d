import type Database from 'better-sqlite3';
import { DevsError, type AgentLogEntry, type AgentLogIntent, type AgentLogQuery, type AgentLogReceipt, type AgentLogRecord, type IntentWishes } from '@devs/core';
import { AgentLogError } from '../agent-log-error.ts';
import type { AgentLogs } from '../agent-logs.ts';
import { prepareOutcome, prepareStart, type PreparedStart } from '../record/to-draft.ts';
import type { HeadKeeper } from '../heads/head-keeper.ts';
import { SqliteAgentLogReader } from './agent-log-reader.ts';
import type { PendingWrite } from './chain-transaction.ts';
import type { ChainWriter } from './chain-writer.ts';
import { GroupCommit } from './group-commit.ts';
import type { LogRoom } from './log-room.ts';
import { RefusalFloods } from './refusal-flood.ts';
import { whileBusy } from '../database/while-busy.ts';

/**
 * `strict`: a promise that resolves means committed. `batch`: it means that the log has taken it on, and writes it when it
 * can; a crash may take the last moments. For whoever has said so.
 */
export type LogMode = 'strict' | 'batch';

/** Milliseconds after which refusals that were counted are written down. */
const COUNT_MS = 1_000;
/** Milliseconds after which the start of a call that changes nothing is written, though the call has not ended. */
const HOLD_MS = 50;
/** Milliseconds after which a log that nobody writes to any more is looked at: its last records want a head too. */
const HEAD_MS = 5_000;

export interface SqliteAgentLogsParts {
  /** Made by `openLogDatabase`. Taken over, and closed. */
  readonly database: Database.Database;
  readonly writer: ChainWriter;
  readonly mode: LogMode;
  readonly busyTimeoutMs: number;
  readonly heads: HeadKeeper | undefined;
  readonly onProblem?: ((sentence: string) => void) | undefined;
  /** Default: none is limited. */
  readonly room?: LogRoom | undefined;
}

/** Writes what comes in one turn of the event loop in one transaction. */
export class SqliteAgentLogs implements AgentLogs {
  readonly #writer: ChainWriter;
  readonly #mode: LogMode;
  readonly #busyTimeoutMs: number;
  readonly #onProblem: (sentence: string) => void;
  readonly #room: LogRoom | undefined;
  readonly #queue: GroupCommit;
  readonly #reader: SqliteAgentLogReader;
  readonly #heads: HeadKeeper | undefined;
  readonly #floods = new RefusalFloods(() => performance.now());
  readonly #headTimer: NodeJS.Timeout | undefined;
  #countTimer: NodeJS.Timeout | undefined;
  /** Calls that were begun here and have not ended. */
  readonly #begun = new Set<string>();
  /** Starts of those of them that change nothing, and are not written yet: the call may be refused before anybody has to know of it. */
  readonly #held = new Map<string, PreparedStart>();
  #holdTimer: NodeJS.Timeout | undefined;
  /** The last transaction was not written. Somebody may not have waited for it; the next call does. */
  #isFailing = false;
  /** Why nothing is written any more. */
  #broken: unknown;
  #closing: Promise<void> | undefined;

  constructor({ database, writer, mode, busyTimeoutMs, heads, onProblem = () => undefined, room }: SqliteAgentLogsParts) {
    this.#onProblem = onProblem;
    this.#room = room;
    this.#writer = writer;
    this.#mode = mode;
    this.#heads = heads;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#queue = new GroupCommit({ commit: (writes) => this.#commit(writes), busyTimeoutMs });
    this.#reader = new SqliteAgentLogReader(database, busyTimeoutMs);
    if (heads !== undefined) this.#headTimer = setInterval(() => this.#sign(), HEAD_MS).unref();
  }

  async begin(intent: AgentLogIntent, { mayWait }: IntentWishes = { mayWait: false }): Promise<void> {
    this.#checkOpen();
    // Before anything has run: a call that the log may never be able to hold must not begin.
    if (this.#queue.isFull) throw new AgentLogError('overloaded');
    this.#room?.check(this.#begun.size);
    const start = prepareStart(intent);
    this.#begun.add(start.callId);
    if (mayWait && !this.#isFailing) return this.#hold(start);
    await this.#write({ kind: 'start', start }, mayWait || this.#mode === 'batch');
  }

  async append(record: AgentLogRecord): Promise<AgentLogReceipt | undefined> {
    this.#checkOpen();
    const held = this.#takeHeld(record.id);
    // By what this log holds, not by how it ended: a tool may be refused something in the midst of its work.
    const isNew = !this.#begun.delete(record.id);
    const isRefusal = isNew || held !== undefined;
    // Counted only while the log can be written: else refusals would go on as if somebody wrote them down.
    if (isRefusal && !this.#isFailing && this.#floods.counts(record)) {
      this.#countTimer ??= setTimeout(() => this.#writeCounts(), COUNT_MS).unref();
      return undefined;
    }
    // What never began has done nothing outside: it may be turned away. What has run must be told.
    if (isNew && this.#queue.isFull) throw new AgentLogError('overloaded');
    // A flood of refusals fills a disk too.
    if (isNew) this.#room?.check(this.#begun.size);
    if (held !== undefined) await this.#write({ kind: 'start', start: held }, true);
    const outcome = prepareOutcome(record);
    return this.#write({ kind: 'outcome', outcome }, this.#mode === 'batch');
  }

  abandon(callId: string): void {
    this.#held.delete(callId);
    this.#queue.abandon(callId);
  }

  async list(query: AgentLogQuery): Promise<readonly AgentLogEntry[]> {
    return await this.#reader.list(query);
  }

  async get(id: string): Promise<AgentLogEntry | undefined> {
    return await this.#reader.get(id);
  }

  /** Waits for the writes that were asked for before, each at most its busy time. */
  async close(): Promise<void> {
    this.#closing ??= this.#finish();
    await this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #finish(): Promise<void> {
    clearInterval(this.#headTimer);
    this.#writeHeld();
    this.#writeCounts();
    const lost = await this.#queue.drain();
    if (lost > 0) this.#onProblem(`The call log could not be written until its end: ${lost} records that calls were answered with are lost.`);
    try {
      await whileBusy(() => this.#writer.close(), this.#busyTimeoutMs);
    } catch {
      // Its last word could not be written: the log shows a session without an end, as after a crash. Nobody waits for it.
    } finally {
      this.#writer[Symbol.dispose]();
      await this.#heads?.settle();
      await this.#reader.close();
    }
  }

  #commit(writes: readonly PendingWrite[]): readonly (AgentLogReceipt | AgentLogError)[] {
    this.#isFailing = true;
    if (this.#broken !== undefined) throw new AgentLogError('rolled-back', this.#broken);
    const written = this.#writer.commit(writes);
    this.#isFailing = false;
    // After those who wait for these records have their answers.
    if (this.#writer.isHeadDue) setImmediate(() => this.#sign());
    return written;
  }

  #sign(): void {
    if (this.#closing !== undefined || !this.#writer.isHeadDue) return;
    try {
      this.#writer.signHead();
    } catch (cause) {
      // The head before is not in this log: what is written to it would prove nothing.
      if (DevsError.is(cause)) this.#broken = cause;
      // Anything else, a lock say, is gone the next time.
    }
  }

  #hold(start: PreparedStart): void {
    this.#held.set(start.callId, start);
    this.#holdTimer ??= setTimeout(() => this.#writeHeld(), HOLD_MS).unref();
  }

  #takeHeld(callId: string): PreparedStart | undefined {
    const start = this.#held.get(callId);
    this.#held.delete(callId);
    return start;
  }

  /** Not awaited by anybody: of a start that cannot be written the outcome tells all. */
  #writeHeld(): void {
    clearTimeout(this.#holdTimer);
    this.#holdTimer = undefined;
    for (const start of this.#held.values()) this.#queue.add({ kind: 'start', start }, { mayWait: false, isKept: this.#mode === 'batch' }).catch(() => undefined);
    this.#held.clear();
  }

  /** Not awaited by anybody: what cannot be written is counted on. */
  #writeCounts(): void {
    clearTimeout(this.#countTimer);
    this.#countTimer = undefined;
    for (const counted of this.#floods.take()) {
      this.#queue.add({ kind: 'fact', fact: ['call.coalesced', counted] }, { mayWait: false }).catch(() => {
        if (this.#closing !== undefined) {
          this.#onProblem(`The call log could not be written until its end: ${counted.count} refusals that were counted are lost.`);
          return;
        }
        this.#floods.putBack(counted);
        this.#countTimer ??= setTimeout(() => this.#writeCounts(), COUNT_MS).unref();
      });
    }
  }

  async #write(write: PendingWrite, mayWait: boolean): Promise<AgentLogReceipt | undefined> {
    // Once the log cannot be written everybody waits for it: nothing runs that it may never hear of.
    const waits = !mayWait || this.#isFailing;
    if (waits) return this.#queue.add(write, { mayWait: false });
    const written = this.#queue.add(write, { mayWait: true, isKept: this.#mode === 'batch' });
    // Of a start that is lost in `strict` the outcome tells all; in `batch` nothing is lost but by a crash, or at the end.
    written.catch(() => undefined);
    return undefined;
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw new AgentLogError('closed');
  }
}
