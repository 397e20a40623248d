import path from 'node:path';
import { DevsError } from '@devs/core';

/**
 * The log cannot be opened. The sentence names the file without its folder, because a refusal may
 * reach an agent; the cause names it in full.
 */
export function unusable(file: string, what: string, cause?: unknown): DevsError {
  return new DevsError('STATE_UNUSABLE', {
    sentence: `The call log ${path.basename(file)} ${what}`,
    cause: new Error(file, { cause }),
  });
}
