import { isRecord } from '@devs/core';
import { isSeq, toSignedHead, type SignedHead } from '../heads/signed-head.ts';
import { isLeaf, type ReadHeader } from './read-header.ts';

/** Payloads with `from` <= seq <= `upTo` of records before `before` were erased. */
export interface Erasure {
  readonly seq: number;
  readonly from: number;
  readonly upTo: number;
  readonly before: string;
  readonly days: number;
  readonly count: number;
}

/** Records up to `upTo`, which had `leaf`, left the log. */
export interface Pruning {
  readonly seq: number;
  readonly upTo: number;
  readonly leaf: string;
  readonly records: number;
  readonly archive: { readonly file: string; readonly sha256: string; readonly bytes: number };
  /** Of the log before they left it; null where it was not to be signed. */
  readonly head: SignedHead | null;
}

const DAY_MS = 86_400_000;
const MOST_DAYS = 36_500;

/** Undefined: it does not have the form, or says what cannot be. */
export function toErasure({ members }: Pick<ReadHeader, 'members'>): Erasure | undefined {
  const { seq, from, upTo, before, days, count } = members;
  if (!isSeq(seq) || !isSeq(from) || !isSeq(upTo) || from > upTo || upTo >= seq) return undefined;
  if (!isCount(days) || days > MOST_DAYS || !isCount(count) || typeof before !== 'string') return undefined;
  return { seq, from, upTo, before, days, count };
}

/** Whether all that it erased was as old as it says. */
export function isOldEnough({ before, days }: Erasure, timestamp: string): boolean {
  const limit = toTime(before);
  const written = toTime(timestamp);
  return limit !== undefined && written !== undefined && limit <= written - days * DAY_MS;
}

export function toPruning({ members }: Pick<ReadHeader, 'members'>): Pruning | undefined {
  const { seq, upTo, leaf, records, archive } = members;
  if (!isSeq(seq) || !isSeq(upTo) || upTo >= seq || !isLeaf(leaf) || !isCount(records) || records > upTo || !isRecord(archive)) return undefined;
  const { file, sha256, bytes } = archive;
  const head = members['head'] === null ? null : toSignedHead(members['head']);
  if (typeof file !== 'string' || !isLeaf(sha256) || !isCount(bytes) || head === undefined) return undefined;
  return { seq, upTo, leaf, records, archive: { file, sha256, bytes }, head };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Only as `toISOString` writes it: times are compared as texts. */
function toTime(text: string): number | undefined {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString() === text ? time : undefined;
}
