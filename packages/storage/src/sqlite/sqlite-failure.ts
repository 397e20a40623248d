import { isRecord } from '@devs/core';
import { AgentLogError, type AgentLogFailure } from '../agent-log-error.ts';

const FAILURES: readonly (readonly [prefix: string, AgentLogFailure])[] = [
  ['SQLITE_BUSY', 'busy'],
  ['SQLITE_LOCKED', 'busy'],
  ['SQLITE_FULL', 'full'],
  ['SQLITE_IOERR', 'disk'],
  ['SQLITE_CANTOPEN', 'disk'],
  ['SQLITE_CORRUPT', 'damaged'],
  ['SQLITE_NOTADB', 'damaged'],
  ['SQLITE_READONLY', 'read-only'],
  ['SQLITE_CONSTRAINT_UNIQUE', 'duplicate'],
];

/**
 * SQLite's own code, such as `SQLITE_BUSY_SNAPSHOT`; empty when the error is none of SQLite's. By shape:
 * the native part keeps the error class of whoever loaded it first, so `instanceof` may fail.
 */
export function sqliteCode(cause: unknown): string {
  const code = isRecord(cause) ? cause['code'] : undefined;
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : '';
}

export function isBusy(cause: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(sqliteCode(cause));
}

function failureOf(cause: unknown): AgentLogFailure {
  const code = sqliteCode(cause);
  return FAILURES.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'failed';
}

export function toAgentLogError(cause: unknown): AgentLogError {
  return cause instanceof AgentLogError ? cause : new AgentLogError(failureOf(cause), cause);
}
