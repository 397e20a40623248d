import type Database from 'better-sqlite3';
import type { AgentLogEntry, AgentLogQuery } from '@devs/core';
import type { CompiledQuery } from 'kysely';
import { AgentLogError } from '../agent-log-error.ts';
import type { OpenAgentLogReader } from '../agent-logs.ts';
import { checkIdPrefix, checkQuery, pickCall } from '../query.ts';
import type { CallRow } from '../record/rows.ts';
import { toEntry } from '../record/to-entry.ts';
import { toAgentLogError } from './sqlite-failure.ts';
import { whileBusy } from './while-busy.ts';

/**
 * Reads through the view `agent_logs`, on a connection that it owns. What builds the queries is loaded
 * by the first question: a server that starts, and asks none, does not pay for it.
 */
export class SqliteAgentLogReader implements OpenAgentLogReader {
  readonly #database: Database.Database;
  readonly #busyTimeoutMs: number;

  constructor(database: Database.Database, busyTimeoutMs: number) {
    this.#database = database;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  async list(query: AgentLogQuery): Promise<readonly AgentLogEntry[]> {
    checkQuery(query);
    const { listCalls } = await import('./queries.ts');
    const rows = await this.#read(listCalls(query));
    return rows.map(toEntry);
  }

  async get(id: string): Promise<AgentLogEntry | undefined> {
    checkIdPrefix(id);
    const { findCalls } = await import('./queries.ts');
    const row = pickCall(id, await this.#read(findCalls(id)));
    return row === undefined ? undefined : toEntry(row);
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #read(query: CompiledQuery<CallRow>): Promise<readonly CallRow[]> {
    try {
      return await whileBusy(() => this.#readNow(query), this.#busyTimeoutMs);
    } catch (cause) {
      throw toAgentLogError(cause);
    }
  }

  #readNow(query: CompiledQuery<CallRow>): readonly CallRow[] {
    if (!this.#database.open) throw new AgentLogError('closed');
    return this.#database.prepare<unknown[], CallRow>(query.sql).all(...query.parameters);
  }
}
