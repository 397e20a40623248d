import { commitRefused } from './commit-refused.ts';
import type { Repository } from './find-repository.ts';
import type { GitFolder } from './git-folder.ts';

const MOST_BYTES_OF_A_REF = 4_096;
const MOST_BYTES_OF_PACKED_REFS = 67_108_864;
const MOST_BYTES_OF_AN_INDEX = 268_435_456;

/** A full object name: SHA-1 or SHA-256. */
export const OBJECT_NAME = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Where the next commit goes. */
export interface Head {
  /** As `HEAD` has it, without its line feed. */
  readonly text: string;
  /** `refs/heads/…`; undefined on a detached head. */
  readonly ref: string | undefined;
}

/** All that a commit replaces, as it was when it was read. */
export interface RepositoryState {
  readonly head: Head;
  /** The last commit; undefined before the first one. */
  readonly tip: string | undefined;
  readonly index: Buffer | undefined;
  /**
   * Seconds: when the index was written, rounded down. An index that seems younger than it is makes git take files for
   * unchanged that were written in the same moment: it looks into those alone that are not older than the index.
   */
  readonly indexTime: number;
}

/** What git leaves in its folder while something is half done, and what to do about it. */
const UNDER_WAY: ReadonlyMap<string, string> = new Map([
  ['MERGE_HEAD', 'a merge is under way. It has to be finished or aborted first.'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick is under way. It has to be finished or aborted first.'],
  ['REVERT_HEAD', 'a revert is under way. It has to be finished or aborted first.'],
  ['rebase-merge', 'a rebase is under way. It has to be finished or aborted first.'],
  ['rebase-apply', 'a rebase or a series of patches is under way. It has to be finished or aborted first.'],
  ['index.lock', 'another git is working in this repository, or one was killed and left its index.lock behind.'],
]);

/** @throws DevsError COMMIT_REFUSED: something is under way, or the folder is not as git leaves it */
export function readState(repository: Repository): RepositoryState {
  const { own } = repository;
  const head = readHead(own);
  // Before the bytes: of an index that is replaced in between the older time is the safe one.
  const indexTime = own.timeOf('index') ?? 0;
  return { head, tip: readTip(repository, head), index: own.read('index', MOST_BYTES_OF_AN_INDEX), indexTime };
}

/** @throws DevsError COMMIT_REFUSED */
export function refuseUnderWay({ own }: Repository): void {
  const names = new Set(own.list('').map(({ name }) => name));
  for (const [name, problem] of UNDER_WAY) {
    if (names.has(name)) throw commitRefused(problem, { suggestion: 'Ask the person you work for.' });
  }
}

export function isSameState(one: RepositoryState, other: RepositoryState): boolean {
  if (one.head.text !== other.head.text || one.tip !== other.tip) return false;
  return one.index === undefined || other.index === undefined ? one.index === other.index : one.index.equals(other.index);
}

export function readHead(own: GitFolder): Head {
  const text = own.read('HEAD', MOST_BYTES_OF_A_REF)?.toString().replace(/\n$/, '') ?? '';
  const ref = /^ref: (.+)$/.exec(text)?.[1];
  if (ref === undefined ? OBJECT_NAME.test(text) : isBranch(ref)) return { text, ref };
  throw commitRefused('HEAD is neither a branch nor a commit.');
}

/** The commit that a head leads to. */
export function readTip({ common }: Pick<Repository, 'common'>, { ref, text }: Head): string | undefined {
  if (ref === undefined) return text;
  const loose = common.read(ref, MOST_BYTES_OF_A_REF)?.toString().replace(/\n$/, '');
  const tip = loose ?? findPacked(common, ref);
  if (tip === undefined || OBJECT_NAME.test(tip)) return tip;
  throw commitRefused('the branch is not one that leads to a commit.');
}

export function readPackedRefs(common: GitFolder): Buffer | undefined {
  return common.read('packed-refs', MOST_BYTES_OF_PACKED_REFS);
}

function findPacked(common: GitFolder, ref: string): string | undefined {
  const text = readPackedRefs(common)?.toString('latin1');
  const wanted = Buffer.from(` ${ref}\n`).toString('latin1');
  const at = text?.indexOf(wanted) ?? -1;
  if (text === undefined || at === -1) return undefined;
  return text.slice(text.lastIndexOf('\n', at) + 1, at);
}

/** As `git check-ref-format` has it: no name that leads elsewhere, or to a lock of git. */
function isBranch(ref: string): boolean {
  if (!ref.startsWith('refs/heads/') || /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$/.test(ref)) return false;
  return ref.split('/').every((name) => !name.startsWith('.') && !name.endsWith('.lock'));
}
