import { leafOf, type StoredRecord } from '../chain/record.ts';
import { toErasure, toPruning, type Erasure, type Pruning } from './facts.ts';
import { isFault, readHeader } from './read-header.ts';
import { SourceFailure, type RecordSource } from './record-source.ts';
import type { Findings } from './report.ts';

/** What the log says of its own erasures and prunings, read before the records that it is about. */
export interface CollectedFacts {
  /** Which log it is, by the first of its facts; undefined of a log without one. */
  readonly store: string | undefined;
  readonly erasures: readonly Erasure[];
  readonly prunings: readonly Pruning[];
  /** `seq` and leaf of each, in order: the second reading must meet the same. */
  readonly met: readonly { readonly seq: number; readonly leaf: string }[];
}

/** A day's erasure each day, for longer than a disk lives. */
const MOST_FACTS = 65_536;

export function isCollected(kind: string): boolean {
  return kind === 'audit.erased' || kind === 'audit.pruned';
}

/** A source that fails here fails again when its records are read, and says then where. */
export async function collectFacts(source: RecordSource, findings: Findings): Promise<CollectedFacts> {
  const facts: Collecting = { store: undefined, erasures: [], prunings: [], met: [] };
  try {
    for await (const batch of source.facts()) {
      for (const record of batch) collect(record, facts);
      if (facts.met.length <= MOST_FACTS) continue;
      findings.add({ seq: null, code: 'limit', what: `it erased or pruned more than ${MOST_FACTS} times, which is more than can be held at once`, verdict: 'unknown' });
      break;
    }
  } catch (cause) {
    if (!(cause instanceof SourceFailure)) throw cause;
  }
  return facts;
}

interface Collecting {
  store: string | undefined;
  readonly erasures: Erasure[];
  readonly prunings: Pruning[];
  readonly met: CollectedFacts['met'][number][];
}

function collect({ header: text, seq }: StoredRecord, facts: Collecting): void {
  const header = readHeader(text, seq);
  if (isFault(header) || header.sort !== 'fact') return;
  facts.store ??= String(header.members['store']);
  if (!isCollected(header.kind)) return;
  facts.met.push({ seq, leaf: leafOf(text) });
  const erasure = header.kind === 'audit.erased' ? toErasure(header) : undefined;
  const pruning = header.kind === 'audit.pruned' ? toPruning(header) : undefined;
  if (erasure !== undefined) facts.erasures.push(erasure);
  if (pruning !== undefined) facts.prunings.push(pruning);
}
