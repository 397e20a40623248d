import type { Stats } from 'node:fs';
import type { EntryKind } from '@devs/core';
import { belowRoot } from './agent-path.ts';

/** A folder that a walk stands in. `path` is how `node:fs` reaches it, not where it is. */
export interface Place {
  readonly path: string;
  close(): void;
}

/** A regular file open for reading, or the word for what was found instead. */
export type Opened = OpenedFile | { readonly kind: Exclude<EntryKind, 'file'> };

export interface OpenedFile {
  readonly kind: 'file';
  readonly descriptor: number;
  /** Bytes. */
  readonly size: number;
}

/**
 * How one step below the root is made. Every `name` is one segment, never `..`, and no method
 * follows a link in it. Errors are the operating system's own.
 */
export interface Places {
  readonly root: Place;
  /** The root as its owner spelled it and as it really is; absolute. */
  readonly spellings: readonly string[];
  /** Undefined when `name` is there and is no folder. */
  enter(from: Place, name: string): Place | undefined;
  /** Opens without side effects on what is no regular file. */
  open(from: Place, name: string): Opened;
  /** Absolute path at which the place is now, for it may have been moved. */
  locate(place: Place): string;
}

/** How `node:fs` reaches what is called `name` in a place. */
export function childPath(place: Place, name: string): string {
  return `${place.path}/${name}`;
}

export function kindOf(stats: Pick<Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): EntryKind {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'link' : 'other';
}

/**
 * Where a place is now, as segments below the root.
 * @throws DevsError PATH_OUTSIDE_ROOT: it was moved out since the walk entered it
 */
export function locateBelowRoot(places: Places, place: Place): string[] {
  return belowRoot(places.locate(place), [places.locate(places.root)]);
}
