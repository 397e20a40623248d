import { realpathSync } from 'node:fs';
import { DevsError, type CommitOutcome, type CommitPlan, type RepositoryWriter } from '@devs/core';
import { parseAgentPath } from '../files/agent-path.ts';
import { isWithin } from '../files/is-within.ts';
import { toPathError } from '../files/errno.ts';
import type { Protection } from '../files/protection.ts';
import { checkCommit } from './check-commit.ts';
import { commitInBox, type CommitScene, type HookedCommit } from './commit-in-box.ts';
import type { CommitParts } from './commit-parts.ts';
import { commitRefused } from './commit-refused.ts';
import { openRepository, type Repository } from './find-repository.ts';
import { GitFolder } from './git-folder.ts';
import { createPrivateFolder } from './private-folder.ts';
import { publishCommit } from './publish-commit.ts';
import { readState, refuseUnderWay } from './repository-state.ts';
import { readShadowConfig } from './shadow-config.ts';
import { takeLfsObjects, takeObjects } from './take-objects.ts';
import { tellEffects } from './told-effects.ts';

const MOST_BYTES_OF_AN_INDEX = 268_435_456;

export interface RepositoryWriterOptions extends CommitParts {
  /** Letters, digits and `-`; another one each time. */
  readonly createId: () => string;
}

/**
 * Commits without running anything of the project outside a box, and without believing anything that comes out of one:
 *
 * 1. read `.git` by hand (no git of devs runs outside a box; a cloned `.git` may hold anything)
 * 2. commit in a box with hooks and filters, on a shadow of the git folder, the objects read-only
 * 3. look at the result in a second box, in which nothing of the project is, and make the index there
 * 4. bring the objects over, each held against its name; then branch, logs and index, under git's locks
 *
 * For one call: its rules and its signal are among the options.
 */
export function createRepositoryWriter(options: RepositoryWriterOptions): RepositoryWriter {
  return { commit: async (plan) => commit({ ...options, identity: cleanIdentity(options.identity) }, plan) };
}

async function commit(options: RepositoryWriterOptions, plan: CommitPlan): Promise<CommitOutcome> {
  const { root, signal, createId } = options;
  signal.throwIfAborted();
  refusePlaces(root, options.temporaryFolder);
  const paths = plan.paths?.map((name) => judgePath(name, options));
  using repository = openRepository(root);
  refuseUnderWay(repository);
  refuseBorrowed(repository);
  const config = readShadowConfig(repository, root);
  const state = readState(repository);
  using folder = createPrivateFolder(options.temporaryFolder, options.owner);
  const scene: CommitScene = { repository, state, config, folder: folder.path };
  const hooked = await commitInBox(options, scene, { message: plan.message, ...(paths !== undefined && { paths }) });
  const checked = await tellEffects(hooked, signal, async () => {
    const judged = await checkCommit(options, scene, { hooked, paths });
    signal.throwIfAborted();
    await takeObjects({ from: judged.folder, format: config.format, createId }, repository.common);
    await takeLfsObjects({ from: hooked.shadow, createId }, repository.common);
    signal.throwIfAborted();
    publishCommit(scene, judged, readIndex(judged.folder));
    return judged;
  });
  const branch = state.head.ref?.slice('refs/heads/'.length);
  return { commit: checked.commit, branch, summary: summarize(checked.stat, hooked, config.wantsSigning), movedAside: hooked.movedAside, links: hooked.links };
}

/** The path below the root. `..` is not for git to resolve, and what is in `.git` is not for a commit. */
function judgePath(name: string, { root, spellings = [], protection }: CommitParts): string {
  try {
    const { segments } = parseAgentPath(name, [root, ...spellings]);
    if (segments.includes('..')) throw new DevsError('PATH_REFUSED');
    refuseGit(segments, protection);
    protection.refuseReading(segments);
    return segments.join('/');
  } catch (error) {
    throw toPathError(error, name);
  }
}

function refuseGit(segments: readonly string[], protection: Protection): void {
  if (segments.some((segment) => protection.protectedBy(segment) === '.git')) throw new DevsError('PATH_PROTECTED');
}

/** Objects that are read from another repository: from which one, a cloned `.git` could say. */
function refuseBorrowed({ common }: Repository): void {
  const lists = ['objects/info/alternates', 'objects/info/http-alternates'].map((name) => common.read(name, MOST_BYTES_OF_AN_INDEX));
  if (lists.every((bytes) => bytes === undefined || bytes.length === 0)) return;
  throw commitRefused('the repository borrows its objects from another one (git clone --shared or --reference).');
}

/** Git lists folders of objects by line; and what is checked must not lie where another box may write. */
function refusePlaces(root: string, temporaryFolder: string): void {
  if (`${root}${temporaryFolder}`.includes('\n')) throw commitRefused('the path of the project holds a line feed.');
  if (isWithin(realpathSync.native(temporaryFolder), root)) throw commitRefused('devs has no folder for it outside of the project.');
}

function readIndex(folder: string): Buffer {
  using checked = new GitFolder(folder);
  const index = checked.read('index', MOST_BYTES_OF_AN_INDEX);
  if (index?.subarray(0, 4).toString('latin1') === 'DIRC') return index;
  throw commitRefused('git has written no index.');
}

/** As git writes names: a commit in another one than this is a hook's. */
function cleanIdentity({ name, email }: CommitParts['identity']): CommitParts['identity'] {
  const clean = (text: string) => text.replace(/[<>\n\0]/g, '').replace(/^[\u0000-\u0020.,:;"\\']+|(?<![\u0000-\u0020.,:;"\\'])[\u0000-\u0020.,:;"\\']+$/g, '');
  return { name: clean(name), email: clean(email) };
}

function summarize(stat: string, { said }: HookedCommit, wantsSigning: boolean): string {
  const parts = [stat.trim()];
  if (wantsSigning) parts.push('Not signed, though the repository asks for it: devs has no key.');
  if (said !== undefined) parts.push(`Hooks and git said:\n${said}`);
  return parts.join('\n\n');
}
