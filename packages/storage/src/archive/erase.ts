import type Database from 'better-sqlite3';
import { forgetWords } from '../search/forget-words.ts';
import { checkClock, type Moment } from './clock.ts';
import { surveyErasure } from './survey.ts';

/** What `audit.erased` says. */
export interface ErasureFact {
  readonly from: number;
  readonly upTo: number;
  /** ISO 8601. */
  readonly before: string;
  readonly days: number;
  readonly count: number;
  /** Up to which record those from the future were left out; absent: none was. */
  readonly ignoredFuture?: number;
}

export interface ErasureOrder extends Omit<ErasureFact, 'count' | 'ignoredFuture'>, Moment {}

export interface OpenLog {
  readonly database: Database.Database;
  /** Path of the log. */
  readonly file: string;
}

/** Erases payloads; to be called in the transaction that writes the facts which it gives. */
export function eraseSpan({ database, file }: OpenLog, { from, upTo, before, days, now, ignored }: ErasureOrder): readonly ErasureFact[] {
  checkClock(database, { now, ignored });
  // First: where the words cannot be taken away, the payload is not either.
  forgetWords(file);
  const update = database.prepare<[number, number, string]>(
    'UPDATE records SET payload = NULL, salt = NULL WHERE seq BETWEEN ? AND ? AND payload IS NOT NULL AND timestamp < ?',
  );
  // Looked at anew: calls have come and ended since it was planned, and another process may have erased.
  return surveyErasure(database, { from, upTo, before, now, ignored }).spans.map((span) => {
    const { changes } = update.run(span.from, span.upTo, before);
    return { from: span.from, upTo: span.upTo, before, days, count: changes, ...describeIgnored(ignored) };
  });
}

/** Of every fact of a run that left some out: whoever reads the log learns who was believed about the clock. */
export function describeIgnored(ignored: number): { readonly ignoredFuture?: number } {
  return ignored === 0 ? {} : { ignoredFuture: ignored };
}
