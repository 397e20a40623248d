import { DevsError, type ConfinementReport } from '@devs/core';

/** Why nothing was run: what is missing, and the command that mends it. */
export function unavailable({ guarantees }: ConfinementReport): DevsError {
  const missing = guarantees.filter(({ guarantee, state }) => state !== 'enforced' && guarantee !== 'memory');
  const [first] = missing;
  if (first === undefined) return new DevsError('SANDBOX_UNAVAILABLE');
  const names = missing.map(({ guarantee }) => guarantee).join(', ');
  return new DevsError('SANDBOX_UNAVAILABLE', {
    sentence: `Commands and code cannot be confined on this machine, so nothing was run. Not enforced: ${names} (${first.detail}).`,
    suggestion: `Go on with the file tools, and ask the operator to do this: ${first.fix ?? 'devs doctor'}`,
  });
}
