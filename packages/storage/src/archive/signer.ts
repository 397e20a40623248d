import type Database from 'better-sqlite3';
import { isRecord } from '@devs/core';
import type { HeadKeeper } from '../heads/head-keeper.ts';
import { parseJson, toHead, type Head } from '../heads/signed-head.ts';

const LATEST = "SELECT seq, header FROM records WHERE call_id IS NULL AND kind = 'audit.head' ORDER BY seq DESC LIMIT 1";

/**
 * Why no record may leave a log: somebody else signs it, who remembers a record elsewhere and would take a log without it
 * for one that was cut off, and end all calls. Null: nobody does. To be asked before what is remembered changes.
 */
export function judgeSigner(database: Database.Database, heads: HeadKeeper | undefined): string | null {
  const latest = database.prepare<[], { readonly seq: number; readonly header: string }>(LATEST).get();
  if (latest === undefined) return null;
  const head = headOf(latest.header);
  if (head !== undefined && heads?.knows(head) === true) return null;
  const { seq } = latest;
  if (head !== undefined && head.key === heads?.keyId) {
    return `No record may leave the log: record ${seq} says that it was signed with the key that is here, ${head.key}, and that is not remembered here. Another devs has the same key and remembers elsewhere: archive it there.`;
  }
  const own = heads?.keyId === undefined ? 'there is none here' : `here it is ${heads.keyId}`;
  return `No record may leave the log: it was signed last, in record ${seq}, with the key ${head?.key ?? 'of nobody'}, and ${own}. Archive it where that key is; where that is lost, let devs serve sign it here first.`;
}

function headOf(header: string): Head | undefined {
  const fact = parseJson(header);
  return isRecord(fact) && typeof fact['head'] === 'string' ? toHead(fact['head']) : undefined;
}
