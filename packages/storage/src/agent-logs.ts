import type { AgentLogEntry, AgentLogIntent, AgentLogQuery, AgentLogReader, AgentLogReceipt, AgentLogRecord, AgentLogRepository, IntentWishes } from '@devs/core';

/** A log that is open. Close it: an open one holds file locks. */
export interface OpenAgentLog extends AgentLogReader, AsyncDisposable {
  /** Ends it; may be called again. Later reads reject with an `AgentLogError` `closed`. */
  close(): Promise<void>;
}

/** One record of any kind, as it stands in the log. What it says of itself is not checked: `devs logs verify` does. */
export interface LogRecord extends AgentLogReceipt {
  /** Undefined: it is damaged. */
  readonly header: Readonly<Record<string, unknown>> | undefined;
  /** Parsed. Null: it never had one, or it is erased. */
  readonly payload: unknown;
  /** It had a payload, which is gone. */
  readonly isErased: boolean;
}

/** What was found in a call. `excerpt` is of a text of its payload, or of its tool and agent. */
export interface SearchHit {
  readonly entry: AgentLogEntry;
  readonly excerpt: Excerpt;
}

/** The first of the words that was found, and what stands around it: at most 48 characters on each side. */
export interface Excerpt {
  readonly before: string;
  readonly found: string;
  readonly after: string;
}

export interface SearchPage {
  /** Newest first. */
  readonly hits: readonly SearchHit[];
  /**
   * `before` of the next page. Undefined: there is none. A page may end before it is full, when many calls had to be
   * looked at.
   */
  readonly next: number | undefined;
}

/** `done` of `total` records are indexed. */
export type SearchProgress = (done: number, total: number) => void;

export interface StatsQuery {
  readonly toolName?: string;
  /** ISO 8601, UTC, milliseconds. When the call came: not before. */
  readonly since?: string;
  /** The same: before. */
  readonly until?: string;
}

export interface CallCounts {
  /** That came to an end, refusals included. */
  readonly calls: number;
  readonly ok: number;
  readonly errors: number;
  /** Refusals that have a record of their own. */
  readonly refusals: number;
  readonly withheld: number;
  readonly unknown: number;
}

/** Milliseconds; exact, by nearest rank, of the calls that ran and ended. Undefined: there is none. */
export interface Durations {
  readonly p50: number | undefined;
  readonly p95: number | undefined;
  readonly p99: number | undefined;
}

export interface ToolStats extends CallCounts, Durations {
  readonly toolName: string;
}

export interface CallStats {
  /** Those with the most calls, at most 100: a caller may ask for as many names as it likes. */
  readonly tools: readonly ToolStats[];
  /** How many more names were asked for. */
  readonly moreTools: number;
  /** Of all tools. */
  readonly total: CallCounts;
  /** Calls that began and have no outcome, and are in no other figure: they run, or devs ended before they did. */
  readonly notEnded: number;
  /** Refusals that have no record of their own, and are in no other figure: they came too fast, and were counted. Of no tool. */
  readonly countedRefusals: number;
}

/** Reading a log that somebody else writes. */
export interface OpenAgentLogReader extends OpenAgentLog {
  /** All records of one call, oldest first; of none, none. `id` as in `get`. */
  records(id: string): Promise<readonly LogRecord[]>;
  /**
   * Calls whose words are asked for: all of them; `word*` is the start of one, `"some words"` stand in this order. Brings
   * the index up to date first, which takes half a minute for a million records, and little from then on.
   * @throws DevsError `LOG_QUERY_REFUSED` for words that are none
   */
  search(words: string, query: AgentLogQuery, onProgress?: SearchProgress): Promise<SearchPage>;
  stats(query: StatsQuery): Promise<CallStats>;
  /** Records of any kind after a `seq`, oldest first: for asking again and again. Costs next to nothing while nothing is new. */
  tail(after: number, limit: number): Promise<readonly LogRecord[]>;
  /** `seq` of the newest record; 0 when there is none. */
  newest(): Promise<number>;
}

/**
 * The log of calls, open for writing and reading. `begin` and `append` reject with an
 * `AgentLogError` and then nothing is stored; the next write may succeed, no restart needed.
 */
export interface AgentLogs extends AgentLogRepository, OpenAgentLog {
  begin(intent: AgentLogIntent, wishes?: IntentWishes): Promise<void>;
  append(record: AgentLogRecord): Promise<AgentLogReceipt | undefined>;
}
