import type Database from 'better-sqlite3';
import type { AgentLogEntry, AgentLogIntent, AgentLogQuery, AgentLogRecord } from '@devs/core';
import { AgentLogError } from '../agent-log-error.ts';
import type { AgentLogs } from '../agent-logs.ts';
import type { RecordRow } from '../record/rows.ts';
import { toOutcomeRow, toStartedRow } from '../record/to-row.ts';
import { SqliteAgentLogReader } from './agent-log-reader.ts';
import { identify, type FileIdentity } from './log-file.ts';
import { toAgentLogError } from './sqlite-failure.ts';
import { INSERT_RECORD } from './insert-record.ts';
import { whileBusy } from './while-busy.ts';

/** Writes each record in a transaction of its own; a promise that resolves means committed. */
export class SqliteAgentLogs implements AgentLogs {
  readonly #database: Database.Database;
  readonly #busyTimeoutMs: number;
  readonly #insert: Database.Statement<[RecordRow]>;
  readonly #reader: SqliteAgentLogReader;
  readonly #identity: FileIdentity;
  readonly #writes = new Set<Promise<void>>();
  #closing: Promise<void> | undefined;

  /** Takes over a connection made by `openLogDatabase`, and closes it. */
  constructor(database: Database.Database, busyTimeoutMs: number) {
    this.#database = database;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#insert = database.prepare<[RecordRow]>(INSERT_RECORD);
    this.#reader = new SqliteAgentLogReader(database, busyTimeoutMs);
    this.#identity = identify(database.name);
  }

  async begin(intent: AgentLogIntent): Promise<void> {
    await this.#write(toStartedRow(intent));
  }

  async append(record: AgentLogRecord): Promise<void> {
    await this.#write(toOutcomeRow(record));
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
    await Promise.allSettled(this.#writes);
    await this.#reader.close();
  }

  async #write(row: RecordRow): Promise<void> {
    if (this.#closing !== undefined) throw new AgentLogError('closed');
    const write = whileBusy(() => this.#insertNow(row), this.#busyTimeoutMs);
    this.#writes.add(write);
    try {
      await write;
    } catch (cause) {
      throw toAgentLogError(cause);
    } finally {
      this.#writes.delete(write);
    }
  }

  #insertNow(row: RecordRow): void {
    // A deleted file still takes writes, into nothing that anybody will read.
    if (identify(this.#database.name) !== this.#identity) throw new AgentLogError('moved');
    const { changes } = this.#insert.run(row);
    // A trigger that ignores the insert, say: SQLite calls that a success.
    if (changes !== 1) throw new AgentLogError('failed', new Error(`the insert changed ${changes} rows, not 1`));
  }
}
