import { readdirSync, type Dirent } from 'node:fs';
import path from 'node:path';
import { DevsError, splitPath } from '@devs/core';
import { followLinks } from './closed-folders.ts';
import { isWithin } from './files/is-within.ts';
import { ProtectedPatterns, type PatternList, type PatternPlace, type PlacedPattern } from './files/protected-patterns.ts';

/** Of links, and of places that they lead to. A cloned project may hold any number, and each is asked for with every name. */
const MOST = 2_000;

/** A link that is protected. */
interface HeldLink {
  /** Absolute. */
  readonly link: string;
  readonly pattern: string;
}

/**
 * What protected links lead to in the root: as `~/.gitconfig`, `~/dotfiles/gitconfig` is read, so a tool that writes it has
 * written the other. So is each link on the way. Looked at are links at the top of the root and of home folders in it, and,
 * where GNU Stow puts them beside files of other packages, links in the folders with a dot there and in those in `.config`.
 * @throws DevsError CONFIG_INVALID: there are more than devs can hold against each name
 */
export function linkTargets(list: PatternList, place: PatternPlace): readonly PlacedPattern[] {
  const root = toPath(place.root);
  const homes = place.homes.map(toPath).filter((home) => isWithin(home, root));
  const patterns = new ProtectedPatterns(list, place);
  const ruleOf = (each: string) => {
    const names = splitPath(path.relative(root, each));
    return names.map((name, index) => patterns.find(name, names.slice(0, index))).find((rule) => rule !== undefined);
  };
  const links = [...new Set([root, ...homes, ...homes.flatMap(settingsIn)])].flatMap(linksIn).flatMap((link): HeldLink[] => {
    const pattern = ruleOf(link);
    return pattern === undefined ? [] : [{ link, pattern }];
  });
  if (links.length > MOST) throw tooMany();
  // A link to all of it would leave nothing to work on. What is protected by its own name, no second rule has to hold.
  const isPart = (target: string) => isWithin(target, root) && ![root, ...homes].some((folder) => isWithin(folder, target)) && ruleOf(target) === undefined;
  const found = new Map<string, string>();
  for (const { link, pattern } of links) {
    for (const target of placesOf(link).filter(isPart)) found.set(target, pattern);
    if (found.size > MOST) throw tooMany();
  }
  return [...found].map(([target, pattern]) => ({ pattern, place: splitPath(target) }));
}

/** The folders with a dot at the top of a home folder, and what `.config` holds. */
function settingsIn(home: string): readonly string[] {
  const top = foldersIn(home).filter((folder) => path.basename(folder).startsWith('.'));
  return [...top, ...foldersIn(path.join(home, '.config'))];
}

function foldersIn(folder: string): readonly string[] {
  return entriesIn(folder).filter((entry) => entry.isDirectory()).map(({ name }) => path.join(folder, name));
}

function placesOf(link: string): readonly string[] {
  const { real, links } = followLinks(link);
  return [...links, real].filter((place) => place !== link);
}

function linksIn(folder: string): readonly string[] {
  return entriesIn(folder).filter((entry) => entry.isSymbolicLink()).map(({ name }) => path.join(folder, name));
}

function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // What devs may not look into, its tools may not either.
  }
}

function toPath(segments: readonly string[]): string {
  return `/${segments.join('/')}`;
}

function tooMany(): DevsError {
  return new DevsError('CONFIG_INVALID', {
    sentence: `The project has more than ${String(MOST)} protected links at its top, or they lead to more places than that: devs cannot protect what they lead to.`,
    suggestion: 'Remove them, or lift their names with "files.writable" in your own file.',
  });
}
