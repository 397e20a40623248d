import type Database from 'better-sqlite3';
import { checkOrder } from './check-order.ts';

export interface OpenCall {
  readonly callId: string;
  readonly seq: number;
  readonly session: string;
}

const LISTED = 'SELECT call_id AS callId, seq, session FROM open_calls ORDER BY call_id';

/**
 * Calls without an outcome, in the order in which they began. Read by their keys and sorted here: SQLite would read all of
 * a list that leads in a circle before it gave the first one.
 */
export function listOpenCalls(database: Database.Database): readonly OpenCall[] {
  const calls: OpenCall[] = [];
  for (const call of database.prepare<[], OpenCall>(LISTED).iterate()) {
    checkOrder(calls.at(-1)?.callId ?? '', call.callId);
    calls.push(call);
  }
  return calls.toSorted((one, other) => one.seq - other.seq);
}
