import { DevsError, type AgentLogEntry, type AgentLogQuery } from '@devs/core';

const MOST_ENTRIES = 1_000;
const LEAST_PREFIX_CHARACTERS = 8;

const STATUSES: ReadonlySet<AgentLogEntry['status'] | undefined> = new Set([
  undefined,
  'started',
  'ok',
  'error',
  'denied',
  'withheld',
  'unknown',
] as const);

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** That this question cannot be answered, and why. */
export function refuse(sentence: string): DevsError {
  return new DevsError('LOG_QUERY_REFUSED', { sentence });
}

/** @throws DevsError `LOG_QUERY_REFUSED` for a limit that is none. */
export function checkLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_ENTRIES) {
    throw refuse(`The limit is a whole number from 1 to ${MOST_ENTRIES}.`);
  }
}

/** @throws DevsError `LOG_QUERY_REFUSED` for a time in another form: as text it would sort wrongly. */
export function checkTimes({ since, until }: Pick<AgentLogQuery, 'since' | 'until'>): void {
  for (const time of [since, until]) {
    if (time !== undefined && !TIMESTAMP.test(time)) throw refuse('A time is written 2026-01-31T23:59:59.000Z.');
  }
}

/** @throws DevsError `LOG_QUERY_REFUSED` for a limit, a status, a time or a place that is none. */
export function checkQuery(query: AgentLogQuery): void {
  const { limit, status, before } = query;
  checkLimit(limit);
  checkTimes(query);
  if (!STATUSES.has(status)) throw refuse('The status is one of started, ok, error, denied, withheld, unknown.');
  if (before !== undefined && !Number.isSafeInteger(before)) throw refuse('A page begins before a seq, which is a whole number.');
}

/** @throws DevsError `LOG_QUERY_REFUSED` when it is too short to mean one call. */
export function checkIdPrefix(id: string): void {
  if (id.length < LEAST_PREFIX_CHARACTERS) {
    throw refuse(`Give the call id, or at least its first ${LEAST_PREFIX_CHARACTERS} characters.`);
  }
}

/**
 * The one call that an id or a prefix means. `candidates`: calls whose id starts with it, at least
 * two of them when there are two, the one with that very id among them.
 * @throws DevsError `LOG_QUERY_REFUSED` when several start with it and none is it.
 */
export function pickCall<Call extends { readonly id: string }>(id: string, candidates: readonly Call[]): Call | undefined {
  const exact = candidates.find((call) => call.id === id);
  if (exact !== undefined) return exact;
  if (candidates.length > 1) throw refuse('Several call ids start with this; give more characters of it.');
  return candidates[0];
}
