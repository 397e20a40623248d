import { DevsError } from '@devs/core';

/** Why no box can be had that shows what it has to show, and keeps what it has to keep. */
export interface BoxObstacle {
  readonly sentence: string;
  /** What the operator can do. */
  readonly fix: string;
  readonly cause?: unknown;
}

export function refuseObstacle({ sentence, fix, cause }: BoxObstacle): DevsError {
  return new DevsError('COMMAND_REFUSED', { sentence, suggestion: `Ask the person you work for to ${fix}.`, cause });
}
