import type Database from 'better-sqlite3';
import type { CallHeader } from '../chain/header.ts';
import type { CallDraft } from '../chain/seal.ts';
import { listOpenCalls } from '../database/open-calls.ts';

// devs writes headers of a few hundred bytes. One that many calls of a made-up list name would be read for each of them.
const HEADER = 'SELECT header FROM records WHERE seq = ? AND octet_length(header) <= 65536';

const PAYLOAD = '{"output":null,"detail":"devs ended, or could not write, before this call was told to its end: whether the tool had effects is not known","sanitization":{"truncated":false}}';

/**
 * What has to be said of calls that began and whose devs is gone: an attempt that never ended must not look like one
 * that never was, nor like one that may be made again.
 */
export function findOrphans(database: Database.Database, isAlive: (session: string) => boolean): readonly CallDraft[] {
  const headerOf = database.prepare<[number], string>(HEADER).pluck();
  const open = listOpenCalls(database).flatMap(({ seq, session }) => {
    const header = headerOf.get(seq);
    if (header === undefined) return [];
    const start = JSON.parse(header) as CallHeader;
    // What is hashed goes first. An older devs has told it in the list alone.
    return [{ session: start.session ?? session, start }];
  });
  const gone = new Set([...new Set(open.map(({ session }) => session))].filter((session) => !isAlive(session)));
  return open.filter(({ session }) => gone.has(session)).map(({ start }) => toOrphan(start));
}

function toOrphan({ v: _v, seq, prev: _prev, payload: _payload, imported: _imported, session: _session, ...start }: CallHeader): CallDraft {
  return { header: { ...start, kind: 'call.orphaned', status: 'unknown', code: null, started: seq }, payload: PAYLOAD };
}
