import type Database from 'better-sqlite3';
import { forgetWords } from '../search/forget-words.ts';
import { NO_DELETE } from '../sqlite/records-schema.ts';
import { ArchiveFailure } from './archive-failure.ts';
import { checkClock, type Moment } from './clock.ts';
import type { OpenLog } from './erase.ts';

export interface PruningOrder extends Moment {
  readonly from: number;
  readonly upTo: number;
  readonly records: number;
  /** `lastErasure` before the archive was written. */
  readonly erasure: number;
}

const CHANGED = 'The log has changed since its records were exported. No record was removed from it. Try again.';

/** Takes records out of the log; to be called in the transaction that writes the fact of it. */
export function pruneRecords({ database, file }: OpenLog, { from, upTo, records, erasure, now, ignored }: PruningOrder): void {
  checkClock(database, { now, ignored });
  if (readFirst(database) !== from || isOpen(database, upTo)) throw new ArchiveFailure(CHANGED);
  // Else the archive would have payloads that the log says are gone.
  if (lastErasure(database) !== erasure) throw new ArchiveFailure(CHANGED);
  forgetWords(file);
  database.exec('DROP TRIGGER records_no_delete');
  const { changes } = database.prepare<[number]>('DELETE FROM records WHERE seq <= ?').run(upTo);
  database.exec(NO_DELETE);
  if (changes !== records) throw new ArchiveFailure(CHANGED);
}

/** `seq` of the last record that says what was erased; 0 when there is none. */
export function lastErasure(database: Database.Database): number {
  return database.prepare<[], number | null>("SELECT max(seq) FROM records WHERE call_id IS NULL AND kind = 'audit.erased'").pluck().get() ?? 0;
}

export function readFirst(database: Database.Database): number | undefined {
  return database.prepare<[], number>('SELECT seq FROM records ORDER BY seq LIMIT 1').pluck().get();
}

/** Whether a call has no outcome that would leave with its start. */
function isOpen(database: Database.Database, upTo: number): boolean {
  return database.prepare<[number], number>('SELECT count(*) FROM open_calls WHERE seq <= ?').pluck().get(upTo) !== 0;
}
