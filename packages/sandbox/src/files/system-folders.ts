import { existsSync } from 'node:fs';
import { isWithin } from './is-within.ts';
import { toRealPath } from './real-places.ts';

/** What is in every box. */
export const SYSTEM: readonly string[] = ['/usr', '/bin', '/sbin', '/nix/store', '/gnu/store'];

/** Some accounts have one of these as their home folder. Without it no box has programs. */
const PARTS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'libexec', 'share', 'include'];
const PROGRAMS = [...SYSTEM, '/usr/local', ...['/usr', '/usr/local'].flatMap((folder) => PARTS.map((part) => `${folder}/${part}`))];

export interface OwnPlaces {
  /** The project, absolute and real. */
  readonly root: string;
  /** The home folder of whoever runs devs. */
  readonly home: string;
  /** Folders of devs itself. */
  readonly closed: readonly string[];
}

/**
 * What lies in the system's own folders and is not the system's: a project at `/usr/src/app`, a home in `/usr/home`. Every
 * box shows these folders, so it is hidden first, and what a box is to show of it comes over that. Absolute, real, and there.
 */
export function ownPlacesInSystem({ root, home, closed }: OwnPlaces): readonly string[] {
  const own = [root, ...closed.map(toRealPath), toRealPath(home)].filter((place) => isShownBySystem(place) && existsSync(place));
  const places = own.filter((place) => place === root || !PROGRAMS.some((folder) => isWithin(folder, place)));
  return [...new Set(places)].filter((place, _, all) => !all.some((other) => other !== place && isWithin(place, other)));
}

/** Whether a place is in every box. @param hidden what of the system's folders is not: `ownPlacesInSystem` */
export function isOfSystem(place: string, hidden: readonly string[]): boolean {
  return isShownBySystem(place) && !hidden.some((folder) => isWithin(place, folder));
}

function isShownBySystem(place: string): boolean {
  return SYSTEM.some((folder) => isWithin(place, folder));
}
