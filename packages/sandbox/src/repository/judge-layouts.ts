import { foldName } from '@devs/core';
import { isNameOfRepository, isRepository } from '../git-layout.ts';
import { GONE, textOf, type Change } from './judge-changes.ts';

/** All paths of a commit, folders too, one character a byte. */
export type Tree = readonly string[];

export interface Trees {
  readonly before: Tree;
  readonly after: Tree;
}

type Spelling = (name: string) => string;

/** As a disk that tells all names apart has it, and as any other might: a repository on one of them is enough. */
const SPELLINGS: readonly Spelling[] = [(name) => name, foldName];

/**
 * Git takes any folder with certain names in it for a repository. Two commits can bring them one after the other, and on the
 * disk they need never lie together: an agent renames `x/HEAD` before it writes `x/refs`. So the folder is judged as it is
 * checked out.
 * @param list the trees: asked for only when a name of these is among the changes
 * @returns the changes that make a repository of a folder that was none
 */
export async function findNewLayouts(changes: readonly Change[], list: () => Promise<Trees>): Promise<ReadonlySet<Change>> {
  const makers = SPELLINGS.map((spell) => [spell, findMakers(changes, spell)] as const);
  if (makers.every(([, byFolder]) => byFolder.size === 0)) return new Set();
  const { before, after } = await list();
  const found = makers.flatMap(([spell, byFolder]) => {
    const were = repositoriesIn(before, byFolder, spell);
    return [...repositoriesIn(after, byFolder, spell)].filter((folder) => !were.has(folder)).flatMap((folder) => byFolder.get(folder) ?? []);
  });
  return new Set(found);
}

/** By the folder that each could make a repository of. */
function findMakers(changes: readonly Change[], spell: Spelling): ReadonlyMap<string, readonly Change[]> {
  const byFolder = new Map<string, Change[]>();
  for (const change of changes) {
    if (change.mode === GONE) continue;
    const segments = textOf(change.path).split('/');
    for (const [depth, segment] of segments.entries()) {
      if (!isNameOfRepository(segment, spell)) continue;
      const folder = spelled(segments.slice(0, depth), spell);
      const others = byFolder.get(folder);
      if (others === undefined) byFolder.set(folder, [change]);
      else others.push(change);
    }
  }
  return byFolder;
}

function repositoriesIn(tree: Tree, folders: ReadonlyMap<string, unknown>, spell: Spelling): ReadonlySet<string> {
  const names = new Map<string, Set<string>>();
  for (const path of tree) {
    const segments = textOf(path).split('/');
    const name = segments.pop() ?? '';
    if (!isNameOfRepository(name, spell)) continue;
    const folder = spelled(segments, spell);
    if (folders.has(folder)) names.set(folder, (names.get(folder) ?? new Set()).add(spell(name)));
  }
  return new Set([...names].filter(([, found]) => isRepository((name) => found.has(spell(name)))).map(([folder]) => folder));
}

function spelled(segments: readonly string[], spell: Spelling): string {
  return segments.map(spell).join('/');
}
