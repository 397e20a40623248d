import { DevsError } from '@devs/core';
import type { Position } from '../heads/chain-view.ts';
import type { HeadKeeper } from '../heads/head-keeper.ts';
import { NO_RECORDS } from './chain-transaction.ts';
import { ChainWriter } from './chain-writer.ts';
import { openLogDatabase, toUnusable, type Durability } from './open-database.ts';

export interface AdoptSqliteAgentLogsOptions {
  readonly file: string;
  readonly durability?: Durability;
  /** Milliseconds. Default 2,000. */
  readonly busyTimeoutMs?: number;
  readonly version?: string;
  readonly heads: HeadKeeper;
  /** What the person has looked at: `seq` of the last record; 0 of a log without one. */
  readonly expected: { readonly seq: number };
}

/** What was given up, and the record behind which that is said. `from` is null where it is not known. */
export interface Adoption {
  readonly from: Position | null;
  readonly at: Position;
}

const BUSY_TIMEOUT_MS = 2_000;

/**
 * Takes a log for the true one though it is not the one that is remembered: a backup that was put back. Says so in the
 * log, signs it, and keeps what was remembered beside.
 * @throws DevsError `LOG_QUERY_REFUSED` when there is nothing to adopt or the log is not what was looked at; `STATE_UNUSABLE`
 */
export async function adoptSqliteAgentLogs(options: AdoptSqliteAgentLogsOptions): Promise<Adoption> {
  const { file, durability = 'power', busyTimeoutMs = BUSY_TIMEOUT_MS, version = '', heads } = options;
  const database = openLogDatabase({ file, durability, busyTimeoutMs });
  try {
    const opening = { version, mode: 'strict', durability };
    using writer = new ChainWriter(database, { opening, now: () => new Date().toISOString(), heads });
    try {
      const adoption = adopt(writer, options);
      heads.setAside(writer.chain);
      writer.signHead();
      return adoption;
    } finally {
      writer.close();
      await heads.settle();
    }
  } catch (cause) {
    throw toUnusable(file, cause);
  } finally {
    database.close();
  }
}

function adopt(writer: ChainWriter, { heads, expected }: AdoptSqliteAgentLogsOptions): Adoption {
  let adoption: Adoption | undefined;
  writer.writeFacts((before) => {
    const problem = heads.examine(writer.chain);
    if (problem === undefined) throw refuse('This is the log that is remembered: there is nothing to adopt.');
    if (before.seq !== expected.seq) throw refuse(`The log ends at record ${before.seq} and not at ${expected.seq}, as it did when it was looked at.`);
    adoption = { from: problem.from, at: writer.chain.last() ?? NO_RECORDS };
    return [['audit.adopted', adoption]];
  });
  if (adoption === undefined) throw new Error('the transaction was not made');
  return adoption;
}

function refuse(sentence: string): DevsError {
  return new DevsError('LOG_QUERY_REFUSED', { sentence });
}
