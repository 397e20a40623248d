import fs from 'node:fs';
import type Database from 'better-sqlite3';
import type { AgentLogEntry, AgentLogQuery } from '@devs/core';
import { AgentLogError } from '../agent-log-error.ts';
import type { CallStats, LogRecord, OpenAgentLogReader, SearchPage, SearchProgress, StatsQuery } from '../agent-logs.ts';
import { checkIdPrefix, checkLimit, checkQuery, checkTimes, pickCall } from '../query.ts';
import { parseObject, toEntry, UNREADABLE } from '../record/to-entry.ts';
import { hexOf, LogConnection, type ReadRow } from '../database/log-connection.ts';
import type { FoundCall } from '../database/queries.ts';

/**
 * Reads the chain on a connection that it owns. What builds the queries is loaded by the first question: a server that
 * starts, and asks none, does not pay for it.
 */
export class SqliteAgentLogReader implements OpenAgentLogReader {
  readonly #log: LogConnection;
  readonly #file: string;
  readonly #inode: string;
  /** What the last `tail` has seen: while nothing is written, nothing is looked for. */
  #seen = { version: -1, after: -1 };

  /** @param file the log, where it is one: the search index lies beside it */
  constructor(database: Database.Database, busyTimeoutMs: number, file = database.name) {
    this.#log = new LogConnection(database, busyTimeoutMs);
    this.#file = file;
    this.#inode = inodeOf(file);
  }

  async list(query: AgentLogQuery): Promise<readonly AgentLogEntry[]> {
    checkQuery(query);
    const { listCalls } = await import('../database/list-calls.ts');
    return this.#log.read((log) => listCalls(log, query).map((row) => toEntry(log.toCall(row))));
  }

  async get(id: string): Promise<AgentLogEntry | undefined> {
    return this.#withCall(id, (log, call) => {
      const row = log.get(call.seq);
      // Of a damaged record the index still knows which call it was.
      return row === undefined ? undefined : { ...toEntry(log.toCall(row)), id: call.id };
    });
  }

  async records(id: string): Promise<readonly LogRecord[]> {
    const { findRecordsOf } = await import('../database/queries.ts');
    const records = await this.#withCall(id, (log, call) => {
      const seqs = findRecordsOf(call.id).flatMap((query) => log.all(query));
      return seqs.map(({ seq }) => log.get(seq)).filter((row) => row !== undefined);
    });
    return (records ?? []).toSorted((a, b) => a.seq - b.seq).map(toLogRecord);
  }

  async search(words: string, query: AgentLogQuery, onProgress?: SearchProgress): Promise<SearchPage> {
    checkQuery(query);
    const { searchCalls } = await import('../search/search-calls.ts');
    return searchCalls({ log: this.#log, file: this.#file, onProgress }, words, query);
  }

  async stats(query: StatsQuery): Promise<CallStats> {
    checkTimes(query);
    const { countCalls } = await import('../stats/count-calls.ts');
    return this.#log.read((log) => countCalls(log, query));
  }

  async tail(after: number, limit: number): Promise<readonly LogRecord[]> {
    checkLimit(limit);
    // Who follows a log that was moved away would wait for ever.
    if (inodeOf(this.#file) !== this.#inode) throw new AgentLogError('moved');
    return this.#log.read((log) => {
      const version = log.version();
      if (version === this.#seen.version && after === this.#seen.after) return [];
      const rows = log.after(after, limit);
      // Behind a page there may be more, however short it is: it ends where its records are large.
      if (rows.length === 0) this.#seen = { version, after };
      return rows.map(toLogRecord);
    });
  }

  async newest(): Promise<number> {
    return this.#log.read((log) => log.newest());
  }

  async close(): Promise<void> {
    this.#log.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #withCall<Answer>(id: string, answer: (log: LogConnection, call: FoundCall) => Answer): Promise<Answer | undefined> {
    checkIdPrefix(id);
    const { findCalls } = await import('../database/queries.ts');
    return this.#log.read((log) => {
      // The outcome of a call before its start: a map keeps the first of a key.
      const found = findCalls(id).flatMap((query) => log.all(query));
      const byId = new Map(found.toReversed().map((call) => [call.id, call]));
      const call = pickCall(id, [...byId.values()]);
      return call === undefined ? undefined : answer(log, call);
    });
  }
}

/** Of whatever has the name of the log now. */
function inodeOf(file: string): string {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false });
  return stats === undefined ? 'none' : `${stats.dev}:${stats.ino}`;
}

function toLogRecord({ seq, leaf, parsed, payload }: ReadRow): LogRecord {
  const isErased = payload === null && typeof parsed?.['payload'] === 'string';
  return { seq, leaf: hexOf(leaf), header: parsed, payload: payload === null ? null : (parseObject(payload) ?? UNREADABLE), isErased };
}
