import { sql } from 'kysely';
import { NO_LEAF } from '../chain/header.ts';
import { parseObject } from '../record/to-entry.ts';
import type { LogConnection } from '../database/log-connection.ts';
import { compile } from '../database/queries.ts';
import { leafOf } from './bring-up-to-date.ts';
import type { IndexState, SearchIndex } from './search-index.ts';

/** What an index of this log says that has nothing in it yet. */
export function stateOf(log: LogConnection): IndexState {
  const facts = compile(sql<{ header: unknown }>`SELECT header FROM records INDEXED BY records_facts WHERE call_id IS NULL AND kind >= '' LIMIT 1`);
  const store = parseObject(log.all(facts)[0]?.header)?.['store'];
  return { store: typeof store === 'string' ? store : '', began: log.newest(), seq: 0, leaf: NO_LEAF };
}

/**
 * Whether an index is one of this log: made of the same store by the same rules, and the record up to which it goes is
 * still the same, hence all before it.
 */
export function fitsLog(log: LogConnection, index: SearchIndex): boolean {
  const state = index.readState();
  if (state === undefined || state.store !== stateOf(log).store) return false;
  if (state.seq === 0) return true;
  const last = log.get(state.seq);
  return last !== undefined && leafOf(last) === state.leaf;
}
