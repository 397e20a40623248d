import path from 'node:path';
import type { OpenAgentLogReader } from '../agent-logs.ts';
import type { HeadKeeper } from '../heads/head-keeper.ts';
import { SqliteAgentLogReader } from './agent-log-reader.ts';
import { ChainWriter } from './chain-writer.ts';
import { openLogDatabase, toUnusable, type Durability } from './open-database.ts';
import { freePageBytes, LogRoom, measureLog, NO_LIMITS, type LogLimits } from './log-room.ts';
import { openReadOnly } from './open-read-only.ts';
import { SqliteAgentLogs, type LogMode } from './sqlite-agent-logs.ts';
import { whileBusyBlocking } from '../database/while-busy.ts';

export interface SqliteAgentLogsOptions {
  /** Path of the log; its folder exists. Made with mode 0600 when it is not there. */
  readonly file: string;
  /** Default `power`. */
  readonly durability?: Durability;
  /** Default `strict`. */
  readonly mode?: LogMode;
  /** Milliseconds that a write waits for another process's lock; 0 fails at once. Default 2,000. */
  readonly busyTimeoutMs?: number;
  /** Of whoever writes, for the record that opens a session. Default empty. */
  readonly version?: string;
  /** Names of the parts of the gate that its embedder has replaced, for the same record. Default none. */
  readonly replaced?: readonly string[];
  /** The wall clock: ISO 8601, UTC, milliseconds. */
  readonly now?: () => string;
  /** Signs where the log stands, and refuses one that is not the one it remembers. Absent: nobody does. */
  readonly heads?: HeadKeeper;
  /** Told, in a sentence for an operator, what no caller can be told: that something is lost at the close. */
  readonly onProblem?: (sentence: string) => void;
  /** Beyond them new calls and refusals are not taken on. Default: none. */
  readonly limits?: LogLimits;
}

export interface SqliteAgentLogReaderOptions {
  readonly file: string;
  /** Milliseconds. Default 2,000. */
  readonly busyTimeoutMs?: number;
}

const BUSY_TIMEOUT_MS = 2_000;

/**
 * Opens the log for writing, and says of calls that nobody runs any more that their outcome is unknown. Several
 * processes may have one file open.
 * @throws DevsError `STATE_UNUSABLE` when it cannot be used, with what to do
 */
export function openSqliteAgentLogs(options: SqliteAgentLogsOptions): SqliteAgentLogs {
  const { file, durability = 'power', mode = 'strict', busyTimeoutMs = BUSY_TIMEOUT_MS, version = '' } = options;
  const { now = () => new Date().toISOString(), heads, onProblem, replaced = [], limits = NO_LIMITS } = options;
  const opening = { version, mode, durability, ...(replaced.length > 0 && { replaced }) };
  const database = openLogDatabase({ file, durability, busyTimeoutMs });
  let writer: ChainWriter | undefined;
  try {
    const made = new ChainWriter(database, { opening, now, heads });
    writer = made;
    heads?.check(made.chain);
    whileBusyBlocking(() => made.recover(), busyTimeoutMs);
    const room = new LogRoom({ limits, measure: () => measureLog(database.name, freePageBytes(database)), now: () => performance.now() });
    return new SqliteAgentLogs({ database, writer: made, mode, busyTimeoutMs, heads, onProblem, room });
  } catch (cause) {
    writer?.[Symbol.dispose]();
    database.close();
    throw toUnusable(file, cause);
  }
}

/**
 * Opens the log for reading only, also while a server writes it. In a folder that cannot be written
 * and where no server has it open it reads the file as it is at this moment.
 * @throws DevsError `LOG_NOT_FOUND` when there is none yet, `STATE_UNUSABLE` when it cannot be read
 */
export function openSqliteAgentLogReader(options: SqliteAgentLogReaderOptions): OpenAgentLogReader {
  const { file, busyTimeoutMs = BUSY_TIMEOUT_MS } = options;
  return new SqliteAgentLogReader(openReadOnly(file, busyTimeoutMs), busyTimeoutMs, path.resolve(file));
}
