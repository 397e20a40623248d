import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SearchProgress } from '../agent-logs.ts';
import type { LogConnection, ReadRow } from '../database/log-connection.ts';
import { documentOf } from './document.ts';
import { IndexUnfit } from './index-file.ts';
import type { IndexState, SearchIndex } from './search-index.ts';

/** Records indexed in one transaction: what is lost when a search is stopped. */
const BATCH = 2_000;

interface Batch {
  readonly documents: readonly { readonly seq: number; readonly document: string }[];
  readonly last: ReadRow | undefined;
  readonly newest: number;
  /** Something was erased that is in the index. */
  readonly hasLost: boolean;
}

/**
 * Indexes what the log has and the index has not.
 * @throws IndexUnfit when something was erased after it was indexed: its words must not be found any more
 */
export async function bringUpToDate(log: LogConnection, index: SearchIndex, onProgress: SearchProgress = () => undefined): Promise<void> {
  for (;;) {
    const state = index.readState();
    if (state === undefined) throw new IndexUnfit('is of another version');
    const batch = await log.read(() => readBatch(log, state));
    const { last } = batch;
    if (batch.hasLost) throw new IndexUnfit('holds words of records that were erased');
    if (last === undefined) return;
    index.change(() => {
      for (const { seq, document } of batch.documents) index.add(seq, document);
      index.moveTo({ seq: last.seq, leaf: leafOf(last) });
    });
    onProgress(last.seq, batch.newest);
    // Nothing above waits for anything: whoever stops the search, or is told how far it is, would have no turn until its end.
    await nextTurn();
  }
}

export function leafOf({ leaf }: ReadRow): string {
  return leaf instanceof Uint8Array ? Buffer.from(leaf).toString('hex') : '';
}

function readBatch(log: LogConnection, state: IndexState): Batch {
  const rows = log.after(state.seq, BATCH);
  const documents = rows.flatMap((row) => {
    const document = documentOf(log, row);
    return document === undefined ? [] : [{ seq: row.seq, document }];
  });
  return { documents, last: rows.at(-1), newest: log.newest(), hasLost: rows.some((row) => hasLost(row, state)) };
}

/** Whether a record says that something was erased which is in the index. Erasing deletes the index, unless it was ended in the middle. */
function hasLost({ seq, parsed }: ReadRow, { began, seq: indexed }: IndexState): boolean {
  const { kind, from } = parsed ?? {};
  if (seq <= began || (kind !== 'audit.erased' && kind !== 'audit.pruned')) return false;
  return typeof from !== 'number' || from <= indexed;
}
