import path from 'node:path';
import { errnoOf } from '@devs/core';
import { LinuxPlaces } from '../files/linux-places.ts';
import { commitRefused } from './commit-refused.ts';
import { GitFolder } from './git-folder.ts';

const MOST_BYTES_OF_A_PATH = 8_192;

/** The git folders of a project: the same one twice, but in a linked worktree. */
export interface Repository {
  /** Has `HEAD` and the index. */
  readonly own: GitFolder;
  /** Has the objects, the branches, the configuration and the hooks. */
  readonly common: GitFolder;
}

/**
 * @param root absolute and real
 * @throws DevsError COMMIT_REFUSED: there is none right here, or one of a kind that devs does not commit to
 */
export function openRepository(root: string): Repository & Disposable {
  const kind = kindOfGit(root);
  const repository = kind === 'directory' ? openPlain(path.join(root, '.git')) : openWorktree(root);
  return {
    ...repository,
    [Symbol.dispose]: () => {
      repository.own[Symbol.dispose]();
      if (repository.common !== repository.own) repository.common[Symbol.dispose]();
    },
  };
}

function kindOfGit(root: string): 'directory' | 'file' {
  const places = new LinuxPlaces(root);
  try {
    const { kind } = places.open(places.root, '.git');
    if (kind === 'directory') return kind;
    if (kind === 'file') return kind;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    throw commitRefused('the project folder is not the top folder of a git repository.');
  } finally {
    places.root.close();
  }
  throw commitRefused('the .git of the project is a link.');
}

function openPlain(gitPath: string): Repository {
  const own = new GitFolder(gitPath);
  // Git would take objects, branches and configuration from wherever it says.
  if (own.path !== gitPath || own.has('commondir')) {
    own[Symbol.dispose]();
    throw commitRefused('the .git of the project leads to another folder.');
  }
  return { own, common: own };
}

/**
 * A `.git` file may name any repository of the user. That one must name this project in turn, which only git or its owner
 * can have written there.
 */
function openWorktree(root: string): Repository {
  const own = openNamed(root, '.git', /^gitdir: (.+)$/);
  try {
    const common = openNamed(own.path, 'commondir', /^(.+)$/);
    if (isLinked(root, own, common)) return { own, common };
    common[Symbol.dispose]();
  } catch (error) {
    own[Symbol.dispose]();
    throw error;
  }
  own[Symbol.dispose]();
  throw notLinked();
}

function isLinked(root: string, own: GitFolder, common: GitFolder): boolean {
  if (path.dirname(own.path) !== path.join(common.path, 'worktrees')) return false;
  const back = own.read('gitdir', MOST_BYTES_OF_A_PATH)?.toString().replace(/\n$/, '');
  return back !== undefined && path.resolve(own.path, back) === path.join(root, '.git');
}

/** The folder that a file names, by a path from where it lies. */
function openNamed(folder: string, name: string, form: RegExp): GitFolder {
  using place = new GitFolder(folder);
  const text = place.read(name, MOST_BYTES_OF_A_PATH)?.toString().replace(/\n$/, '');
  const named = text === undefined ? undefined : form.exec(text)?.[1];
  if (named === undefined) throw notLinked();
  try {
    return new GitFolder(path.resolve(place.path, named));
  } catch (cause) {
    throw commitRefused('the git folder of this worktree cannot be opened.', { cause });
  }
}

function notLinked(): Error {
  return commitRefused('the .git file of the project is not that of a linked worktree. A submodule is committed to by its owner.');
}
