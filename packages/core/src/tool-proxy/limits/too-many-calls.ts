import { DevsError } from '../../errors.ts';
import { fullEntry, leastWaitMs, type Needs } from './needs.ts';

/** Where nobody can know when a call under way ends. */
const SOON_MS = 1_000;

/** Says when to call again: at the earliest, as others may be before it. */
export function tooManyCalls(needs: Needs): DevsError {
  const seconds = Math.ceil(Math.max(leastWaitMs(needs), SOON_MS) / 1_000);
  const decidedBy = fullEntry(needs);
  return new DevsError('TOO_MANY_CALLS', {
    suggestion: `Wait for running calls, then call again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'} at the earliest.`,
    repair: { retryAfterMs: seconds * 1_000 },
    ...(decidedBy !== undefined && { decidedBy }),
  });
}
