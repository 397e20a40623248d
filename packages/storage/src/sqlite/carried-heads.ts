import type Database from 'better-sqlite3';
import { isRecord } from '@devs/core';
import { checkOrder } from '../database/check-order.ts';
import { parseJson, toSignedHead, type SignedHead } from '../heads/signed-head.ts';

const HEADS = "SELECT seq, header FROM records WHERE call_id IS NULL AND kind = 'audit.head' ORDER BY seq DESC";

/** The heads that a log says were signed, the newest first; none of them is verified. */
export function* carriedHeads(database: Database.Database): Generator<SignedHead> {
  let before = Number.MAX_SAFE_INTEGER;
  for (const { seq, header } of database.prepare<[], { seq: number; header: unknown }>(HEADS).iterate()) {
    checkOrder(-before, -seq);
    before = seq;
    const fact = typeof header === 'string' ? parseJson(header) : undefined;
    const signed = isRecord(fact) ? toSignedHead({ head: fact['head'], signature: fact['signature'] }) : undefined;
    if (signed !== undefined) yield signed;
  }
}
