import { DevsError, type ExclusiveLock } from '@devs/core';

export interface Turn {
  /** When the call has to be over, on the clock of `performance.now()`. */
  readonly until: number;
  readonly signal: AbortSignal;
}

/**
 * Does the work while no other command or commit is at work in the project. Two boxes on the same files break each other's
 * guards: what one has planted the other takes for old, and bwrap resolves what it mounts in a tree that the other one changes.
 * @param work gets the milliseconds that are left, at least 1
 * @throws DevsError PROJECT_BUSY or COMMAND_REFUSED when nothing was run; the signal's reason; what the work throws
 */
export async function inTurn<Result>(lock: ExclusiveLock, turn: Turn, work: (leftMs: number) => Promise<Result>): Promise<Result> {
  using held = await take(lock, turn);
  if (held === undefined) throw new DevsError('PROJECT_BUSY');
  return await work(Math.max(1, turn.until - performance.now()));
}

async function take(lock: ExclusiveLock, { until, signal }: Turn): Promise<Disposable | undefined> {
  try {
    return await lock.acquire({ patienceMs: Math.max(0, until - performance.now()), signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw new DevsError('COMMAND_REFUSED', { sentence: 'The project cannot be locked for a command; nothing was run.', suggestion: 'Tell the operator: devs cannot lock a file in its state folder.', cause });
  }
}
