import { leafOf, type StoredRecord } from '../chain/record.ts';
import { toErasure, toPruning, type Erasure, type Pruning } from './facts.ts';
import { isFault, readHeader, type ReadHeader } from './read-header.ts';
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
  /** Whether the source was read to its end. If not, what nothing here explains may be explained all the same. */
  readonly isComplete: boolean;
}

/** Of a log that cannot be read. */
export const NO_FACTS: CollectedFacts = { store: undefined, erasures: [], prunings: [], met: [], isComplete: false };

interface Fact {
  readonly seq: number;
  readonly leaf: string;
  readonly header: ReadHeader;
}

/** A day's erasure each day, for longer than a disk lives. */
const MOST_FACTS = 65_536;

export function isCollected(kind: string): boolean {
  return kind === 'audit.erased' || kind === 'audit.pruned';
}

/** A source that fails here fails again when its records are read, and says then where. @throws the reason of `signal` */
export async function collectFacts(source: RecordSource, findings: Findings, signal?: AbortSignal): Promise<CollectedFacts> {
  const facts = new Facts();
  try {
    for await (const batch of source.facts()) {
      signal?.throwIfAborted();
      for (const record of batch) facts.add(record);
      if (facts.size <= MOST_FACTS) continue;
      findings.add({ seq: null, code: 'limit', what: `it erased or pruned more than ${MOST_FACTS} times, which is more than can be held at once`, verdict: 'unknown' });
      break;
    }
    return facts.collected(true);
  } catch (cause) {
    if (!(cause instanceof SourceFailure)) throw cause;
    return facts.collected(false);
  }
}

class Facts {
  /** By number and leaf: parts of a log that overlap hold the same fact twice. */
  readonly #facts = new Map<string, Fact>();
  #first: Fact | undefined;

  get size(): number {
    return this.#facts.size;
  }

  add({ header: text, seq }: StoredRecord): void {
    const header = readHeader(text, seq);
    if (isFault(header) || header.sort !== 'fact') return;
    const fact = { seq, leaf: leafOf(text), header };
    if (this.#first === undefined || seq < this.#first.seq) this.#first = fact;
    if (isCollected(header.kind)) this.#facts.set(`${seq} ${fact.leaf}`, fact);
  }

  collected(isComplete: boolean): CollectedFacts {
    const facts = [...this.#facts.values()].toSorted((one, other) => one.seq - other.seq);
    const headers = (kind: string) => facts.flatMap(({ header }) => (header.kind === kind ? header : []));
    return {
      store: this.#first === undefined ? undefined : String(this.#first.header.members['store']),
      erasures: headers('audit.erased').flatMap((header) => toErasure(header) ?? []),
      prunings: headers('audit.pruned').flatMap((header) => toPruning(header) ?? []),
      met: facts.map(({ seq, leaf }) => ({ seq, leaf })),
      isComplete,
    };
  }
}
