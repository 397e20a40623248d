import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { childPath } from '../places.ts';
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
  const line = logLine(checked, tip);
  appendLog(own, 'logs/HEAD', { line, isWanted: config.logs });
  if (head.ref !== undefined) appendLog(common, `logs/${head.ref}`, { line, isWanted: config.logs });
  (branchLock ?? headLock).replace(Buffer.from(`${checked.commit}\n`));
  indexLock.replace(index, state.index === undefined ? undefined : state.indexTime);
}

function logLine({ commit, committer, subject }: CheckedCommit, tip: string | undefined): Buffer {
  const old = tip ?? '0'.repeat(commit.length);
  return Buffer.from(`${old} ${commit} ${committer}\tcommit${tip === undefined ? ' (initial)' : ''}: ${subject}\n`);
}

/** A log that is there is kept up, also where new ones are not wanted. */
function appendLog(folder: GitFolder, path: string, { line, isWanted }: { readonly line: Buffer; readonly isWanted: boolean }): void {
  const { folders, name } = split(path);
  const isThere = folder.list(folders.join('/')).some((entry) => entry.name === name);
  if (!isWanted && !isThere) return;
  folder.within(folders, (place) => {
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const descriptor = openSync(childPath(place, name), flags, 0o666);
    try {
      if (!fstatSync(descriptor).isFile()) throw commitRefused('a log of the repository is no file.');
      if (!isThere) giveToOwner(place, name);
      writeFully(descriptor, line);
    } finally {
      closeSync(descriptor);
    }
  }, { make: true });
}
