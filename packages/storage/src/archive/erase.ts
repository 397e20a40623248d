import type Database from 'better-sqlite3';
import { forgetWords } from '../search/forget-words.ts';
import { checkClock } from './clock.ts';
import { surveyErasure } from './survey.ts';

/** What `audit.erased` says. */
export interface ErasureFact {
  readonly from: number;
  readonly upTo: number;
  /** ISO 8601. */
  readonly before: string;
  readonly days: number;
  readonly count: number;
}

export interface ErasureOrder extends Omit<ErasureFact, 'count'> {
  /** ISO 8601. */
  readonly now: string;
}

export interface OpenLog {
  readonly database: Database.Database;
  /** Path of the log. */
  readonly file: string;
}

/** Erases payloads; to be called in the transaction that writes the facts which it gives. */
export function eraseSpan({ database, file }: OpenLog, { from, upTo, before, days, now }: ErasureOrder): readonly ErasureFact[] {
  checkClock(database, now);
  // First: where the words cannot be taken away, the payload is not either.
  forgetWords(file);
  const update = database.prepare<[number, number, string]>(
    'UPDATE records SET payload = NULL, salt = NULL WHERE seq BETWEEN ? AND ? AND payload IS NOT NULL AND timestamp < ?',
  );
  // Looked at anew: calls have come and ended since it was planned, and another process may have erased.
  return surveyErasure(database, { from, upTo, before }).spans.map((span) => {
    const { changes } = update.run(span.from, span.upTo, before);
    return { from: span.from, upTo: span.upTo, before, days, count: changes };
  });
}
