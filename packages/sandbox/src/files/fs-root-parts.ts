import { refuseLayout } from './git-layout.ts';
import { locateBelowRoot, type Place, type Places } from './places.ts';
import type { Protection } from './protection.ts';

/** Directory entries that one call looks at: a folder of a million is not read to its end. */
export const MAX_SCANNED = 100_000;

/** What the operations of an `FsRoot` share. */
export interface FsRootParts {
  readonly places: Places;
  readonly protection: Protection;
  /** Letters, digits and `-`; unique among all writers of the root. */
  readonly createId: () => string;
  /** Most bytes that one read returns, and that a file to be edited has. */
  readonly maxReadBytes: number;
  /** Told of each file that something is read of, and each folder whose names are: relative to the root, links followed, `/` between segments. */
  readonly onRead?: ((path: string) => void) | undefined;
}

/**
 * Asks the file system where the place is now, and whether `names` may be written there, one below
 * the other. A folder that was entered and then moved out of the root, or into `.git`, would still
 * take what is written to it.
 * @throws DevsError PATH_OUTSIDE_ROOT, PATH_PROTECTED
 */
export function confirmWritable(parts: FsRootParts, place: Place, names: readonly string[]): void {
  const segments = locateBelowRoot(parts.places, place);
  parts.protection.refuseWriting([...segments, ...names]);
  const [first] = names;
  if (first !== undefined) refuseLayout(place, segments, first);
}
