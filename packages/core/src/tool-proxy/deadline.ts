import { DevsError } from '../errors.ts';

export interface DeadlineLimits {
  readonly timeoutMs: number;
  /** The caller's own signal: aborted when it cancels or goes away. */
  readonly signal?: AbortSignal | undefined;
}

/** A longer delay makes a timer fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * What `work` gives, unless the deadline passes or the caller cancels first: then `TOOL_TIMEOUT` or
 * `CALL_CANCELLED` at once, whether or not `work` listens to its signal. A tool that hangs must not
 * hang the gate. What `work` does afterwards is not heard.
 */
export async function withDeadline<Value>(
  work: (signal: AbortSignal) => Promise<Value>,
  { timeoutMs, signal }: DeadlineLimits,
): Promise<Value> {
  if (signal?.aborted === true) throw new DevsError('CALL_CANCELLED');
  const controller = new AbortController();
  const stop = Promise.withResolvers<never>();
  const end = (code: 'TOOL_TIMEOUT' | 'CALL_CANCELLED') => {
    stop.reject(new DevsError(code));
    controller.abort();
  };
  const cancel = () => end('CALL_CANCELLED');
  const timer = setTimeout(() => end('TOOL_TIMEOUT'), Math.min(timeoutMs, LONGEST_TIMER_MS));
  try {
    signal?.addEventListener('abort', cancel, { once: true });
    return await Promise.race([work(controller.signal), stop.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}
