import { isRecord } from '@devs/core';
import type { Position } from '../heads/chain-view.ts';
import { isSeq } from '../heads/signed-head.ts';
import { isLeaf, type ReadHeader } from './read-header.ts';

/** Somebody said yes to a log that was not the remembered one. */
export interface Adoption {
  /** Of the record that says so. */
  readonly seq: number;
  /** The last head of the other branch. Null where it was not known. */
  readonly from: Position | null;
}

/** Far more restores than any log has seen; whoever writes a log for verify to read must not fill the memory. */
const MOST_ADOPTIONS = 1_024;

/** Which branches the log itself says that it gave up. */
export class Adoptions {
  readonly #met: Adoption[] = [];

  get met(): readonly Adoption[] {
    return this.#met;
  }

  take(seq: number, { kind, members }: Pick<ReadHeader, 'kind' | 'members'>): void {
    if (kind !== 'audit.adopted' || this.#met.length >= MOST_ADOPTIONS) return;
    this.#met.push({ seq, from: toPosition(members['from']) });
  }

  /**
   * The one that gave up the branch which had this record, of those that were met: the record is one behind it, or the one
   * right before it, with which the adopting session began. A third branch, at the same record, is not it.
   */
  givingUp({ seq, leaf }: Position): Adoption | undefined {
    return this.#met.find(({ from }) => from !== null && (seq < from.seq || (seq === from.seq && leaf === from.leaf)));
  }
}

function toPosition(value: unknown): Position | null {
  if (!isRecord(value)) return null;
  const { seq, leaf } = value;
  return isSeq(seq) && isLeaf(leaf) ? { seq, leaf } : null;
}
