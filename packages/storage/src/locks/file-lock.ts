import { setTimeout as pause } from 'node:timers/promises';
import { DevsError, type ExclusiveLock, type LockWait } from '@devs/core';
import { LockUnfit, lockFiles } from './lock-file.ts';
import { waitForLock, type Waiting } from './wait-for-lock.ts';

/** A longer delay makes a timer fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * Lets one process at a time change what it guards. The lock is on an empty file beside that, which stays. Within this
 * object those who wait get it in their order. Between processes a second lock orders them: only its holder waits for the
 * first, so a process with a long queue of its own leaves room for the others.
 */
export class FileLock implements ExclusiveLock {
  readonly #guarded: string;
  #last: Promise<void> = Promise.resolve();

  /** @param guarded absolute path of a file, which may be missing, in a folder that only this account can change */
  constructor(guarded: string) {
    this.#guarded = guarded;
  }

  /** @throws the reason of `signal`; DevsError `STATE_UNUSABLE` */
  async acquire({ patienceMs, signal }: LockWait): Promise<Disposable | undefined> {
    signal?.throwIfAborted();
    const waiting = { until: performance.now() + patienceMs, signal };
    const before = this.#last;
    const turn = Promise.withResolvers<void>();
    this.#last = turn.promise;
    const held = await this.#take(before, waiting).catch((cause: unknown) => {
      turn.resolve();
      throw cause;
    });
    if (held === undefined) turn.resolve();
    return held && releasing(held, turn.resolve);
  }

  async #take(before: Promise<void>, waiting: Waiting): Promise<Disposable | undefined> {
    if (!(await isOverInTime(before, waiting))) return undefined;
    try {
      using next = await waitForLock(lockFiles.ofNext(this.#guarded), waiting);
      return next && (await waitForLock(lockFiles.of(this.#guarded), waiting));
    } catch (cause) {
      waiting.signal?.throwIfAborted();
      throw unusable(lockFiles.of(this.#guarded), cause);
    }
  }
}

function unusable(file: string, cause: unknown): DevsError {
  const problem =
    cause instanceof LockUnfit
      ? 'is not an empty file of your own: look at it, and move it away'
      : 'cannot be taken: its folder is missing, read-only or full, or its file system has no locks';
  return new DevsError('STATE_UNUSABLE', { sentence: `The lock ${JSON.stringify(file)} ${problem}. Nothing was changed.`, cause });
}

async function isOverInTime(before: Promise<void>, { until, signal }: Waiting): Promise<boolean> {
  const over = new AbortController();
  const stop = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
  const delayMs = Math.min(Math.max(0, until - performance.now()), LONGEST_TIMER_MS);
  try {
    return await Promise.race([before.then(() => true), pause(delayMs, false, { signal: stop })]);
  } catch (cause) {
    signal?.throwIfAborted();
    throw cause;
  } finally {
    over.abort();
  }
}

function releasing(held: Disposable, passOn: () => void): Disposable {
  return {
    [Symbol.dispose]: () => {
      held[Symbol.dispose]();
      passOn();
    },
  };
}
