import { describeEffects, DevsError, type ProjectEffects } from '@devs/core';

const UNKNOWN = 'Check what the command did before you call it again.';

/**
 * The same error with what was moved aside and put back, which a refusal would keep from whoever asked. It comes first: a hook
 * has chosen the words at the end, and could imitate what follows them.
 */
export function withEffects(error: unknown, effects: ProjectEffects, signal: AbortSignal): unknown {
  const told = describeEffects(effects).map((sentence) => `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`).join(' ');
  // The gate knows its own reason by identity, and nobody waits for more.
  if (told === '' || (signal.aborted && error === signal.reason)) return error;
  if (!DevsError.is(error)) return new DevsError('PROJECT_UNSAFE', { sentence: `${told} The command has run, and its sandbox failed.`, suggestion: UNKNOWN, cause: error });
  const { code, sentence, suggestion, repair, decidedBy, cause } = error;
  return new DevsError(code, {
    sentence: `${told} ${sentence}`,
    cause,
    ...(suggestion !== undefined && { suggestion }),
    ...(repair !== undefined && { repair }),
    ...(decidedBy !== undefined && { decidedBy }),
  });
}

/** Does what may be refused once there are effects. */
export async function tellEffects<Result>(effects: ProjectEffects, signal: AbortSignal, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw withEffects(error, effects, signal);
  }
}
