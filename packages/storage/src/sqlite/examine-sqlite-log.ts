import type Database from 'better-sqlite3';
import { DevsError, isRecord } from '@devs/core';
import { NO_LEAF } from '../chain/header.ts';
import { leafOf } from '../chain/record.ts';
import type { ChainView, Position } from '../heads/chain-view.ts';
import type { HeadProblem } from '../heads/examine.ts';
import type { HeadKeeper } from '../heads/head-keeper.ts';
import { isHex, parseJson } from '../heads/signed-head.ts';
import { carriedHeads } from './carried-heads.ts';
import { openReadOnly, toUnusable } from './open-read-only.ts';

export interface ExamineSqliteLogOptions {
  readonly file: string;
  readonly heads: HeadKeeper;
  /** Milliseconds. Default 2,000. */
  readonly busyTimeoutMs?: number;
}

/** How a log stands to what is remembered of it. */
export interface LogStanding {
  /** The last record; `seq` 0 when there is no log, or none in it. */
  readonly at: Position;
  /** Undefined when it is the one that is remembered, or nothing is. */
  readonly problem: HeadProblem | undefined;
}

const BUSY_TIMEOUT_MS = 2_000;
const NO_LOG: ChainView = { store: undefined, last: () => undefined, leafAt: () => undefined, carried: () => [], flush: () => undefined };

/** Looks at a log without writing to it, and without refusing it. @throws DevsError `STATE_UNUSABLE` when it cannot be read */
export function examineSqliteLog({ file, heads, busyTimeoutMs = BUSY_TIMEOUT_MS }: ExamineSqliteLogOptions): LogStanding {
  const database = openIfThere(file, busyTimeoutMs);
  if (database === undefined) return toStanding(NO_LOG, heads);
  try {
    return toStanding(viewOf(database), heads);
  } catch (cause) {
    throw toUnusable(file, cause);
  } finally {
    database.close();
  }
}

function openIfThere(file: string, busyTimeoutMs: number): Database.Database | undefined {
  try {
    return openReadOnly(file, busyTimeoutMs);
  } catch (cause) {
    if (DevsError.is(cause) && cause.code === 'LOG_NOT_FOUND') return undefined;
    throw cause;
  }
}

function toStanding(chain: ChainView, heads: HeadKeeper): LogStanding {
  return { at: chain.last() ?? { seq: 0, leaf: NO_LEAF }, problem: heads.examine(chain) };
}

function viewOf(database: Database.Database): ChainView {
  const headerAt = database.prepare<[number], string>('SELECT header FROM records WHERE seq = ?').pluck();
  const lastSeq = database.prepare<[], number | null>('SELECT max(seq) FROM records').pluck();
  const opening = database.prepare<[], string>("SELECT header FROM records WHERE call_id IS NULL AND kind = 'audit.opened' ORDER BY seq DESC LIMIT 1").pluck();
  const leafAt = (seq: number): string | undefined => {
    const header = headerAt.get(seq);
    if (header !== undefined) return leafOf(header);
    // Pruned: the next one, if it is the first, names it.
    const next = parseJson(headerAt.get(seq + 1) ?? '');
    const prev = isRecord(next) ? next['prev'] : undefined;
    return isHex(prev, 64) ? prev : undefined;
  };
  return {
    get store() {
      const fact = parseJson(opening.get() ?? '');
      return isRecord(fact) && isHex(fact['store'], 32) ? fact['store'] : undefined;
    },
    last: () => {
      const seq = lastSeq.get() ?? 0;
      const leaf = seq === 0 ? undefined : leafAt(seq);
      return leaf === undefined ? undefined : { seq, leaf };
    },
    leafAt,
    carried: () => carriedHeads(database),
    flush: () => undefined,
  };
}
