import { DevsError } from '@devs/core';

/** How long what is kept. */
export interface ArchivePolicy {
  /** Inputs and outputs of records that are older than so many days are erased; 0: never. At most 36,500. */
  readonly payloadDays: number;
  /** Records that are older than so many days are exported and leave the log. At least 1; absent: none leaves. */
  readonly keepDays?: number;
  /** Where archives go. Default: `archives` beside the log; made, for its owner alone. */
  readonly folder?: string;
  /** Lets records leave though no signed head covers them; the log says so. Default false. */
  readonly unsigned?: boolean;
  /**
   * Up to this record, those that are dated later than now are no reason to do nothing: somebody has looked at them, and
   * the clock was wrong when they were written, not now. Each erasure and pruning says it. Absent: each of them is a reason.
   */
  readonly ignoreFuture?: number;
}

const MOST_DAYS = 36_500;

/** @throws DevsError `LOG_QUERY_REFUSED` for a policy that says nothing that can be done */
export function checkPolicy({ payloadDays, keepDays, ignoreFuture = 1 }: ArchivePolicy): void {
  if (!Number.isSafeInteger(ignoreFuture) || ignoreFuture < 1) throw refuse('Records have numbers from 1 on.');
  if (!isDays(payloadDays, 0)) throw refuse(`Payloads are kept for a whole number of days from 0, which is for ever, to ${MOST_DAYS}.`);
  if (keepDays === undefined) return;
  if (!isDays(keepDays, 1)) throw refuse(`Records are kept for a whole number of days from 1 to ${MOST_DAYS}.`);
  // What has left the log is not erased any more: it would keep its payload for as long as the archive lies somewhere.
  if (keepDays < payloadDays) {
    throw refuse(`Records would leave the log after ${keepDays} days with payloads that are to be erased after ${payloadDays}: keep them at least as long.`);
  }
}

function isDays(days: number, least: number): boolean {
  return Number.isSafeInteger(days) && days >= least && days <= MOST_DAYS;
}

function refuse(sentence: string): DevsError {
  return new DevsError('LOG_QUERY_REFUSED', { sentence });
}
