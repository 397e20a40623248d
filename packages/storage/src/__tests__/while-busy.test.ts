import { describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { whileBusy, whileBusyBlocking } from '../database/while-busy.ts';

const busy = new Database.SqliteError('database is locked', 'SQLITE_BUSY');
const full = new Database.SqliteError('full', 'SQLITE_FULL');

/** Fails as often as told, with that error, and counts. */
function createAttempt(failures: number, error: Error) {
  const attempt = () => {
    attempt.count += 1;
    if (attempt.count <= failures) throw error;
  };
  attempt.count = 0;
  return attempt;
}

const WAITS: readonly (readonly [name: string, wait: (attempt: () => void, patienceMs: number) => Promise<void>])[] = [
  ['whileBusy', whileBusy],
  ['whileBusyBlocking', async (attempt, patienceMs) => whileBusyBlocking(attempt, patienceMs)],
];

describe.each(WAITS)('%s', (_name, wait) => {
  it('tries again until it succeeds', async () => {
    const attempt = createAttempt(3, busy);
    await wait(attempt, 1_000);
    expect(attempt.count).toBe(4);
  });

  it('gives up once the pauses add up to its patience', async () => {
    const attempt = createAttempt(Number.POSITIVE_INFINITY, busy);
    await expect(wait(attempt, 20)).rejects.toBe(busy);
    // Pauses of 1, 2, 4, 8 and 8 ms, or of 8 ms.
    expect([4, 6]).toContain(attempt.count);
  });

  it('does not try again after any other error, or without patience', async () => {
    for (const [error, patienceMs] of [[full, 1_000], [busy, 0]] as const) {
      const attempt = createAttempt(1, error);
      await expect(wait(attempt, patienceMs)).rejects.toBe(error);
      expect(attempt.count).toBe(1);
    }
  });
});
