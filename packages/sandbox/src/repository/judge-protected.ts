import { foldName } from '@devs/core';
import { quotePath } from '../files/errno.ts';
import type { Protection } from '../files/protection.ts';
import { commitRefused } from './commit-refused.ts';
import type { DiskFile } from './disk-file.ts';
import { findLayouts, type Trees } from './judge-layouts.ts';
import { GONE, textOf, type Change } from './judge-changes.ts';

export interface ProtectedParts {
  readonly protection: Protection;
  /** The file of the project; undefined when there is none. */
  readonly onDisk: (path: string) => DiskFile | undefined;
  /** All that the last commit has, and all that this one has. */
  readonly trees: () => Promise<Trees>;
  /** What the user's own index has for paths that are one character a byte: mode and object by path. */
  readonly staged: (paths: readonly string[]) => Promise<ReadonlyMap<string, Staged>>;
}

export type Staged = Pick<Change, 'mode' | 'object'>;

const LINK = '120000';

/** Asked for one by one on a command line. */
const MOST_STAGED = 200;

/**
 * A hook has all of the commit in hand: it could give what no tool may write a content that no tool could, and whoever checks
 * the commit out has it. What is on the disk no tool has written, and what was staged no tool has staged: that may be committed. What
 * is gone a tool may have moved, so a removal has to be staged.
 * @throws DevsError COMMIT_REFUSED
 */
export async function judgeProtected(changes: readonly Change[], { protection, onDisk, trees, staged }: ProtectedParts): Promise<void> {
  const layouts = await findLayouts(changes, trees);
  const refusal = (change: Change) => {
    if (layouts.has(change)) return ofRepository(change);
    return change.mode === GONE ? removed(change) : changed(change);
  };
  // A part of a repository on the disk says nothing: file tools may write each part where the others are not.
  const others = changes.filter((change) => layouts.has(change) || (isProtected(change, protection) && !isAsOnDisk(change, onDisk)));
  const [first] = others;
  if (first === undefined) return;
  if (others.length > MOST_STAGED) throw refusal(first);
  const known = await staged(others.map(({ path }) => path));
  const bad = others.find((change) => !isText(change.path) || !isAsStaged(change, known.get(change.path)));
  if (bad !== undefined) throw refusal(bad);
}

/** By a `HEAD` git takes a folder for a repository, wherever it lies. */
function isProtected({ mode, path }: Change, protection: Protection): boolean {
  const segments = textOf(path).split('/');
  const last = segments.at(-1) ?? '';
  if (mode !== GONE && foldName(last) === 'head') return true;
  // A link `.vim` to a folder of ordinary files gives whoever checks it out another `.vim/coc-settings.json`.
  if (mode === LINK && protection.linkProtectedBy(last, segments.slice(0, -1)) !== undefined) return true;
  return segments.some((segment, index) => protection.protectedBy(segment, segments.slice(0, index)) !== undefined);
}

function isAsOnDisk({ before, mode, object, path }: Change, onDisk: ProtectedParts['onDisk']): boolean {
  // That it is gone says nothing: a command may have renamed the folder around it, `.github` to `g2`, in which no name counts.
  if (mode === GONE || !isText(path)) return false;
  const file = onDisk(textOf(path));
  if (file === undefined) return false;
  // A repository may ask git not to look at who may run a file: then it stays as it was, or begins as one that nobody runs.
  return file.objects.includes(object) && [file.mode, before === GONE ? '100644' : before].includes(mode);
}

/** Of a name that is no UTF-8 nothing is found by its text. */
function isText(path: string): boolean {
  return Buffer.from(textOf(path)).toString('latin1') === path;
}

function isAsStaged({ mode, object }: Change, staged: Staged | undefined): boolean {
  return mode === GONE ? staged === undefined : staged?.mode === mode && staged.object === object;
}

function changed({ path }: Change): Error {
  return commitRefused(`it would change ${quotePath(textOf(path))}, which no tool may write, to what it is not on the disk: a hook or a filter has done that.`, {
    suggestion: 'Ask the person you work for to commit it, or name other paths in "paths".',
  });
}

function ofRepository({ path }: Change): Error {
  return commitRefused(`it would add or change ${quotePath(textOf(path))}, which no tool may write: git would take the folder around it for a repository, and run what its configuration names.`, {
    suggestion: 'Ask the person you work for to stage it, or name other paths in "paths".',
  });
}

function removed({ path }: Change): Error {
  return commitRefused(`it would remove ${quotePath(textOf(path))}, which no tool may write: a command may have moved it, or a hook has taken it out.`, {
    suggestion: 'Ask the person you work for to stage the removal, or put it back where it was.',
  });
}
