import { DevsError, errnoOf } from '@devs/core';
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

/** Of the files beside the log: a session's lock, what heads are remembered in. */
const SYSTEM_FAILURES: ReadonlyMap<unknown, AgentLogFailure> = new Map([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EROFS', 'read-only'],
  ['EACCES', 'read-only'],
  ['EPERM', 'read-only'],
  ['EMFILE', 'disk'],
  ['ENFILE', 'disk'],
  ['EIO', 'disk'],
]);

/**
 * SQLite's own code, such as `SQLITE_BUSY_SNAPSHOT`; empty when the error is none of SQLite's. By shape:
 * the native part keeps the error class of whoever loaded it first, so `instanceof` may fail.
 */
export function sqliteCode(cause: unknown): string {
  const code = errnoOf(cause);
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : '';
}

export function isBusy(cause: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(sqliteCode(cause));
}

export function isDamaged(cause: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(sqliteCode(cause));
}

function failureOf(cause: unknown): AgentLogFailure {
  // What was signed is not in the log any more.
  if (DevsError.is(cause)) return 'rolled-back';
  const code = sqliteCode(cause);
  if (code === '') return SYSTEM_FAILURES.get(errnoOf(cause)) ?? 'failed';
  return FAILURES.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'failed';
}

export function toAgentLogError(cause: unknown): AgentLogError {
  return cause instanceof AgentLogError ? cause : new AgentLogError(failureOf(cause), cause);
}
