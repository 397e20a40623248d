import { describe, expect, it } from '@jest/globals';
import { AgentLogError } from '../index.ts';
import { toAgentLogError } from '../database/sqlite-failure.ts';

describe('what SQLite says becomes a reason', () => {
  it.each([
    ['SQLITE_FULL', 'full'],
    ['SQLITE_IOERR_WRITE', 'disk'],
    ['SQLITE_IOERR_FSYNC', 'disk'],
    ['SQLITE_IOERR_SHMSIZE', 'disk'],
    ['SQLITE_CANTOPEN', 'disk'],
    ['SQLITE_CORRUPT', 'damaged'],
    ['SQLITE_CORRUPT_INDEX', 'damaged'],
    ['SQLITE_NOTADB', 'damaged'],
    ['SQLITE_READONLY', 'read-only'],
    ['SQLITE_READONLY_DBMOVED', 'read-only'],
    ['SQLITE_BUSY_SNAPSHOT', 'busy'],
    ['SQLITE_LOCKED', 'busy'],
    ['SQLITE_CONSTRAINT_UNIQUE', 'duplicate'],
    ['SQLITE_CONSTRAINT_TRIGGER', 'failed'],
    ['SQLITE_MISUSE', 'failed'],
    ['ENOSPC', 'full'],
    ['EROFS', 'read-only'],
    ['EMFILE', 'disk'],
    ['EWHATEVER', 'failed'],
    [undefined, 'failed'],
  ])('%s: %s', (code, failure) => {
    const cause = Object.assign(new Error('/a/path'), { code });
    const error = toAgentLogError(cause);
    expect(error).toMatchObject({ name: 'AgentLogError', failure, cause });
    expect(error.message).not.toContain('/a/path');
  });

  it('what is a reason already stays one', () => {
    const error = new AgentLogError('moved');
    expect(toAgentLogError(error)).toBe(error);
  });
});
