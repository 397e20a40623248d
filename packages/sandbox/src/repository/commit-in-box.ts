import path from 'node:path';
import type { CommitPlan, Mount, MovedAside, ProcessOutcome } from '@devs/core';
import { commitRefused } from './commit-refused.ts';
import type { CommitParts } from './commit-parts.ts';
import type { Repository } from './find-repository.ts';
import { identityEnvironment, refuseFailure, runInBox, shownOutput } from './git-box.ts';
import { GitFolder } from './git-folder.ts';
import { readHead, readTip, type RepositoryState } from './repository-state.ts';
import type { ShadowConfig } from './shadow-config.ts';
import { readShadowFiles, writeShadow } from './shadow-folder.ts';

export interface CommitScene {
  readonly repository: Repository;
  readonly state: RepositoryState;
  readonly config: ShadowConfig;
  /** Absolute path of the private folder of this commit. */
  readonly folder: string;
}

export interface HookedCommit {
  /** Full object name. What it is a name of is to be found out: hooks had everything in hand. */
  readonly commit: string;
  /** Absolute path of the git folder in which hooks ran: not to be trusted in anything. */
  readonly shadow: string;
  /** What hooks have said. */
  readonly said: string | undefined;
  /** What they have planted. */
  readonly movedAside: readonly MovedAside[];
}

/** Both are files of the shadow: a list of paths can be longer than a command line. */
const MESSAGE = 'devs-message';
const PATHS = 'devs-paths';

/*
 * `:(top,literal)` in each path and not GIT_LITERAL_PATHSPECS: hooks would inherit that, and many name patterns.
 */
const COMMIT = `exec git commit --file="$GIT_DIR/${MESSAGE}" --cleanup=whitespace`;
const FROM_FILE = `--pathspec-from-file="$GIT_DIR/${PATHS}" --pathspec-file-nul`;
const COMMIT_ALL = `${COMMIT} --all`;
const COMMIT_PATHS = `git add --all ${FROM_FILE} && ${COMMIT} --only ${FROM_FILE}`;

/**
 * Commits in a shadow of the git folder, in a box: with the hooks and filters of the project, which see its files as any
 * command does, and of its repository only what they can read.
 * @param paths below the root, judged; undefined: all that is tracked or staged
 * @throws DevsError COMMIT_REFUSED, SANDBOX_UNAVAILABLE
 */
export async function commitInBox(parts: CommitParts, scene: CommitScene, plan: CommitPlan): Promise<HookedCommit> {
  const shadow = path.join(scene.folder, 'hooked');
  prepare(parts, scene, { shadow, plan });
  const { outcome, movedAside } = await runGuarded(parts, scene, { shadow, isPartial: plan.paths !== undefined });
  refuseNothing(outcome);
  refuseFailure(outcome, 'git, or a hook of the project,');
  return { commit: readCommit(shadow, scene.state), shadow, said: shownOutput(outcome.stderr), movedAside };
}

function prepare({ owner }: CommitParts, { repository, state, config }: CommitScene, { shadow, plan }: { readonly shadow: string; readonly plan: CommitPlan }): void {
  const { head } = state;
  const objects = [path.join(repository.common.path, 'objects')];
  const files = new Map(readShadowFiles(repository, state));
  files.set(MESSAGE, Buffer.from(plan.message));
  if (plan.paths !== undefined) files.set(PATHS, Buffer.from(plan.paths.map((name) => `:(top,literal)${name}`).join('\0')));
  writeShadow(shadow, { head: head.text, config: config.text, index: state, objects, files }, owner);
}

interface Guarded {
  readonly outcome: ProcessOutcome;
  readonly movedAside: readonly MovedAside[];
}

async function runGuarded(parts: CommitParts, scene: CommitScene, run: { readonly shadow: string; readonly isPartial: boolean }): Promise<Guarded> {
  const { guard, root, env, identity } = parts;
  const snapshot = await guard.before();
  const running = runInBox(parts, {
    argv: ['/bin/sh', '-c', run.isPartial ? COMMIT_PATHS : COMMIT_ALL],
    cwd: root,
    env: { ...env, ...identityEnvironment(identity), GIT_DIR: run.shadow, GIT_WORK_TREE: root },
    mounts: [...parts.mounts(snapshot.existing), ...repositoryMounts(root, scene), { source: run.shadow, access: 'write' }],
  });
  const [ended] = await Promise.allSettled([running]);
  // Also of a run that failed: it may have planted first.
  const movedAside = await guard.after(snapshot);
  if (ended.status === 'rejected') throw ended.reason;
  return { outcome: ended.value, movedAside };
}

/** Of a linked worktree, what lies outside of the project. */
function repositoryMounts(root: string, { repository: { common }, config }: CommitScene): readonly Mount[] {
  if (common.path === path.join(root, '.git')) return [];
  const objects: Mount = { source: path.join(common.path, 'objects'), access: 'read' };
  if (!config.hooks.startsWith(`${common.path}${path.sep}`)) return [objects];
  // A link there would be followed outside the box.
  const isThere = common.within(path.relative(common.path, config.hooks).split(path.sep), () => true) === true;
  return isThere ? [objects, { source: config.hooks, access: 'read' }] : [objects];
}

/** Git says on stdout what state the files are in when there is nothing to commit, and nothing on stderr; a hook's words are there. */
function refuseNothing({ exit, stdout, stderr }: ProcessOutcome): void {
  if (exit.kind !== 'code' || exit.code !== 1 || shownOutput(stderr) !== undefined) return;
  if (/^(?:nothing to commit|nothing added to commit|no changes added to commit|Changes not staged|Untracked files)/m.test(shownOutput(stdout) ?? '')) {
    throw commitRefused('there is nothing to commit.', { suggestion: 'A new file has to be named in "paths".' });
  }
}

function readCommit(shadow: string, { head, tip }: RepositoryState): string {
  using folder = new GitFolder(shadow);
  const now = readHead(folder);
  const commit = readTip({ common: folder }, now);
  if (now.ref !== head.ref) throw commitRefused('a hook has switched the branch.');
  if (commit === undefined || commit === tip) throw commitRefused('git has made no commit.');
  return commit;
}
