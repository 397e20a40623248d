import { isRecord } from '@devs/core';
import type Database from 'better-sqlite3';

interface Stored {
  readonly seq: number;
  readonly header: string;
}

const FIRST = 'SELECT seq, header FROM records ORDER BY seq LIMIT 1';
const PRUNED = "SELECT seq, header FROM records WHERE call_id IS NULL AND kind = 'audit.pruned' ORDER BY seq DESC LIMIT 1";

/** Whether a record is not in the log because all up to some later one were archived, as the log itself says. */
export function hasBeenPruned(database: Database.Database, { seq, store }: { readonly seq: number; readonly store: string | undefined }): boolean {
  const first = database.prepare<[], Stored>(FIRST).get();
  const fact = database.prepare<[], Stored>(PRUNED).get();
  if (first === undefined || fact === undefined || seq >= first.seq) return false;
  const pruned = parse(fact);
  return pruned['store'] === store && pruned['upTo'] === first.seq - 1 && pruned['leaf'] === parse(first)['prev'];
}

function parse({ header }: Stored): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(header);
  return isRecord(value) ? value : {};
}
