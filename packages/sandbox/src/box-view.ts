import { readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { foldName, segmentsBelow, splitPath, type Mount, type PathRules } from '@devs/core';
import { isWithin } from './is-within.ts';

export interface BoxViewRequest {
  /** Absolute, real. */
  readonly root: string;
  readonly rules: Pick<PathRules, 'allowed' | 'blocked'>;
  /** Of devs's own, absolute: hidden where they lie in the root. */
  readonly closed: readonly string[];
  /** What is there and must stay as it is, absolute and real. */
  readonly readOnly: readonly string[];
}

/**
 * What of a project folder a box shows, at the same paths: what the rules of a tool leave of it, what must not be changed
 * read-only over that, and nothing where something is blocked.
 */
export function boxView({ root, rules, closed, readOnly }: BoxViewRequest): readonly Mount[] {
  const writable = rules.allowed.length === 0 ? [root] : rules.allowed.flatMap((entry) => realPlaces(entry, root));
  const blocked = rules.blocked.flatMap((entry) => realPlaces(entry, root));
  const ours = closed.flatMap((folder) => realPlace(folder, root));
  const isShown = (place: string) => writable.some((folder) => isWithin(place, folder));
  const hidden = outermost([...blocked, ...ours].filter(isShown));
  const kept = outermost(readOnly.filter((place) => isShown(place) && !hidden.some((folder) => isWithin(place, folder))));
  return [
    ...outermost(writable).map((source): Mount => ({ source, access: 'write' })),
    ...kept.map((source): Mount => ({ source, access: 'read' })),
    ...hidden.map((source): Mount => ({ source, access: 'hidden' })),
  ];
}

/** One mount does for all that lies in it. */
function outermost(places: readonly string[]): readonly string[] {
  return [...new Set(places)].filter((place, _, all) => !all.some((other) => other !== place && isWithin(place, other)));
}

/** What an entry of the rules means on this disk: all spellings of its names, as the file tools take them, links followed. */
function realPlaces(entry: string, root: string): readonly string[] {
  const segments = entry.startsWith('/') ? segmentsBelow(entry, [root]) : splitPath(entry);
  if (segments === undefined) return realPlace(entry, root);
  const spelled = segments.reduce<readonly string[]>((places, name) => places.flatMap((place) => childrenCalled(place, name)), [root]);
  return spelled.flatMap((place) => realPlace(place, root));
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
function realPlace(place: string, root: string): readonly string[] {
  try {
    const real = realpathSync.native(place);
    return isWithin(real, root) ? [real] : [];
  } catch {
    return [];
  }
}
