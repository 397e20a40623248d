import { DevsError } from '@devs/core';

export function editRefused(problem: string): DevsError {
  return new DevsError('EDIT_REFUSED', { sentence: `Nothing was changed: ${problem}` });
}
