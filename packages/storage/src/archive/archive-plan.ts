/** A record's place, and when it says that it was written. */
export interface PlaceInTime {
  readonly seq: number;
  readonly timestamp: string;
}

/** Records of the log, one after the other. */
export interface RecordSpan {
  readonly from: number;
  readonly upTo: number;
  /** In bytes, of what is taken away: payloads, or whole records. */
  readonly bytes: number;
}

/** Payloads that are erased in one transaction. */
export interface ErasureSpan extends RecordSpan {
  readonly payloads: number;
}

/** Records that leave the log in one transaction, for one archive. */
export interface PruningSpan extends RecordSpan {
  readonly records: number;
}

export interface ErasurePlan {
  /** ISO 8601: of records before it. Null: nothing is to be erased, ever. */
  readonly before: string | null;
  readonly payloads: number;
  readonly bytes: number;
  readonly from: PlaceInTime | null;
  readonly upTo: PlaceInTime | null;
  /** Payloads that are old enough, and stay: of calls that have not ended or ended later, or of a record whose time cannot be read. */
  readonly held: number;
  readonly spans: readonly ErasureSpan[];
}

export interface PruningPlan {
  /** ISO 8601: records before it. Null: none is to leave, ever. */
  readonly before: string | null;
  readonly records: number;
  readonly bytes: number;
  readonly from: PlaceInTime | null;
  readonly upTo: PlaceInTime | null;
  /** Old enough, and stays with all after it: the start of a call that has not ended, or ended later. Null: nothing does. */
  readonly heldAt: number | null;
  /** Stays with all after it, though those are old enough: dated in the future, with a payload that nothing erases. Null: nothing does. */
  readonly misdatedAt: number | null;
  readonly archives: readonly PlannedArchive[];
  /** Why no record may leave: a sentence. Null: nothing forbids it. */
  readonly forbidden: string | null;
}

export interface PlannedArchive extends PruningSpan {
  /** Its name, in `ArchivePlan.folder`. */
  readonly file: string;
}

/** Records that are dated later than now, and left out because somebody has looked at them. */
export interface MisdatedRecords {
  readonly records: number;
  /** That they have: these stay. */
  readonly payloads: number;
  /** The first of them, and the last. */
  readonly from: number;
  readonly upTo: number;
}

/** What would be done, and what forbids it. */
export interface ArchivePlan {
  /** ISO 8601: when it was made. */
  readonly now: string;
  /** Absolute: where archives go. */
  readonly folder: string;
  /** That are in the log. */
  readonly records: number;
  /** Null: none. */
  readonly misdated: MisdatedRecords | null;
  readonly erasure: ErasurePlan;
  readonly pruning: PruningPlan;
  /** Why nothing at all may be done: a sentence. Null: nothing forbids it. */
  readonly forbidden: string | null;
}

/** What `run` has done. */
export interface ArchiveReport {
  readonly plan: ArchivePlan;
  /** Payloads. */
  readonly erased: number;
  readonly archives: readonly WrittenArchive[];
  /** Why less was done than planned: a sentence each. Nothing is lost by any of them. */
  readonly problems: readonly string[];
  /** It was told to stop, and did before all was done. What was done is whole. */
  readonly isStopped: boolean;
  /**
   * Nothing of what was erased is in the journal beside the log any more. False: somebody reads the log just now, and a
   * later run empties it.
   */
  readonly isJournalEmpty: boolean;
}

export interface WrittenArchive extends PlannedArchive {
  /** Of the compressed file: 64 hexadecimal digits. */
  readonly sha256: string;
  /** Of the compressed file. */
  readonly size: number;
}

/** What has just been done; `exported` to `pruned` of one archive each. */
export type ArchiveStep = 'planned' | 'erased' | 'exported' | 'checked' | 'placed' | 'pruned' | 'emptied';
