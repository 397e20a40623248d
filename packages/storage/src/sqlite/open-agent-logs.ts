import type { OpenAgentLogReader } from '../agent-logs.ts';
import { SqliteAgentLogReader } from './agent-log-reader.ts';
import { openLogDatabase, type Durability } from './open-database.ts';
import { openReadOnly } from './open-read-only.ts';
import { SqliteAgentLogs } from './sqlite-agent-logs.ts';

export interface SqliteAgentLogsOptions {
  /** Path of the log; its folder exists. Made with mode 0600 when it is not there. */
  readonly file: string;
  /** Default `power`. */
  readonly durability?: Durability;
  /** Milliseconds that a write waits for another process's lock; 0 fails at once. Default 2,000. */
  readonly busyTimeoutMs?: number;
}

export interface SqliteAgentLogReaderOptions {
  readonly file: string;
  /** Milliseconds. Default 2,000. */
  readonly busyTimeoutMs?: number;
}

const BUSY_TIMEOUT_MS = 2_000;

/**
 * Opens the log for writing. Several processes may have one file open.
 * @throws DevsError `STATE_UNUSABLE` when it cannot be used, with what to do
 */
export function openSqliteAgentLogs(options: SqliteAgentLogsOptions): SqliteAgentLogs {
  const { file, durability = 'power', busyTimeoutMs = BUSY_TIMEOUT_MS } = options;
  return new SqliteAgentLogs(openLogDatabase({ file, durability, busyTimeoutMs }), busyTimeoutMs);
}

/**
 * Opens the log for reading only, also while a server writes it. In a folder that cannot be written
 * and where no server has it open it reads the file as it is at this moment.
 * @throws DevsError `LOG_NOT_FOUND` when there is none yet, `STATE_UNUSABLE` when it cannot be read
 */
export function openSqliteAgentLogReader(options: SqliteAgentLogReaderOptions): OpenAgentLogReader {
  const { file, busyTimeoutMs = BUSY_TIMEOUT_MS } = options;
  return new SqliteAgentLogReader(openReadOnly(file, busyTimeoutMs), busyTimeoutMs);
}
