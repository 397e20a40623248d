import path from 'node:path';
import { splitPath, type Mount, type PathRules } from '@devs/core';
import { isWithin } from './files/is-within.ts';
import type { Protection } from './files/protection.ts';
import { BlockedPlaces, realPlace, realPlaces } from './files/real-places.ts';

export interface BoxViewRequest {
  /** Absolute, real. */
  readonly root: string;
  readonly rules: Pick<PathRules, 'allowed' | 'blocked'>;
  /** Folders of devs itself, real: hidden where they lie in the root. */
  readonly closed: readonly string[];
  /** What is there and must stay as it is, absolute and real. */
  readonly readOnly: readonly string[];
  readonly protection: Pick<Protection, 'linkProtectedBy'>;
  /** Folders that are shown to be read, beside the system's: absolute, real. Default: none. */
  readonly read?: readonly string[];
  /** What blocked entries have meant before. Default: nothing. */
  readonly places?: BlockedPlaces;
}

/**
 * What of a project folder a box shows, at the same paths: what the rules of a tool leave of it, what must not be changed
 * read-only over that, and nothing where something is blocked. Also where another mount shows the folder, or what lies in it.
 */
export function boxView({ root, rules, closed, readOnly, protection, read = [], places = new BlockedPlaces(root) }: BoxViewRequest): readonly Mount[] {
  const blocked = places.of(rules.blocked);
  const ours = closed.flatMap((folder) => realPlace(folder, root));
  // A path that is allowed below a hidden one would be mounted beside the mount that hides it.
  const writable = writablePlaces(rules, root).filter((place) => ![...blocked, ...ours].some((folder) => place !== folder && isWithin(place, folder)));
  const isWritten = (place: string) => writable.some((folder) => isWithin(place, folder));
  const isShown = (place: string) => isWritten(place) || read.some((folder) => isWithin(place, folder));
  const hidden = outermost([...blocked, ...ours].filter(isShown));
  // What is allowed may lie within what must stay as it is: `.git/hooks` is then shown, and not to be written.
  const within = writable.filter((place) => readOnly.some((folder) => isWithin(place, folder)));
  const kept = outermost([...readOnly.filter(isWritten), ...within].filter((place) => !hidden.some((folder) => isWithin(place, folder))));
  const ways = [...waysTo(hidden, writable), ...waysTo(kept, writable).filter((folder) => isNamed(splitPath(path.relative(root, folder)), protection))];
  // One mounted over what is kept could be written: a server's mounts are made by their depth.
  const open = ways.filter((way) => !kept.some((folder) => isWithin(way, folder)));
  return [
    ...(isWritten(root) ? [] : rootIn(read, root)),
    ...[...outermost(writable), ...new Set(open)].map((source): Mount => ({ source, access: 'write' })),
    ...kept.map((source): Mount => ({ source, access: 'read' })),
    ...hidden.map((source): Mount => ({ source, access: 'hidden' })),
  ];
}

/** A tool that may reach a part of the root must not find the rest in a folder around it. What is to be read in the root comes over it again. */
function rootIn(read: readonly string[], root: string): readonly Mount[] {
  if (!read.some((folder) => isWithin(root, folder))) return [];
  const inner = read.filter((folder) => folder !== root && isWithin(folder, root));
  return [{ source: root, access: 'hidden' }, ...inner.map((source): Mount => ({ source, access: 'read' }))];
}

/** What of a root a tool may write: absolute, real. */
export function writablePlaces({ allowed }: Pick<PathRules, 'allowed'>, root: string): readonly string[] {
  return allowed.length === 0 ? [root] : allowed.flatMap((entry) => realPlaces(entry, root));
}

/** One mount does for all that lies in it. */
function outermost(places: readonly string[]): readonly string[] {
  return [...new Set(places)].filter((place, _, all) => !all.some((other) => other !== place && isWithin(place, other)));
}

/**
 * The folders between what is writable and what is hidden in it. What is mounted cannot be renamed, but a folder around it
 * can: then nothing is called as the rule says, and the next box would show the same under another name. So each is mounted.
 */
function waysTo(hidden: readonly string[], writable: readonly string[]): readonly string[] {
  const around = (place: string): readonly string[] => {
    const folder = path.dirname(place);
    return writable.some((each) => isWithin(folder, each) && folder !== each) ? [...around(folder), folder] : [];
  };
  return [...new Set(hidden.flatMap(around))];
}

/**
 * `.github` of `.github/hooks`: renamed to `g2`, it would hold ordinary files, which a tool may write. What is protected by its
 * last name alone stays so wherever the folder around it goes, and a mount too many keeps programs from moving files.
 */
function isNamed(folder: readonly string[], protection: BoxViewRequest['protection']): boolean {
  return protection.linkProtectedBy(folder.at(-1) ?? '', folder.slice(0, -1)) !== undefined;
}
