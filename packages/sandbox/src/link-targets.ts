import { readdirSync } from 'node:fs';
import path from 'node:path';
import { splitPath } from '@devs/core';
import { followLinks } from './closed-folders.ts';
import { isWithin } from './files/is-within.ts';
import { ProtectedPatterns, type PatternList, type PatternPlace, type PlacedPattern } from './files/protected-patterns.ts';

/**
 * What the protected links at the top of the root, and of home folders in it, lead to in the root: as `~/.gitconfig`,
 * `~/dotfiles/gitconfig` is read, so a tool that writes it has written the other. So is each link on the way.
 */
export function linkTargets(list: PatternList, place: PatternPlace): readonly PlacedPattern[] {
  const patterns = new ProtectedPatterns(list, place);
  const root = toPath(place.root);
  const homes = place.homes.map(toPath).filter((home) => isWithin(home, root));
  // A link to all of it would leave nothing to work on.
  const isPart = (target: string) => isWithin(target, root) && ![root, ...homes].some((folder) => isWithin(folder, target));
  return [...new Set([root, ...homes])].flatMap((folder) =>
    linksIn(folder).flatMap((name) => {
      const pattern = patterns.find(name, splitPath(path.relative(root, folder)));
      return pattern === undefined ? [] : placesOf(path.join(folder, name)).filter(isPart).map((target) => ({ pattern, place: splitPath(target) }));
    }),
  );
}

function placesOf(link: string): readonly string[] {
  const { real, links } = followLinks(link);
  return [...links, real].filter((place) => place !== link);
}

function linksIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink()).map(({ name }) => name);
  } catch {
    return []; // What devs may not look into, its tools may not either.
  }
}

function toPath(segments: readonly string[]): string {
  return `/${segments.join('/')}`;
}
