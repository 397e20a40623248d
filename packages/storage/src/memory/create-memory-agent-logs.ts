import type { AgentLogEntry, AgentLogIntent, AgentLogQuery, AgentLogRecord } from '@devs/core';
import { AgentLogError } from '../agent-log-error.ts';
import type { AgentLogs } from '../agent-logs.ts';
import { checkIdPrefix, checkQuery, pickCall } from '../query.ts';
import type { CallRow, RecordRow } from '../record/rows.ts';
import { toEntry } from '../record/to-entry.ts';
import { toOutcomeRow, toStartedRow } from '../record/to-row.ts';

export interface MemoryAgentLogsOptions {
  /** Most calls that are kept; beyond it the one with the oldest latest record goes. Default 1,000. */
  readonly maxCalls?: number;
}

function matches(call: CallRow, query: AgentLogQuery): boolean {
  return (
    (query.toolName === undefined || call.tool_name === query.toolName) &&
    (query.agentId === undefined || call.agent_id === query.agentId) &&
    (query.status === undefined || call.status === query.status)
  );
}

/** Rows, not entries: what comes out has been through the same texts as in SQLite, and is a copy. */
class MemoryAgentLogs implements AgentLogs {
  readonly #maxCalls: number;
  /** By call id; the order of insertion is that of each call's latest record. */
  readonly #calls = new Map<string, CallRow>();
  #seq = 0;
  #closed = false;

  constructor(maxCalls: number) {
    this.#maxCalls = maxCalls;
  }

  async begin(intent: AgentLogIntent): Promise<void> {
    this.#insert(toStartedRow(intent));
  }

  async append(record: AgentLogRecord): Promise<void> {
    this.#insert(toOutcomeRow(record));
  }

  async list(query: AgentLogQuery): Promise<readonly AgentLogEntry[]> {
    this.#checkOpen();
    checkQuery(query);
    const newestFirst = [...this.#calls.values()].toReversed();
    return newestFirst.filter((call) => matches(call, query)).slice(0, query.limit).map(toEntry);
  }

  async get(id: string): Promise<AgentLogEntry | undefined> {
    this.#checkOpen();
    checkIdPrefix(id);
    const candidates = [...this.#calls.values()].filter((call) => call.id.startsWith(id));
    const call = pickCall(id, candidates);
    return call === undefined ? undefined : toEntry(call);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#calls.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #checkOpen(): void {
    if (this.#closed) throw new AgentLogError('closed');
  }

  #insert(row: RecordRow): void {
    this.#checkOpen();
    const known = this.#calls.get(row.call_id);
    if (known !== undefined && (row.kind === 'started' || known.status !== 'started')) {
      throw new AgentLogError('duplicate');
    }
    this.#seq += 1;
    this.#calls.delete(row.call_id);
    this.#calls.set(row.call_id, { ...row, id: row.call_id, seq: this.#seq });
    this.#dropOldest();
  }

  #dropOldest(): void {
    for (const id of this.#calls.keys()) {
      if (this.#calls.size <= this.#maxCalls) return;
      this.#calls.delete(id);
    }
  }
}

/** A log that lives and dies with the process: for an embedder's tests, and where no evidence is kept. */
export function createMemoryAgentLogs(options: MemoryAgentLogsOptions = {}): AgentLogs {
  return new MemoryAgentLogs(options.maxCalls ?? 1_000);
}
