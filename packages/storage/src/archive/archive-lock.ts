import { lockFiles, tryLockFile } from '../locks/lock-file.ts';
import { unusable } from '../sqlite/unusable.ts';

/**
 * Held by the one who archives a log, until it ends, however it does.
 * @throws DevsError `STATE_UNUSABLE` when somebody else holds it
 */
export function lockArchive(log: string): Disposable {
  const held = tryLock(log);
  if (held === undefined) throw unusable(log, 'is being archived by another process.');
  return held;
}

function tryLock(log: string): Disposable | undefined {
  try {
    return tryLockFile(lockFiles.ofArchiver(log));
  } catch (cause) {
    throw unusable(log, 'cannot be archived: no lock can be made beside it.', cause);
  }
}
