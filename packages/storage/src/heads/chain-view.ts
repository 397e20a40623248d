import type { SignedHead } from './signed-head.ts';

/** A record's place in the chain. */
export interface Position {
  readonly seq: number;
  /** Hash of its header, 64 hexadecimal digits; it depends on all records before. */
  readonly leaf: string;
}

/**
 * The chain of one log as its writer sees it. All of it is asked while the writer holds the lock of the log, or
 * before it has written anything.
 */
export interface ChainView {
  /** Which log this is, 32 hexadecimal digits. Undefined of a log without a record. */
  readonly store: string | undefined;
  /** The last record that is committed: what could still be rolled back must never be signed. Undefined when there is none. */
  last(): Position | undefined;
  /** Leaf of a record; of the last one that was pruned, what the first one names as `prev`. Undefined when there is none. */
  leafAt(seq: number): string | undefined;
  /** What the log itself says was signed, the newest first; none of it is verified. */
  carried(): Iterable<SignedHead>;
  /** Once it returns, what `last` says survives a power cut: else a remembered head could be ahead of an honest log. */
  flush(): void;
}
