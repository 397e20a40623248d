import { DevsError } from '@devs/core';

/** The promise goes on for others. */
export async function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  if (signal.aborted) throw new DevsError('CALL_CANCELLED');
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(new DevsError('CALL_CANCELLED'));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
