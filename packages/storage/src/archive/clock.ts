import type Database from 'better-sqlite3';
import { ArchiveFailure } from './archive-failure.ts';
import type { PlaceInTime } from './archive-plan.ts';

const DAY_MS = 86_400_000;
/** A clock may be set back by as much, as time servers do, without anybody being misled by days. */
const MOST_SKEW_MS = 60_000;

const LATEST = `SELECT seq, timestamp FROM records NOT INDEXED
WHERE timestamp > ? AND timestamp GLOB '[0-9][0-9][0-9][0-9]-*' ORDER BY timestamp DESC LIMIT 1`;
const LAST = 'SELECT seq, timestamp FROM records ORDER BY seq DESC LIMIT 1';

/** Why nobody can tell how old the records are; null when one can. `now` is in ISO 8601. */
export function judgeClock(database: Database.Database, now: string): string | null {
  const later = database.prepare<[string], PlaceInTime>(LATEST).get(shift(now, MOST_SKEW_MS));
  return later === undefined ? null : describeLater(later, now);
}

/** The same of the last record alone: the clock may have been set back since. @throws ArchiveFailure */
export function checkClock(database: Database.Database, now: string): void {
  const last = database.prepare<[], PlaceInTime>(LAST).get();
  if (last !== undefined && Date.parse(last.timestamp) > Date.parse(now) + MOST_SKEW_MS) throw new ArchiveFailure(describeLater(last, now));
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
