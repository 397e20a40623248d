import { lstatSync } from 'node:fs';
import { DevsError, foldName } from '@devs/core';
import { childPath, type Place } from './places.ts';

/** What git obeys in a repository. The rest of it is data. */
const OBEYED: ReadonlySet<string> = new Set(['config', 'config.worktree', 'commondir', 'hooks']);
/** By what git takes a folder for a repository, as git spells them. */
const MAKES_REPOSITORY = ['HEAD', 'commondir', 'objects', 'refs'] as const;

/** Whether a folder can become a repository when this name is made in it. @param spell one spelling for all that count as the same name */
export function isNameOfRepository(name: string, spell: (name: string) => string): boolean {
  return MAKES_REPOSITORY.some((each) => spell(each) === spell(name));
}

export function isObeyedInRepository(name: string): boolean {
  return OBEYED.has(foldName(name));
}

/** @param folded a name, folded */
export function makesRepository(folded: string): boolean {
  return MAKES_REPOSITORY.some((each) => foldName(each) === folded);
}

/** By what git goes: `HEAD`, and `objects` and `refs`, which may also lie where a `commondir` says. @param has asked for names as git spells them */
export function isRepository(has: (name: (typeof MAKES_REPOSITORY)[number]) => boolean): boolean {
  return has('HEAD') && (has('commondir') || (has('objects') && has('refs')));
}

/**
 * Git takes any folder for a repository in which certain names lie, without a `.git` anywhere, and runs what its configuration
 * names as soon as somebody asks for its state. So no tool may make the last of these names, nor what is obeyed in such a folder.
 * @param segments of the place, below the root
 * @param name what is to be made or written there
 * @throws DevsError PATH_PROTECTED
 */
export function refuseLayout(place: Place, segments: readonly string[], name: string): void {
  const isThere = (each: string) => lstatSync(childPath(place, each), { throwIfNoEntry: false }) !== undefined;
  const folded = foldName(name);
  const isMaking = makesRepository(folded);
  if (isMaking && !isRepository(isThere) && isRepository((each) => foldName(each) === folded || isThere(each))) throw isGits();
  if (isObeyedInRepository(name) && isRepository(isThere)) throw isGits();
  const isInHooks = segments.some((segment, depth) => {
    const around = '../'.repeat(segments.length - depth);
    return foldName(segment) === 'hooks' && isRepository((each) => isThere(`${around}${each}`));
  });
  if (isInHooks) throw isGits();
}

function isGits(): DevsError {
  return new DevsError('PATH_PROTECTED', { decidedBy: 'what git takes for a repository, built in' });
}
