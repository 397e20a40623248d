import { DevsError, type ExclusiveLock } from '@devs/core';

/** Milliseconds. Whoever changes a file of the state folder holds its lock for a few. */
const PATIENCE_MS = 10_000;

/**
 * Waits until no other process changes the file.
 * @throws DevsError `STATE_UNUSABLE`
 */
export async function lockForChange(lock: ExclusiveLock, file: string): Promise<Disposable> {
  const held = await lock.acquire({ patienceMs: PATIENCE_MS });
  if (held !== undefined) return held;
  const sentence =
    `The file ${JSON.stringify(file)} was not changed: another devs has locked it for ${String(PATIENCE_MS / 1000)} seconds, or its file system has no locks. ` +
    'End the devs that hangs and try again; you do not have to delete anything.';
  throw new DevsError('STATE_UNUSABLE', { sentence });
}
