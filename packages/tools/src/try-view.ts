import { DevsError, type TextView } from '@devs/core';

/** The view of a file; undefined when it would take too long to look through it for secrets: nothing of it is shown then. */
export function tryView(view: (bytes: Uint8Array) => TextView, bytes: Uint8Array): TextView | undefined {
  try {
    return view(bytes);
  } catch (error) {
    if (DevsError.is(error) && error.code === 'OUTPUT_WITHHELD') return undefined;
    throw error;
  }
}
