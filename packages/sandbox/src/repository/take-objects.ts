import { closeSync, constants, openSync } from 'node:fs';
import path from 'node:path';
import { copyContent, hashContent, makeLike, type Copied, type Hashing } from './content-file.ts';
import { commitRefused } from './commit-refused.ts';
import { GitFolder } from './git-folder.ts';

const PREFIX = /^[0-9a-f]{2}$/;
const REST = /^(?:[0-9a-f]{38}|[0-9a-f]{62})$/;
const LFS_NAME = /^[0-9a-f]{64}$/;

export interface TakenObjects {
  /** Absolute path of a git folder in which nothing runs any more. */
  readonly from: string;
  readonly format: Hashing['algorithm'];
  /** Letters, digits and `-`; another one each time. */
  readonly createId: () => string;
}

/** A file that is named by its content. */
interface NamedContent {
  readonly folders: readonly string[];
  readonly name: string;
  /** The hash that it has to have. */
  readonly hash: string;
}

/**
 * Brings loose objects over into a repository. One that is not what its name says is not brought over: under the name of
 * another it would be handed out for that one ever after. What comes before it does no harm: nothing leads to it.
 * @throws DevsError COMMIT_REFUSED
 */
export async function takeObjects({ from, format, createId }: TakenObjects, to: GitFolder): Promise<void> {
  using folder = new GitFolder(from);
  const hashing = { algorithm: format, isPacked: true };
  for (const content of looseObjects(folder)) {
    await take(folder, to, { content, hashing, copied: { temporary: `tmp_obj_devs-${createId()}`, mode: 0o444 } });
  }
}

/**
 * The same for the files that Git LFS has kept: git commits what stands for them, and the shadow in which they lie goes.
 * @throws DevsError COMMIT_REFUSED
 */
export async function takeLfsObjects({ from, createId }: Omit<TakenObjects, 'format'>, to: GitFolder): Promise<void> {
  using folder = new GitFolder(from);
  for (const content of lfsObjects(folder)) {
    await take(folder, to, { content, hashing: { algorithm: 'sha256', isPacked: false }, copied: { temporary: `devs-${createId()}`, mode: 0o644 } });
  }
}

interface Take {
  readonly content: NamedContent;
  readonly hashing: Hashing;
  readonly copied: Omit<Copied, 'name'>;
}

async function take(from: GitFolder, to: GitFolder, { content, hashing, copied }: Take): Promise<void> {
  const { folders, name, hash } = content;
  const descriptor = from.within(folders, (place) => openSync(path.join(place.path, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
  if (descriptor === undefined) throw notWhole();
  try {
    if ((await hashContent(descriptor, hashing)) !== hash) throw notWhole();
    makeFolders(to, folders);
    to.within(folders, (place) => {
      copyContent(descriptor, place, { ...copied, name });
    });
  } finally {
    closeSync(descriptor);
  }
}

function makeFolders(to: GitFolder, folders: readonly string[]): void {
  for (const [index, name] of folders.entries()) {
    to.within(folders.slice(0, index), (place) => {
      makeLike(place, name);
    });
  }
}

function looseObjects(folder: GitFolder): readonly NamedContent[] {
  return foldersIn(folder, 'objects').flatMap((prefix) =>
    folder.list(`objects/${prefix}`).map((entry): NamedContent => {
      if (!entry.isFile() || !REST.test(entry.name)) throw commitRefused('something else than an object lies among the objects of the commit.');
      return { folders: ['objects', prefix], name: entry.name, hash: `${prefix}${entry.name}` };
    }));
}

/** What is named otherwise Git LFS was not done with. */
function lfsObjects(folder: GitFolder): readonly NamedContent[] {
  const prefixes = foldersIn(folder, 'lfs/objects').flatMap((first) => foldersIn(folder, `lfs/objects/${first}`).map((second) => [first, second] as const));
  return prefixes.flatMap(([first, second]) =>
    folder
      .list(`lfs/objects/${first}/${second}`)
      .filter((entry) => entry.isFile() && LFS_NAME.test(entry.name) && entry.name.startsWith(`${first}${second}`))
      .map(({ name }) => ({ folders: ['lfs', 'objects', first, second], name, hash: name })));
}

function foldersIn(folder: GitFolder, place: string): readonly string[] {
  return folder.list(place).filter((entry) => entry.isDirectory() && PREFIX.test(entry.name)).map(({ name }) => name);
}

function notWhole(): Error {
  return commitRefused('an object of the commit is not what its name says.');
}
