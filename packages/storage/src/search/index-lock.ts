import { AgentLogError } from '../agent-log-error.ts';
import { lockFiles } from '../locks/lock-file.ts';
import { waitForLock } from '../locks/wait-for-lock.ts';
import { indexFileOf } from './index-file.ts';

/** Milliseconds: as long as another search may take to index a long log for the first time. */
const PATIENCE_MS = 120_000;

/**
 * One search of a log at a time has its index open. An index may be deleted under a search, and made anew under the same
 * name; the journal of the one would then be taken for that of the other, and its pages put back into it.
 * @throws AgentLogError `busy`; SQLite's or the system's error, see `isReadOnly`
 */
export async function lockIndex(log: string): Promise<Disposable> {
  const held = await waitForLock(lockFiles.of(indexFileOf(log)), { until: performance.now() + PATIENCE_MS });
  if (held === undefined) throw new AgentLogError('busy');
  return held;
}
