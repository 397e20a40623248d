import { DevsError } from '@devs/core';

/** @param problem a sentence of devs's own */
export function commitRefused(problem: string, more: { readonly suggestion?: string; readonly cause?: unknown } = {}): DevsError {
  return new DevsError('COMMIT_REFUSED', { sentence: `Nothing was committed: ${problem}`, ...more });
}
