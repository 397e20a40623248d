/** Resolves with whichever comes first. Leaves nothing behind with a signal that lives long. */
export async function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { signal: over.signal }));
  await Promise.race([promise, aborted]);
  over.abort();
}
