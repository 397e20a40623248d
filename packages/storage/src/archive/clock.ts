import type Database from 'better-sqlite3';
import { ArchiveFailure } from './archive-failure.ts';
import type { MisdatedRecords, PlaceInTime } from './archive-plan.ts';

const DAY_MS = 86_400_000;
/** A clock may be set back by as much, as time servers do, without anybody being misled by days. */
const MOST_SKEW_MS = 60_000;

const IS_LATER = "timestamp > $after AND timestamp GLOB '[0-9][0-9][0-9][0-9]-*'";
const LATEST = `SELECT seq, timestamp FROM records NOT INDEXED WHERE seq > $ignored AND ${IS_LATER} ORDER BY timestamp DESC LIMIT 1`;
const LATER = `SELECT count(*) AS records, count(payload) AS payloads, min(seq) AS "from", max(seq) AS upTo
FROM records NOT INDEXED WHERE seq BETWEEN $from AND $upTo AND ${IS_LATER}`;
const LAST = 'SELECT seq, timestamp FROM records ORDER BY seq DESC LIMIT 1';

/** The moment, and up to which record those from the future are left out because somebody has looked at them; 0: none is. */
export interface Moment {
  /** ISO 8601. */
  readonly now: string;
  readonly ignored: number;
}

/** A record that is dated later says that a clock is wrong, or was. ISO 8601. */
export function latestCredible(now: string): string {
  return shift(now, MOST_SKEW_MS);
}

/** Why nobody can tell how old the records are; null when one can. */
export function judgeClock(database: Database.Database, { now, ignored }: Moment): string | null {
  const last = database.prepare<[], PlaceInTime>(LAST).get()?.seq ?? 0;
  // Else whoever names a number that is large enough has switched off the check for all records to come.
  if (ignored > last) return `The log has no record ${ignored}. Its last record is ${last}.`;
  const later = database.prepare<{ after: string; ignored: number }, PlaceInTime>(LATEST).get({ after: latestCredible(now), ignored });
  if (later === undefined) return null;
  const { from, upTo } = findLater(database, { now, from: ignored + 1, upTo: last }) ?? { from: later.seq, upTo: later.seq };
  const all = from === upTo ? 'It is the only one' : `The first of them is record ${from}, the last is record ${upTo}`;
  return `${describeLater(later, now)} ${all}: if the clock is right now, check these records, and exclude those with wrong dates by --ignore-future ${upTo}.`;
}

/** The records that are left out. Null: none is. */
export function findMisdated(database: Database.Database, { now, ignored }: Moment): MisdatedRecords | null {
  return findLater(database, { now, from: 1, upTo: ignored });
}

function findLater(database: Database.Database, { now, from, upTo }: { readonly now: string; readonly from: number; readonly upTo: number }): MisdatedRecords | null {
  const found = database.prepare<{ after: string; from: number; upTo: number }, MisdatedRecords>(LATER).get({ after: latestCredible(now), from, upTo });
  return found === undefined || found.records === 0 ? null : found;
}

/** The same of the last record alone: the clock may have been set back since. @throws ArchiveFailure */
export function checkClock(database: Database.Database, { now, ignored }: Moment): void {
  const last = database.prepare<[], PlaceInTime>(LAST).get();
  if (last === undefined || last.seq <= ignored) return;
  if (Date.parse(last.timestamp) > Date.parse(now) + MOST_SKEW_MS) throw new ArchiveFailure(describeLater(last, now));
}

/** ISO 8601. */
export function daysBefore(now: string, days: number): string {
  return shift(now, -days * DAY_MS);
}

/** Never goes back: a fact that is dated before the age it was judged by would be called a forgery. */
export function risingClock(now: () => string): () => string {
  let latest = '';
  return () => {
    const time = now();
    if (time > latest) latest = time;
    return latest;
  };
}

/** A clock that is wrong, or was, makes young what is old, and the other way round. */
function describeLater({ seq, timestamp }: PlaceInTime, now: string): string {
  return `Record ${seq} says that it was written at ${timestamp}, and now it is ${now}: the clock is wrong, or was, so nobody can tell how old a record is.`;
}

function shift(now: string, ms: number): string {
  return new Date(Date.parse(now) + ms).toISOString();
}
