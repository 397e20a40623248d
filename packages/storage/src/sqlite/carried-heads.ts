import type Database from 'better-sqlite3';
import { isRecord } from '@devs/core';
import { parseJson, toSignedHead, type SignedHead } from '../heads/signed-head.ts';

const ADOPTED = "SELECT max(seq) FROM records WHERE call_id IS NULL AND kind = 'audit.adopted'";
const HEADS = "SELECT header FROM records WHERE call_id IS NULL AND kind = 'audit.head' AND seq > ? ORDER BY seq DESC";

/** The heads that a log says were signed since it was adopted last, the newest first; none of them is verified. */
export function* carriedHeads(database: Database.Database): Generator<SignedHead> {
  const adopted = database.prepare<[], number | null>(ADOPTED).pluck().get() ?? 0;
  for (const header of database.prepare<[number], unknown>(HEADS).pluck().iterate(adopted)) {
    const fact = typeof header === 'string' ? parseJson(header) : undefined;
    const signed = isRecord(fact) ? toSignedHead({ head: fact['head'], signature: fact['signature'] }) : undefined;
    if (signed !== undefined) yield signed;
  }
}
