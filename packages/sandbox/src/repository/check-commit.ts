import path from 'node:path';
import type { Mount, ProcessOutcome } from '@devs/core';
import type { CommitParts } from './commit-parts.ts';
import type { CommitScene, HookedCommit } from './commit-in-box.ts';
import { commitRefused } from './commit-refused.ts';
import { refuseFailure, runInBox } from './git-box.ts';
import { GitFolder } from './git-folder.ts';
import { readDiskFile } from './disk-file.ts';
import { GONE, judgeChanges, parseChanges, textOf, type Change } from './judge-changes.ts';
import { judgeCommit } from './judge-commit.ts';
import { judgeProtected, type Staged } from './judge-protected.ts';
import { bareConfig } from './shadow-config.ts';
import { writeShadow } from './shadow-folder.ts';

const MOST_BYTES = 67_108_864;

/** A commit that devs may take over: made of whole objects, on top of what was there, and changing what it may. */
export interface CheckedCommit {
  readonly commit: string;
  /** Absolute path of a git folder: its loose objects are what is new, its index is what the index becomes. */
  readonly folder: string;
  /** `Name <mail> seconds zone`, as git has written it. */
  readonly committer: string;
  /** First line of the message. */
  readonly subject: string;
  /** `git show --stat`. */
  readonly stat: string;
}

/**
 * Packs what the commit needs and unpacks it where nothing was but what the repository has: what is missing, broken, or not
 * what its name says ends it, and nothing that the commit does not need comes along. `--strict` is what git itself asks of
 * objects from strangers.
 */
const TAKE = [
  'set -e',
  'cd "$1"',
  '{ echo "$2"; if [ -n "$3" ]; then echo "^$3"; fi; } | git --git-dir=staged pack-objects --revs --stdout -q >pack',
  'git --git-dir=checked unpack-objects --strict -q <pack',
  'rm pack',
  'git --git-dir=checked cat-file commit "$2" >commit',
  'git --git-dir=checked diff-tree -r --raw -z --no-renames --no-commit-id --abbrev=64 --root ${3:+"$3"} "$2" >changes',
  'git --git-dir=checked show --stat=100,60 --stat-count=60 --no-color --no-ext-diff --format= "$2" >stat',
].join('\n');

/** All paths of a commit, and of the one before. */
const LIST = [
  'set -e',
  'cd "$1"',
  'git --git-dir=checked ls-tree -r -t -z --name-only "$2" >after',
  'if [ -n "$3" ]; then git --git-dir=checked ls-tree -r -t -z --name-only "$3" >before; fi',
].join('\n');

/**
 * Looks at what came out of the box with the hooks, in a box in which nothing of the project runs or lies: no hook, no
 * filter, no file, no configuration but devs's own. What it finds is what the objects say, whatever hooks did.
 * @throws DevsError COMMIT_REFUSED, `PATH_*`: the commit changes what the tool may not reach
 */
export async function checkCommit(parts: CommitParts, scene: CommitScene, { hooked, paths }: Checked): Promise<CheckedCommit> {
  const { state, folder } = scene;
  const place = path.join(folder, 'check');
  prepare(parts, scene, { place, hooked });
  const run = { cwd: '/', env: {}, mounts: mountsOf(scene, { place, hooked }) };
  const check = async (script: string) => {
    refuseFailure(await runInBox(parts, { ...run, argv: ['/bin/sh', '-c', script, 'sh', place, hooked.commit, state.tip ?? ''] }), 'the check of the commit');
  };
  await check(TAKE);
  using results = new GitFolder(place);
  const read = (name: string) => results.read(name, MOST_BYTES) ?? Buffer.alloc(0);
  const changes = parseChanges(read('changes'));
  const checked = path.join(place, 'checked');
  judgeChanges(changes, parts.protection, paths);
  using project = new GitFolder(parts.root);
  await judgeProtected(changes, {
    protection: parts.protection,
    onDisk: (name) => readDiskFile(project, name, scene.config.format),
    trees: async () => {
      await check(LIST);
      return { before: toNames(read('before')), after: toNames(read('after')) };
    },
    staged: async (names) => readStaged(await runInBox(parts, { ...run, argv: ['git', `--git-dir=${checked}`, '--literal-pathspecs', 'ls-files', '-s', '-z', '--', ...names.map(textOf)] })),
  });
  const words = judgeCommit(read('commit').toString(), { tip: state.tip, identity: parts.identity });
  refuseFailure(await runInBox(parts, { ...run, ...indexRun(checked, hooked.commit, paths === undefined ? undefined : changes) }), 'writing the index');
  return { commit: hooked.commit, folder: checked, stat: read('stat').toString(), ...words };
}

export interface Checked {
  readonly hooked: HookedCommit;
  /** That were named, below the root. Undefined: none were. */
  readonly paths: readonly string[] | undefined;
}

function toNames(bytes: Buffer): readonly string[] {
  return bytes.toString('latin1').split('\0').slice(0, -1);
}

interface Places {
  readonly place: string;
  readonly hooked: HookedCommit;
}

function prepare({ owner }: CommitParts, { repository, config, state }: CommitScene, { place, hooked }: Places): void {
  const real = path.join(repository.common.path, 'objects');
  const shallow = repository.common.read('shallow', MOST_BYTES);
  const content = { head: 'ref: refs/heads/none', config: bareConfig(config.format), files: new Map(shallow === undefined ? [] : [['shallow', shallow]]) };
  writeShadow(path.join(place, 'staged'), { ...content, objects: [real, path.join(hooked.shadow, 'objects')] }, owner);
  writeShadow(path.join(place, 'checked'), { ...content, index: state, objects: [real] }, owner);
}

function mountsOf({ repository }: CommitScene, { place, hooked }: Places): readonly Mount[] {
  return [
    { source: path.join(repository.common.path, 'objects'), access: 'read' },
    { source: path.join(hooked.shadow, 'objects'), access: 'read' },
    { source: place, access: 'write' },
  ];
}

/**
 * The index is not the one that hooks had in hand: its entries could lead into `.git`, or hide changes. It is the one that
 * was there, with what was committed: of named paths those alone, so that what else is staged stays so.
 */
function indexRun(folder: string, commit: string, changes: readonly Change[] | undefined): { readonly argv: readonly [string, ...string[]]; readonly stdin?: Uint8Array } {
  const git = ['git', `--git-dir=${folder}`] as const;
  if (changes === undefined) return { argv: [...git, 'read-tree', '-i', '-m', commit] };
  const lines = changes.toSorted((one, other) => Number(one.mode !== GONE) - Number(other.mode !== GONE));
  return {
    argv: [...git, 'update-index', '-z', '--replace', '--index-info'],
    stdin: Buffer.from(lines.map(({ mode, object, path: name }) => `${mode === GONE ? '0' : mode} ${object}\t${name}\0`).join(''), 'latin1'),
  };
}

/** What the index held before the commit. @throws DevsError COMMIT_REFUSED */
function readStaged(outcome: ProcessOutcome): ReadonlyMap<string, Staged> {
  refuseFailure(outcome, 'reading the index');
  const { head, omitted } = outcome.stdout;
  if (omitted > 0) throw commitRefused('git has said more of the index than devs takes.');
  return new Map(Buffer.from(head).toString('latin1').split('\0').flatMap((line): [string, Staged][] => {
    const [, mode, object, name] = /^([0-7]{6}) ([0-9a-f]+) 0\t([^]+)$/.exec(line) ?? [];
    return mode === undefined || object === undefined || name === undefined ? [] : [[name, { mode, object }]];
  }));
}
