import { readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { foldName, segmentsBelow, splitPath } from '@devs/core';
import { isWithin } from './is-within.ts';

/** What an entry of the rules means on this disk: all spellings of its names, as the file tools take them, links followed. */
export function realPlaces(entry: string, root: string): readonly string[] {
  return spelledPlaces(entry, root).flatMap((place) => realPlace(place, root));
}

/** All spellings of an entry that are there, links and all. */
export function spelledPlaces(entry: string, root: string): readonly string[] {
  const segments = entry.startsWith('/') ? segmentsBelow(entry, [root]) : splitPath(entry);
  if (segments === undefined) return [entry];
  return segments.reduce<readonly string[]>((places, name) => places.flatMap((place) => childrenCalled(place, name)), [root]);
}

function childrenCalled(folder: string, name: string): readonly string[] {
  const folded = foldName(name);
  try {
    return readdirSync(folder)
      .filter((each) => foldName(each) === folded)
      .map((each) => path.join(folder, each));
  } catch {
    return [];
  }
}

/** None when it is not there, or leads out of the root, where a box has nothing anyway. */
export function realPlace(place: string, root: string): readonly string[] {
  try {
    const real = realpathSync.native(place);
    return isWithin(real, root) ? [real] : [];
  } catch {
    return [];
  }
}

/** Where a path leads; the path itself where it leads nowhere yet. */
export function toRealPath(place: string): string {
  try {
    return realpathSync.native(place);
  } catch {
    return place;
  }
}

/**
 * What the blocked entries of the rules mean, and have ever meant as long as devs runs: a command may take away the link by
 * which an entry leads somewhere, and what it has led to stays blocked.
 */
export class BlockedPlaces {
  readonly #root: string;
  readonly #seen = new Map<string, ReadonlySet<string>>();

  /** @param root absolute, real */
  constructor(root: string) {
    this.#root = root;
  }

  /** Absolute, real, and there. */
  of(entries: readonly string[]): readonly string[] {
    return entries.flatMap((entry) => {
      const seen = new Set([...(this.#seen.get(entry) ?? []), ...realPlaces(entry, this.#root)]);
      this.#seen.set(entry, seen);
      return [...seen].flatMap((place) => realPlace(place, this.#root));
    });
  }
}
