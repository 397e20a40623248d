/** How long a lock is waited for. */
export interface LockWait {
  /** Milliseconds on a monotonic clock. 0: one attempt. */
  readonly patienceMs: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A lock with one holder at a time among all processes that open the same one. The operating system releases it when its
 * holder ends, however that happens.
 */
export interface ExclusiveLock {
  /**
   * Waits for the lock without blocking the event loop. Disposing of the result releases the lock.
   * @returns undefined when others held the lock until the patience ran out
   * @throws the reason of `signal`; an error when this place cannot provide such a lock
   */
  acquire(wait: LockWait): Promise<Disposable | undefined>;
}
