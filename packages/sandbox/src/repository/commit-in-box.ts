import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { CommitPlan, MendedLink, Mount, ProcessOutcome, ProjectEffects } from '@devs/core';
import { commitRefused } from './commit-refused.ts';
import { isWithin } from '../files/is-within.ts';
import type { CommitParts } from './commit-parts.ts';
import type { Repository } from './find-repository.ts';
import { identityEnvironment, refuseFailure, runInBox, shownOutput } from './git-box.ts';
import { GitFolder } from './git-folder.ts';
import { readHead, readTip, type RepositoryState } from './repository-state.ts';
import type { ShadowConfig } from './shadow-config.ts';
import { readShadowFiles, writeShadow } from './shadow-folder.ts';
import { tellEffects, withEffects } from './told-effects.ts';

export interface CommitScene {
  readonly repository: Repository;
  readonly state: RepositoryState;
  readonly config: ShadowConfig;
  /** Absolute path of the private folder of this commit. */
  readonly folder: string;
}

/** With what hooks have planted, and taken away. */
export interface HookedCommit extends Required<ProjectEffects> {
  /** Full object name. What it is a name of is to be found out: hooks had everything in hand. */
  readonly commit: string;
  /** Absolute path of the git folder in which hooks ran: not to be trusted in anything. */
  readonly shadow: string;
  /** What hooks have said. */
  readonly said: string | undefined;
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
/** As `--all`, without what is hidden in the box: git would take it for gone. */
const COMMIT_SHOWN = `git add --update ${FROM_FILE} && ${COMMIT}`;
/** Not `commit --only`, which fails where a file has become a folder. What else is staged is not in this index: it is a copy. */
const COMMIT_PATHS = `git add --all ${FROM_FILE} && ${COMMIT}`;
const WITH_LAST = 'git read-tree -i -m HEAD &&';
const WITH_NOTHING = 'git read-tree --empty &&';

/**
 * Commits in a shadow of the git folder, in a box: with the hooks and filters of the project, which see its files as any
 * command does, and of its repository only what they can read.
 * @param plan with paths below the root that were judged; without: all that is tracked or staged
 * @throws DevsError COMMIT_REFUSED, SANDBOX_UNAVAILABLE
 */
export async function commitInBox(parts: CommitParts, scene: CommitScene, plan: CommitPlan): Promise<HookedCommit> {
  const shadow = path.join(scene.folder, 'hooked');
  const { outcome, ...mended } = await runGuarded(parts, scene, { shadow, plan });
  return tellEffects(mended, parts.signal, () => {
    refuseNothing(outcome);
    refuseFailure(outcome, 'git, or a hook of the project,');
    return { commit: readCommit(shadow, scene.state), shadow, said: shownOutput(outcome.stderr), ...mended };
  });
}

function prepare({ owner }: CommitParts, { repository, state, config }: CommitScene, { shadow, message, specs }: { readonly shadow: string; readonly message: string; readonly specs: readonly string[] }): void {
  const { head } = state;
  const objects = [path.join(repository.common.path, 'objects')];
  const files = new Map([...readShadowFiles(repository, state), [MESSAGE, Buffer.from(message)], [PATHS, Buffer.from(specs.join('\0'))]]);
  writeShadow(shadow, { head: head.text, config: config.text, index: state, objects, files }, owner);
}

interface Guarded extends Required<ProjectEffects> {
  readonly outcome: ProcessOutcome;
}

async function runGuarded(parts: CommitParts, scene: CommitScene, { shadow, plan }: { readonly shadow: string; readonly plan: CommitPlan }): Promise<Guarded> {
  const { guard, root, env, identity } = parts;
  const snapshot = await guard.before();
  const shown = parts.mounts(snapshot.existing);
  const hidden = shown.filter(({ source, access }) => access === 'hidden' && isWithin(source, root)).map(({ source }) => `:(top,exclude,literal)${path.relative(root, source)}`);
  const named = plan.paths?.map((name) => `:(top,literal)${name}`);
  prepare(parts, scene, { shadow, message: plan.message, specs: [...(named ?? [':(top)']), ...hidden] });
  const running = runInBox(parts, {
    argv: ['/bin/sh', '-c', scriptFor(scene.state, named !== undefined, hidden.length > 0)],
    cwd: root,
    env: { ...env, ...identityEnvironment(identity), GIT_DIR: shadow, GIT_WORK_TREE: root },
    mounts: [...shown, ...repositoryMounts(shown, scene), { source: shadow, access: 'write' }],
  });
  const [ended] = await Promise.allSettled([running]);
  // Also of a run that failed: it may have planted first.
  const links: MendedLink[] = [];
  const movedAside = await guard.after(snapshot, (link) => links.push(link));
  if (ended.status === 'rejected') throw withEffects(ended.reason, { movedAside, links }, parts.signal);
  return { outcome: ended.value, movedAside, links };
}

function scriptFor({ tip }: RepositoryState, isPartial: boolean, hasHidden: boolean): string {
  if (isPartial) return `${tip === undefined ? WITH_NOTHING : WITH_LAST} ${COMMIT_PATHS}`;
  return hasHidden ? COMMIT_SHOWN : COMMIT_ALL;
}

/** Objects and hooks, also where they lie outside of the project or of what the tool may reach: a hook passed over is a check passed over. */
function repositoryMounts(shown: readonly Mount[], { repository: { common }, config: { hooks } }: CommitScene): readonly Mount[] {
  const objects: Mount = { source: path.join(common.path, 'objects'), access: 'read' };
  const view = shown.findLast(({ source }) => isWithin(hooks, source));
  if (!existsSync(hooks) || (view !== undefined && view.access !== 'hidden')) return [objects];
  // A link would be followed outside the box.
  if (view === undefined && realpathSync.native(hooks) === hooks) return [objects, { source: hooks, access: 'read' }];
  throw commitRefused('the hooks of the repository lie where git_commit may not reach them.');
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
