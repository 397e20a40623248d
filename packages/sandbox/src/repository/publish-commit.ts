import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { errnoOf } from '@devs/core';
import type { DevsError } from '@devs/core';
import { childPath } from '../files/places.ts';
import type { CheckedCommit } from './check-commit.ts';
import type { CommitScene } from './commit-in-box.ts';
import { commitRefused } from './commit-refused.ts';
import { giveToOwner, split, writeFully, type GitFolder } from './git-folder.ts';
import { LockFile } from './lock-file.ts';
import { isSameState, readState, refuseUnderWay } from './repository-state.ts';

/**
 * Makes the commit the last one: under the locks of git, if all is as it was when the commit began. Logs, then the branch,
 * then the index, in the order of git: whoever is killed between leaves a repository that is whole.
 * @throws DevsError COMMIT_REFUSED: another git works here, or has worked meanwhile; nothing has changed then
 */
export function publishCommit({ repository, state, config }: CommitScene, checked: CheckedCommit, index: Buffer): void {
  const { own, common } = repository;
  const { head, tip } = state;
  refuseUnderWay(repository);
  using indexLock = LockFile.take(own, 'index');
  using headLock = LockFile.take(own, 'HEAD');
  using branchLock = head.ref === undefined ? undefined : LockFile.take(common, head.ref);
  if (!isSameState(state, readState(repository))) throw commitRefused('the repository changed meanwhile.', { suggestion: 'Try again.' });
  appendToLogs([
    { folder: own, path: 'logs/HEAD', isWanted: config.logs },
    ...(head.ref === undefined ? [] : [{ folder: common, path: `logs/${head.ref}`, isWanted: config.logs }]),
  ], logLine(checked, tip));
  (branchLock ?? headLock).replace(Buffer.from(`${checked.commit}\n`));
  indexLock.replace(index, state.index === undefined ? undefined : state.indexTime);
}

function logLine({ commit, committer, subject }: CheckedCommit, tip: string | undefined): Buffer {
  const old = tip ?? '0'.repeat(commit.length);
  return Buffer.from(`${old} ${commit} ${committer}\tcommit${tip === undefined ? ' (initial)' : ''}: ${subject}\n`);
}

interface Log {
  readonly folder: GitFolder;
  readonly path: string;
  /** Where there is none, one is made. One that is there is kept up also where new ones are not wanted. */
  readonly isWanted: boolean;
}

/** All of them are open before a byte is written: one that cannot be written leaves no line of this commit in the others. */
function appendToLogs(logs: readonly Log[], line: Buffer): void {
  const opened: number[] = [];
  try {
    for (const log of logs) opened.push(...openLog(log));
    for (const descriptor of opened) writeFully(descriptor, line);
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

/** Nothing where no log is wanted. */
function openLog({ folder, path, isWanted }: Log): readonly number[] {
  const { folders, name } = split(path);
  const isThere = folder.list(folders.join('/')).some((entry) => entry.name === name);
  if (!isWanted && !isThere) return [];
  const descriptor = folder.within(folders, (place) => {
    const opened = openToAppend(childPath(place, name), path);
    if (!isThere) giveToOwner(place, name);
    return opened;
  }, { make: true });
  return descriptor === undefined ? [] : [descriptor];
}

/** Never through a link, which a cloned `.git` may hold: it would append to any file of the user's. */
function openToAppend(file: string, path: string): number {
  const descriptor = openOrRefuse(file, path);
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw strangeLog(path);
}

function openOrRefuse(file: string, path: string): number {
  try {
    return openSync(file, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o666);
  } catch (cause) {
    throw STRANGE.has(errnoOf(cause) ?? '') ? strangeLog(path, cause) : commitRefused(`the log .git/${path} cannot be opened to be written.`, { cause });
  }
}

/** A link, a folder, a pipe that nobody reads, a socket. */
const STRANGE: ReadonlySet<string> = new Set(['ELOOP', 'EISDIR', 'ENXIO']);

function strangeLog(path: string, cause?: unknown): DevsError {
  return commitRefused(`the log .git/${path} is a link, or no regular file.`, { suggestion: 'Ask the person you work for to remove it.', cause });
}
