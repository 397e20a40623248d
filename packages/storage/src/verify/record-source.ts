import type { StoredRecord } from '../chain/record.ts';
import type { Pruning } from './facts.ts';
import type { Problem } from './report.ts';

/** Records in the order of the log, some at a time. */
export type Batches = AsyncIterable<readonly StoredRecord[]>;

export interface RecordRange {
  /** The first `seq`. */
  readonly from?: number;
  /** The last `seq`. */
  readonly upTo?: number;
}

/** A way of reading a log twice, in bounded memory. Reading throws `SourceFailure` where it cannot go on. */
export interface RecordSource extends AsyncDisposable {
  /** Path of the export that it reads. */
  readonly file: string | undefined;
  /** Whether it ends where the log ends: what no record in it explains, none explains. A file may be a part. */
  readonly isWhole: boolean;
  /** Whether the records before its first one, which were pruned, may be in it all the same. */
  readonly hasPruned: boolean;
  /** What keeps its records from being read at all; asked first. */
  faults(): AsyncIterable<Problem>;
  /** At least the records of the kinds `audit.erased` and `audit.pruned`, in order; and one fact where there is any, to say which log it is. */
  facts(): Batches;
  records(range?: RecordRange): Batches;
  /** What lies beside the records and must agree with them; asked after they were read. */
  surroundings(facts: SurroundingFacts): AsyncIterable<Problem>;
  /** How far the reading is, in any unit. */
  progress(): { readonly done: number; readonly total: number };
}

/** What the records say that is written down elsewhere too. */
export interface SurroundingFacts {
  /** What left the log. */
  readonly prunings: readonly Pruning[];
  /** The `seq` of each call that began and has no outcome. */
  readonly openCalls: ReadonlyMap<string, number>;
  /** Whether that is all of them. */
  readonly isExact: boolean;
  /** Whether the records were read to their end. */
  readonly isRead: boolean;
  /** Ends what takes long. */
  readonly signal: AbortSignal | undefined;
}

/** Reading ended early. */
export class SourceFailure extends Error {
  readonly problem: Omit<Problem, 'seq'> & { readonly seq?: number | null };

  constructor(problem: SourceFailure['problem'], cause?: unknown) {
    super(problem.what, { cause });
    this.name = 'SourceFailure';
    this.problem = problem;
  }
}

/** In UTF-16 units or bytes, and records: what is held at once while reading. */
export const BATCH_SIZE = 1_048_576;
export const BATCH_RECORDS = 1_024;
