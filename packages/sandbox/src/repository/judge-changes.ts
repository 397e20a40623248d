import type { DevsError } from '@devs/core';
import { quotePath } from '../files/errno.ts';
import { isWithin } from '../files/is-within.ts';
import type { Protection } from '../files/protection.ts';
import { commitRefused } from './commit-refused.ts';

/** One path that a commit changes. */
export interface Change {
  /** What it was before; `000000` when it was not there. */
  readonly before: string;
  /** What it is afterwards; `000000` when it is gone. */
  readonly mode: string;
  /** Full object name. */
  readonly object: string;
  /** Below the root, one character a byte. */
  readonly path: string;
}

/** The mode of what is not there. */
export const GONE = '000000';
const LINK_TO_REPOSITORY = '160000';
const LINE = /^:([0-7]{6}) ([0-7]{6}) [0-9a-f]+ ([0-9a-f]+) [AMDT]$/;

/** `git diff-tree -r --raw -z`. @throws DevsError COMMIT_REFUSED: it is nothing that git writes */
export function parseChanges(bytes: Buffer): readonly Change[] {
  const fields = bytes.toString('latin1').split('\0');
  const changes: Change[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [, before, mode, object] = LINE.exec(fields[index] ?? '') ?? [];
    const path = fields[index + 1];
    if (before === undefined || mode === undefined || object === undefined || path === undefined) throw commitRefused('git has described the commit in a way that devs does not know.');
    refuseRepository(before, mode);
    changes.push({ before, mode, object, path });
  }
  return changes;
}

/**
 * Whatever was named, what counts is what the commit changes: a folder may hold what the tool must not reach, and a hook may
 * add what nobody has named.
 * @param named paths below the root; undefined: all of it
 * @throws DevsError PATH_BLOCKED, PATH_NOT_ALLOWED, PATH_PROTECTED, without a name: what is hidden has none; COMMIT_REFUSED
 */
export function judgeChanges(changes: readonly Change[], protection: Protection, named: readonly string[] | undefined): void {
  for (const { path } of changes) {
    const text = textOf(path);
    protection.refuseReading(text.split('/'));
    if (named?.some((each) => each === '' || isWithin(text, each)) === false) throw unnamed(text);
  }
}

export function textOf(path: string): string {
  return Buffer.from(path, 'latin1').toString();
}

function unnamed(path: string): DevsError {
  return commitRefused(`a hook has added ${quotePath(path)}, which lies in none of "paths".`, { suggestion: 'Name it as well, if it belongs to the commit.' });
}

/** Of a repository within the repository `git status` asks for its state, and runs what its configuration names. */
function refuseRepository(before: string, mode: string): void {
  if (mode !== LINK_TO_REPOSITORY && before !== LINK_TO_REPOSITORY) return;
  throw commitRefused('it would add or change a submodule or a repository within the project.', { suggestion: 'Name other paths in "paths", or ask the person you work for.' });
}
