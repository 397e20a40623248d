import type { AgentLogIntent, AgentLogReader, AgentLogRecord, AgentLogRepository } from '@devs/core';

/** Reading a log that somebody else writes. Close it: an open reader holds file locks. */
export interface OpenAgentLogReader extends AgentLogReader, AsyncDisposable {
  /** Ends it; may be called again. Later reads reject with an `AgentLogError` `closed`. */
  close(): Promise<void>;
}

/**
 * The log of calls, open for writing and reading. `begin` and `append` reject with an
 * `AgentLogError` and then nothing is stored; the next write may succeed, no restart needed.
 */
export interface AgentLogs extends AgentLogRepository, OpenAgentLogReader {
  begin(intent: AgentLogIntent): Promise<void>;
  append(record: AgentLogRecord): Promise<void>;
}
