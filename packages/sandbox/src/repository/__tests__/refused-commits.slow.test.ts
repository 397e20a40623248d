import { expect, test } from '@jest/globals';
import { DEFAULT_TOOL_SETTINGS, PathReach } from '@devs/core';
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { GitScene } from './git-scene.ts';

/** Hooks are given their repository by the environment; for another one they have to drop it. */
const ELSEWHERE = 'env -u GIT_DIR -u GIT_WORK_TREE -u GIT_INDEX_FILE';

type SetUp = (scene: GitScene) => void;

/** A change, and a commit on another branch that conflicts with it. */
function conflict(scene: GitScene): void {
  scene.git('checkout', '-q', '-b', 'other');
  scene.write('a.txt', 'other\n');
  scene.git('commit', '-q', '-am', 'other');
  scene.git('checkout', '-q', 'main');
  scene.write('a.txt', 'main\n');
  scene.git('commit', '-q', '-am', 'main');
}

function mayFail(work: () => unknown): void {
  try {
    work();
  } catch {
    // A conflict ends git with 1.
  }
}

const STATES: readonly (readonly [string, SetUp, string])[] = [
  ['a merge under way', (scene) => (conflict(scene), mayFail(() => scene.git('merge', 'other'))), 'a merge is under way'],
  ['a cherry-pick', (scene) => (conflict(scene), mayFail(() => scene.git('cherry-pick', 'other'))), 'a cherry-pick is under way'],
  ['a revert', (scene) => (conflict(scene), mayFail(() => scene.git('revert', '--no-edit', 'HEAD~1'))), ''],
  ['a rebase', (scene) => (conflict(scene), mayFail(() => scene.git('rebase', 'other'))), 'a rebase is under way'],
  ['another git at work', (scene) => scene.write('.git/index.lock', ''), 'another git is working'],
  ['a lock on the branch', (scene) => scene.write('.git/refs/heads/main.lock', ''), 'another git is working'],
  ['a lock on HEAD', (scene) => scene.write('.git/HEAD.lock', ''), 'another git is working'],
  ['no repository', (scene) => rmSync(scene.at('.git'), { recursive: true }), 'not the top folder of a git repository'],
  ['nothing to commit', (scene) => scene.git('checkout', '-q', '.'), 'there is nothing to commit'],
  ['a bare one', (scene) => scene.git('config', 'core.bare', 'true'), 'a bare one'],
  ['a work tree elsewhere', (scene) => scene.git('config', 'core.worktree', scene.base), 'another folder as its work tree'],
  ['a sparse checkout', (scene) => scene.git('config', 'core.sparseCheckout', 'true'), 'sparse'],
  ['a sparse checkout of a worktree', (scene) => (scene.git('config', 'extensions.worktreeConfig', 'true'), scene.write('.git/config.worktree', '[core]\nsparseCheckout\n')), 'sparse'],
  ['a partial clone', (scene) => (scene.git('config', 'core.repositoryFormatVersion', '1'), scene.git('config', 'extensions.partialClone', 'origin')), 'partial clone'],
  ['a filter of a partial clone', (scene) => scene.git('config', 'remote.origin.partialCloneFilter', 'blob:none'), 'partial clone'],
  ['git-annex', (scene) => scene.git('config', 'annex.uuid', 'x'), 'keeps content'],
  ['Git LFS that keeps its files elsewhere', (scene) => scene.git('config', 'lfs.storage', '/x'), 'keeps content'],
  ['reftable', (scene) => (scene.git('config', 'core.repositoryFormatVersion', '1'), scene.git('config', 'extensions.refStorage', 'reftable')), 'reftable'],
  ['a later git', (scene) => scene.git('config', 'core.repositoryFormatVersion', '2'), 'a later git'],
  ['hooks outside the project', (scene) => scene.git('config', 'core.hooksPath', path.join(scene.base, 'hooks')), 'lie outside the project'],
  ['hooks in a home folder', (scene) => scene.git('config', 'core.hooksPath', '~/hooks'), 'lie outside the project'],
  ['hooks by way of ..', (scene) => scene.git('config', 'core.hooksPath', '../hooks'), 'lie outside the project'],
  ['borrowed objects', (scene) => scene.write('.git/objects/info/alternates', `${scene.base}\n`), 'borrows its objects'],
  ['.git/commondir', (scene) => scene.write('.git/commondir', '../x\n'), 'leads to another folder'],
  ['a .git that is a link', (scene) => (renameSync(scene.at('.git'), scene.at('x')), symlinkSync('x', scene.at('.git'))), 'is a link'],
  ['HEAD as a link', (scene) => (rmSync(scene.at('.git/HEAD')), symlinkSync('/etc/passwd', scene.at('.git/HEAD'))), 'holds a link'],
  ['a branch as a link', (scene) => (rmSync(scene.at('.git/refs/heads/main')), symlinkSync('/etc/passwd', scene.at('.git/refs/heads/main'))), 'holds a link'],
  ['refs as a link', (scene) => (renameSync(scene.at('.git/refs'), path.join(scene.base, 'refs')), symlinkSync('../../refs', scene.at('.git/refs'))), 'holds a link'],
  ['objects as a link', (scene) => (renameSync(scene.at('.git/objects'), path.join(scene.base, 'objects')), symlinkSync('../../objects', scene.at('.git/objects'))), 'holds a link'],
  ['a folder of objects as a link', (scene) => linkObjects(scene), 'holds a link'],
  ['a log as a link', (scene) => (rmSync(scene.at('.git/logs/HEAD')), symlinkSync(scene.marker, scene.at('.git/logs/HEAD'))), 'the log .git/logs/HEAD is a link'],
  ['the log of the branch as a link', (scene) => (rmSync(scene.at('.git/logs/refs/heads/main')), symlinkSync(scene.marker, scene.at('.git/logs/refs/heads/main'))), 'the log .git/logs/refs/heads/main is a link'],
  ['a log as a folder', (scene) => (rmSync(scene.at('.git/logs/HEAD')), mkdirSync(scene.at('.git/logs/HEAD'))), 'the log .git/logs/HEAD is a link, or no regular file'],
  ['the folder of logs as a link', (scene) => (renameSync(scene.at('.git/logs'), path.join(scene.base, 'logs')), symlinkSync('../../logs', scene.at('.git/logs'))), 'holds a link'],
  ['the index as a folder', (scene) => (rmSync(scene.at('.git/index')), mkdirSync(scene.at('.git/index'))), 'holds a link'],
  ['a HEAD that leads elsewhere', (scene) => scene.write('.git/HEAD', 'ref: refs/heads/../../config\n'), 'neither a branch'],
  ['a HEAD of no branch', (scene) => scene.write('.git/HEAD', 'ref: refs/remotes/x\n'), 'neither a branch'],
  ['a branch that is no commit', (scene) => scene.write('.git/refs/heads/main', 'ref: refs/heads/other\n'), 'not one that leads to a commit'],
  ['a configuration that cannot be read', (scene) => scene.write('.git/config', '[core\n'), 'configuration'],
  ['a configuration that is too large', (scene) => scene.write('.git/config', '#'.repeat(1_048_577)), ''],
];

/** All the folders that an object could come to lie in. */
function linkObjects(scene: GitScene): void {
  const elsewhere = path.join(scene.base, 'elsewhere');
  mkdirSync(elsewhere);
  const there = new Set(readdirSync(scene.at('.git/objects')));
  for (let prefix = 0; prefix < 256; prefix += 1) {
    const name = prefix.toString(16).padStart(2, '0');
    if (!there.has(name)) symlinkSync(elsewhere, scene.at('.git/objects', name));
  }
}

withBoxes('a commit is refused, and nothing has changed', () => {
  test.each(STATES)('%s', async (_, setUp, sentence) => {
    using scene = new GitScene().init();
    scene.write('a.txt', 'two\n');
    setUp(scene);
    const before = scene.gitState();
    const refusal = scene.commit('second');
    await expect(refusal).rejects.toMatchObject(sentence === '' ? {} : { code: 'COMMIT_REFUSED', sentence: expect.stringContaining(sentence) });
    expect(scene.gitState()).toEqual(before);
    expect(readdirSync(scene.temporary)).toEqual([]);
    expect(scene.hasRunOutside).toBe(false);
  });

  test('a .git file that names a repository which does not name this project', async () => {
    using other = new GitScene().init();
    using scene = new GitScene();
    other.git('worktree', 'add', '-q', path.join(other.base, 'linked'));
    const own = other.at('.git/worktrees/linked');
    for (const gitdir of [other.at('.git'), own, '../missing', '']) {
      scene.write('.git', `gitdir: ${gitdir}\n`);
      await expect(scene.commit('x', ['.'])).rejects.toMatchObject({ code: 'COMMIT_REFUSED' });
    }
  });

  test.each<[string, readonly string[], string]>([
    ['outside', ['../x'], 'PATH_REFUSED'],
    ['outside, absolute', ['/etc/passwd'], 'PATH_OUTSIDE_ROOT'],
    ['by a way around', ['x/../a.txt'], 'PATH_REFUSED'],
    ['in .git', ['.git/config'], 'PATH_PROTECTED'],
    ['in .git, deeper and spelled otherwise', ['sub/.GIT/x'], 'PATH_PROTECTED'],
    ['with a NUL', ['a.txt\0b'], 'PATH_REFUSED'],
    ['not there', ['missing'], 'COMMIT_REFUSED'],
    ['ignored', ['ignored'], 'COMMIT_REFUSED'],
    ['beyond a link', ['way/x'], 'COMMIT_REFUSED'],
    ['blocked', ['secret/x'], 'PATH_BLOCKED'],
    ['a folder around what is blocked', ['.'], 'PATH_BLOCKED'],
  ])('a path %s', async (_, paths, code) => {
    using scene = new GitScene().init();
    for (const name of ['ignored', 'real/x', 'secret/x']) scene.write(name, '1');
    scene.write('.gitignore', 'ignored\n');
    symlinkSync('real', scene.at('way'));
    const before = scene.gitState();
    const files = { ...DEFAULT_TOOL_SETTINGS.files, blocked: ['secret'] };
    const protection = scene.within(new PathReach(files, [scene.root]));
    await expect(scene.commit('x', paths, { protection })).rejects.toMatchObject({ code });
    expect(scene.gitState()).toEqual(before);
  });

  test('what is blocked and tracked is not committed without paths either', async () => {
    using scene = new GitScene().init();
    const protection = scene.within(new PathReach({ ...DEFAULT_TOOL_SETTINGS.files, blocked: ['a.txt'] }, [scene.root]));
    scene.write('a.txt', 'two\n');
    await expect(scene.commit('x', undefined, { protection })).rejects.toMatchObject({ code: 'PATH_BLOCKED' });
    scene.write('b.txt', '');
    await scene.commit('x', ['b.txt'], { protection });
  });

  test('what is hidden in the box is neither committed as gone nor in the way', async () => {
    for (const paths of [undefined, ['.']]) {
      using scene = new GitScene().init();
      scene.write('secret/x', '1');
      scene.git('add', '.');
      scene.git('commit', '-q', '-m', 'secret');
      scene.write('secret/x', '2');
      scene.write('a.txt', 'two\n');
      const protection = scene.within(new PathReach({ ...DEFAULT_TOOL_SETTINGS.files, blocked: ['secret'] }, [scene.root]));
      const mounts = (existing: readonly string[]) => [...scene.mounts(existing), { source: scene.at('secret'), access: 'hidden' } as const];
      await scene.commit('x', paths, { protection, mounts });
      expect(scene.git('status', '--porcelain')).toBe(' M secret/x');
      expect(scene.git('show', '--format=', '--name-only')).toBe('a.txt');
    }
  });

  test('a tool that may reach a part commits that, and the hooks run all the same', async () => {
    using scene = new GitScene().init();
    scene.hook('pre-commit', 'echo heard');
    for (const name of ['src/x', 'other/y']) scene.write(name, '1');
    const protection = scene.within(new PathReach({ ...DEFAULT_TOOL_SETTINGS.files, allowed: ['src'] }, [scene.root]));
    const mounts = () => [{ source: scene.at('src'), access: 'write' } as const];
    expect((await scene.commit('x', ['src'], { protection, mounts })).summary).toContain('heard');
    expect(scene.git('show', '--format=', '--name-only')).toBe('src/x');
    await expect(scene.commit('x', ['other'], { protection, mounts })).rejects.toMatchObject({ code: 'PATH_NOT_ALLOWED' });
    // What it does not see is not gone.
    scene.write('src/x', '2');
    await expect(scene.commit('x', undefined, { protection, mounts })).rejects.toMatchObject({ code: 'PATH_NOT_ALLOWED' });
    await expect(scene.commit('x', ['src'], { protection, mounts: () => [...mounts(), { source: scene.at('.git/hooks'), access: 'hidden' } as const] })).rejects.toMatchObject({ code: 'COMMIT_REFUSED' });
  });

  test('the user has worked meanwhile', async () => {
    for (const work of [['commit', '-q', '--allow-empty', '-m', 'mine'], ['add', 'mine.txt'], ['checkout', '-q', '-b', 'mine']]) {
      using scene = new GitScene().init();
      scene.write('a.txt', 'two\n');
      scene.write('mine.txt', '');
      let after: ReadonlyMap<string, string> | undefined;
      const confinement = {
        name: 'as the scene has it',
        probe: async () => await scene.confinement.probe(),
        spawn: scene.confinement.spawn.bind(scene.confinement),
        exec: async (...args: Parameters<typeof scene.confinement.exec>) => {
          if (after === undefined) scene.git(...work);
          after ??= scene.gitState();
          return await scene.confinement.exec(...args);
        },
      };
      await expect(scene.commit('x', undefined, { confinement })).rejects.toMatchObject({ sentence: expect.stringContaining('changed meanwhile') });
      expect(scene.gitState()).toEqual(after);
    }
  });

  test('a call that was cancelled', async () => {
    using scene = new GitScene().init();
    scene.write('a.txt', 'two\n');
    scene.hook('pre-commit', 'sleep 60');
    const before = scene.gitState();
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const commit = scene.commit('x', undefined, { signal: controller.signal });
    setTimeout(() => {
      controller.abort(reason);
    }, 300);
    await expect(commit).rejects.toBe(reason);
    expect(scene.gitState()).toEqual(before);
    expect(readdirSync(scene.temporary)).toEqual([]);
  });

  test('a folder for it that lies in the project', async () => {
    using scene = new GitScene().init();
    mkdirSync(scene.at('tmp'));
    scene.write('a.txt', 'two\n');
    const sentence: unknown = expect.stringContaining('outside of the project');
    await expect(scene.commit('x', ['a.txt'], { temporaryFolder: scene.at('tmp') })).rejects.toMatchObject({ code: 'COMMIT_REFUSED', sentence });
  });
});

/** A pre-commit or post-commit hook that does more than its owner meant, and what is said of it; undefined: it is committed, without. */
const HOOKS: readonly (readonly [string, string, string, string | undefined])[] = [
  ['says no', 'pre-commit', 'echo "line 3: no semicolon"; exit 1', 'failed (exit code 1) and said: line 3: no semicolon'],
  ['says no to the message', 'commit-msg', 'echo "bad message" >&2; exit 1', 'bad message'],
  ['says nothing and fails', 'pre-commit', 'exit 1', 'did not say why'],
  ['switches the branch', 'post-commit', 'git symbolic-ref HEAD refs/heads/evil; git update-ref refs/heads/evil "$(git rev-parse main)"', 'switched the branch'],
  ['amends', 'post-commit', 'git -c core.hooksPath=/dev/null commit -q --amend --allow-empty --author="Boss <b@b>" -m x', 'in another name'],
  ['makes a root', 'post-commit', 'git update-ref refs/heads/main "$(echo x | git commit-tree "HEAD^{tree}")"', 'on top of the last'],
  ['makes two', 'post-commit', 'git update-ref refs/heads/main "$(echo x | git commit-tree -p HEAD "HEAD^{tree}")"', 'on top of the last'],
  ['takes it back', 'post-commit', 'git update-ref refs/heads/main HEAD~1', 'made no commit'],
  ['names a tree that is not there', 'post-commit', 'git update-ref refs/heads/main "$(printf "tree %040d\\nparent %s\\nauthor Agent <agent@example.com> 1 +0000\\ncommitter Agent <agent@example.com> 1 +0000\\n\\nx\\n" 7 "$(git rev-parse HEAD~1)" | git hash-object -t commit -w --stdin --literally)"', 'the check of the commit failed'],
  ['puts .git into a tree', 'post-commit', 'b=$(echo x | git hash-object -w --stdin); s=$(printf "100755 blob $b\\tpre-commit\\n" | git mktree); t=$(printf "040000 tree $s\\t.git\\n" | git mktree); git update-ref refs/heads/main "$(echo x | git commit-tree -p HEAD~1 "$t")"', 'the check of the commit failed'],
  ['adds a repository', 'pre-commit', `${ELSEWHERE} git init -q sub; ${ELSEWHERE} git -C sub -c user.name=x -c user.email=x@x commit -q --allow-empty -m x; git update-index --add --cacheinfo "160000,$(${ELSEWHERE} git -C sub rev-parse HEAD),sub"`, 'a repository within the project'],
  ['corrupts an object', 'post-commit', 'o=$(git rev-parse HEAD:a.txt); f="$GIT_DIR/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-)"; n=$(echo evil | git hash-object -w --stdin); chmod u+w "$f"; cp "$GIT_DIR/objects/$(echo $n | cut -c1-2)/$(echo $n | cut -c3-)" "$f"', 'the check of the commit failed'],
  ['reaches for the real objects', 'pre-commit', 'echo x > .git/objects/x; echo x > .git/HEAD; git config --file .git/config core.fsmonitor x; :', undefined],
  ['hides changes in the index', 'pre-commit', 'git update-index --assume-unchanged b.txt', undefined],
  ['leaves other objects', 'pre-commit', 'echo never | git hash-object -w --stdin', undefined],
  ['leaves a link among the objects', 'post-commit', 'rm -rf "$GIT_DIR/objects/pack"; ln -s /etc "$GIT_DIR/objects/pack"; ln -s /etc "$GIT_DIR/objects/zz"', undefined],
  ['closes its folders', 'post-commit', 'mkdir -p "$GIT_DIR/x/y"; chmod 0 "$GIT_DIR/x"', undefined],
  ['packs its objects', 'post-commit', 'git repack -adq; git pack-refs --all', undefined],
  ['tells other objects of the shadow', 'post-commit', 'echo /etc >> "$GIT_DIR/objects/info/alternates"', undefined],
  ['sets programs in the shadow', 'post-commit', 'git config core.fsmonitor ./payload.sh; git config core.hooksPath .; git config uploadpack.packObjectsHook ./payload.sh', undefined],
];

withBoxes('a hook that', () => {
  test.each(HOOKS)('%s', async (_, hook, script, refusal) => {
    using scene = new GitScene().init();
    scene.write('b.txt', 'b\n');
    scene.git('add', 'b.txt');
    scene.git('commit', '-q', '-m', 'b');
    scene.payload();
    scene.write('a.txt', 'two\n');
    scene.hook(hook, script);
    const before = scene.gitState();
    const commit = scene.commit('x');
    if (refusal === undefined) await commit;
    else await expect(commit).rejects.toMatchObject({ code: 'COMMIT_REFUSED', sentence: expect.stringContaining(refusal) });
    if (refusal !== undefined) expect(scene.gitState()).toEqual(before);
    expect(scene.git('log', '-1', '--format=%s')).toBe(refusal === undefined ? 'x' : 'b');
    expect(scene.git('fsck', '--strict', '--no-dangling')).toBe('');
    expect(scene.git('config', '--local', '--list')).not.toMatch(/payload|fsmonitor|hookspath/);
    expect(scene.git('ls-files', '-v')).toMatch(/^H b\.txt$/m);
    expect(scene.git('count-objects', '-v')).toMatch(/^packs: 0$/m);
    expect(scene.hasRunOutside).toBe(false);
    expect(readdirSync(scene.temporary)).toEqual([]);
  });

  test('leaves objects that nothing needs leaves them in its box', async () => {
    using scene = new GitScene().init();
    scene.hook('pre-commit', 'echo never | git hash-object -w --stdin');
    scene.write('a.txt', 'two\n');
    await scene.commit('x');
    expect(() => scene.git('cat-file', '-e', neverOf(scene))).toThrow();
  });

  test('plants a repository is named in the answer, and its repository is moved aside', async () => {
    using scene = new GitScene().init();
    scene.hook('post-commit', `${ELSEWHERE} git init -q sub; ${ELSEWHERE} git -C sub config core.fsmonitor '${scene.payload()}'`);
    scene.write('a.txt', 'two\n');
    expect((await scene.commit('x')).movedAside[0]).toEqual({ path: 'sub/.git', to: expect.stringMatching(/^sub\/\.git\.devs-aside-/) });
    mayFail(() => scene.gitIn(scene.at('sub'), 'status'));
    mayFail(() => scene.git('status'));
    expect(scene.hasRunOutside).toBe(false);
  });

  test('tries the network finds none', async () => {
    using scene = new GitScene().init();
    scene.hook('pre-commit', 'ls /sys/class/net 2>/dev/null; cat /proc/net/dev | grep -c : ; ! grep -q eth /proc/net/dev');
    scene.write('a.txt', 'two\n');
    await scene.commit('x');
  });
});

function neverOf(scene: GitScene): string {
  writeFileSync(path.join(scene.base, 'never'), 'never\n');
  return scene.git('hash-object', path.join(scene.base, 'never'));
}
