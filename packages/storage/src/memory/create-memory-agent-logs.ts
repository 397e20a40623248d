import type { AgentLogEntry, AgentLogIntent, AgentLogQuery, AgentLogReceipt, AgentLogRecord } from '@devs/core';
import { AgentLogError } from '../agent-log-error.ts';
import type { AgentLogs } from '../agent-logs.ts';
import { NO_LEAF } from '../chain/header.ts';
import { Salts } from '../chain/record.ts';
import { seal, type Draft } from '../chain/seal.ts';
import { checkIdPrefix, checkQuery, pickCall } from '../query.ts';
import { prepareOutcome, prepareStart, type KnownStart } from '../record/to-draft.ts';
import { toEntry, type StoredCall } from '../record/to-entry.ts';

export interface MemoryAgentLogsOptions {
  /** Most calls that are kept; beyond it the one with the oldest latest record goes. Default 1,000. */
  readonly maxCalls?: number;
}

interface KeptCall {
  readonly id: string;
  /** Undefined once it has ended. */
  readonly start: KnownStart | undefined;
  readonly stored: StoredCall;
}

/** Texts, not entries: what comes out has been through the same texts as in SQLite, and is a copy. */
class MemoryAgentLogs implements AgentLogs {
  readonly #maxCalls: number;
  /** By call id; the order of insertion is that of each call's latest record. */
  readonly #calls = new Map<string, KeptCall>();
  readonly #salts = new Salts();
  #end: AgentLogReceipt = { seq: 0, leaf: NO_LEAF };
  #closed = false;

  constructor(maxCalls: number) {
    this.#maxCalls = maxCalls;
  }

  async begin(intent: AgentLogIntent): Promise<void> {
    this.#checkOpen();
    const { callId, inputKey, draft } = prepareStart(intent);
    if (this.#calls.has(callId)) throw new AgentLogError('duplicate');
    const { stored, receipt } = this.#seal(draft);
    this.#keep({ id: callId, start: { seq: receipt.seq, inputKey }, stored });
  }

  async append(record: AgentLogRecord): Promise<AgentLogReceipt> {
    this.#checkOpen();
    const outcome = prepareOutcome(record);
    const known = this.#calls.get(outcome.callId);
    if (known !== undefined && known.start === undefined) throw new AgentLogError('duplicate');
    const { stored, receipt } = this.#seal(outcome.toDraft(known?.start));
    this.#keep({ id: outcome.callId, start: undefined, stored: { ...stored, startPayload: known?.stored.payload ?? null } });
    return receipt;
  }

  async list(query: AgentLogQuery): Promise<readonly AgentLogEntry[]> {
    this.#checkOpen();
    checkQuery(query);
    const newestFirst = [...this.#calls.values()].toReversed().map(({ stored }) => toEntry(stored));
    return newestFirst.filter((call) => matches(call, query)).slice(0, query.limit);
  }

  async get(id: string): Promise<AgentLogEntry | undefined> {
    this.#checkOpen();
    checkIdPrefix(id);
    const candidates = [...this.#calls.values()].filter((call) => call.id.startsWith(id));
    const call = pickCall(id, candidates);
    return call === undefined ? undefined : toEntry(call.stored);
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

  #seal(draft: Draft): { readonly stored: StoredCall; readonly receipt: AgentLogReceipt } {
    const { seq, leafHex: leaf, header, payload } = seal(draft, { seq: this.#end.seq + 1, prev: this.#end.leaf }, this.#salts);
    this.#end = { seq, leaf };
    return { stored: { seq, leaf, header, payload, startPayload: null }, receipt: this.#end };
  }

  #keep(call: KeptCall): void {
    this.#calls.delete(call.id);
    this.#calls.set(call.id, call);
    for (const id of this.#calls.keys()) {
      if (this.#calls.size <= this.#maxCalls) return;
      this.#calls.delete(id);
    }
  }
}

function matches(call: AgentLogEntry, query: AgentLogQuery): boolean {
  const { toolName, agentId, phaseId, epicId, status, since, until, before } = query;
  return (
    isOr(toolName, call.toolName) &&
    isOr(agentId, call.agentId) &&
    isOr(phaseId, call.phaseId) &&
    isOr(epicId, call.epicId) &&
    isOr(status, call.status) &&
    (since === undefined || call.timestamp >= since) &&
    (until === undefined || call.timestamp < until) &&
    (before === undefined || call.receipt.seq < before)
  );
}

/** Nothing is asked, or this is what is asked. */
function isOr(asked: string | undefined, value: string): boolean {
  return asked === undefined || asked === value;
}

/**
 * A log that lives and dies with the process: for an embedder's tests, and where no evidence is kept.
 * @example
 * ```ts
 * import { createMemoryAgentLogs } from '@devs/storage';
 * const logs = createMemoryAgentLogs();
 * console.log(await logs.get('no-such-call')); // undefined
 * ```
 */
export function createMemoryAgentLogs(options: MemoryAgentLogsOptions = {}): AgentLogs {
  return new MemoryAgentLogs(options.maxCalls ?? 1_000);
}
