import { foldName } from '@devs/core';
import { isNameOfRepository, isObeyedInRepository, isRepository } from '../files/git-layout.ts';
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
 * checked out. In one that was a repository before, say for tests, a hook could give `config` a program to run.
 * @param list the trees: asked for only when a name that matters is among the changes
 * @returns the changes that make a repository of a folder that was none, and those of what git obeys in one
 */
export async function findLayouts(changes: readonly Change[], list: () => Promise<Trees>): Promise<ReadonlySet<Change>> {
  const judged = SPELLINGS.map((spell) => ({
    spell,
    makers: byFolder(changes, spell, (name) => isNameOfRepository(name, spell)),
    obeyed: byFolder(changes, spell, isObeyedInRepository),
  }));
  if (judged.every(({ makers, obeyed }) => makers.size + obeyed.size === 0)) return new Set();
  const { before, after } = await list();
  const found = judged.flatMap(({ spell, makers, obeyed }) => {
    const folders = new Set([...makers.keys(), ...obeyed.keys()]);
    const were = repositoriesIn(before, folders, spell);
    const are = [...repositoriesIn(after, folders, spell)];
    return are.flatMap((folder) => [...(were.has(folder) ? [] : (makers.get(folder) ?? [])), ...(obeyed.get(folder) ?? [])]);
  });
  return new Set(found);
}

/** What is added or changed, by the folders in which such a name lies. */
function byFolder(changes: readonly Change[], spell: Spelling, isSuch: (name: string) => boolean): ReadonlyMap<string, readonly Change[]> {
  const found = new Map<string, Change[]>();
  for (const change of changes) {
    if (change.mode === GONE) continue;
    const segments = textOf(change.path).split('/');
    for (const [depth, segment] of segments.entries()) {
      if (!isSuch(segment)) continue;
      const folder = spelled(segments.slice(0, depth), spell);
      const others = found.get(folder);
      if (others === undefined) found.set(folder, [change]);
      else others.push(change);
    }
  }
  return found;
}

function repositoriesIn(tree: Tree, folders: ReadonlySet<string>, spell: Spelling): ReadonlySet<string> {
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
