import { DevsError, errnoOf, isRecord } from '@devs/core';
import { AgentLogError } from '../agent-log-error.ts';
import { sqliteCode, toAgentLogError } from '../database/sqlite-failure.ts';

/** Why an archive was not made or nothing was erased: a sentence for an operator, who is told of no folder but the one that is to be mended. */
export class ArchiveFailure extends Error {
  /** @param what a sentence; with a `cause` of the system's one without its full stop */
  constructor(what: string, cause?: unknown) {
    super(cause === undefined || what.endsWith('.') ? what : `${what} (${codeOf(cause)}).`, { cause });
    this.name = 'ArchiveFailure';
  }
}

const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EFBIG: 'the disk is full',
  EACCES: 'it may not be written',
  EPERM: 'it may not be written',
  EROFS: 'it is read-only',
  ENOENT: 'the folder above it is not there',
  ENOTDIR: 'what lies above it is no folder',
};

function codeOf(cause: unknown): string {
  const code = errnoOf(cause) ?? 'failed';
  return WORDS[code] ?? code;
}

/** What is to be said of anything that ended a run before its end. @throws what is a fault of devs's own */
export function describeFailure(cause: unknown): string {
  if (cause instanceof ArchiveFailure) return cause.message;
  if (DevsError.is(cause)) return cause.sentence;
  if (cause instanceof AgentLogError || sqliteCode(cause) !== '') return `Stopped: ${toAgentLogError(cause).message}.`;
  if (isRecord(cause) && typeof cause['syscall'] === 'string') return `Stopped: the system did not let it (${codeOf(cause)}).`;
  throw cause;
}
