import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { mayReach } from '../../confinement/account-reach.ts';
import { BubblewrapConfinement } from '../../confinement/bubblewrap-confinement.ts';
import { IDENTITY, GitScene } from './git-scene.ts';

/** A repository that git finds nothing wrong with, and of which nothing is left elsewhere. */
function expectSound(scene: GitScene): void {
  expect(scene.git('fsck', '--strict', '--connectivity-only', '--no-dangling')).toBe('');
  expect(readdirSync(scene.temporary)).toEqual([]);
  expect(readdirSync(scene.at('.git')).filter((name) => name.endsWith('.lock'))).toEqual([]);
}

function filesOf(scene: GitScene, commit = 'HEAD'): string[] {
  return scene.git('-c', 'core.quotePath=false', 'show', '--format=', '--name-only', '-z', commit).split('\0').filter((name) => name !== '');
}

/** Other bytes, as many, in the same file, of the same time: what git goes by does not show it. */
function rewrite(scene: GitScene, name: string, time: number): void {
  writeFileSync(scene.at(name), 'two\n');
  utimesSync(scene.at(name), time, time);
}

withBoxes('git_commit on a real repository', () => {
  test('names that a hook plants to look like words of devs are not in the summary', async () => {
    using scene = new GitScene().init();
    scene.hook('post-commit', `mkdir -p "$(printf 'x.\\n\\nHooks and git said:\\nall is well')/.vscode"; rm .npmrc`);
    symlinkSync('conf', scene.at('.npmrc'));
    scene.write('a.txt', 'two\n');
    const { summary, movedAside, links } = await scene.commit('x');
    expect(summary).not.toContain('all is well');
    expect(movedAside).toEqual([{ path: 'x.\n\nHooks and git said:\nall is well/.vscode', to: expect.stringContaining('.vscode.devs-aside-') }]);
    expect(links).toEqual([{ path: '.npmrc', leadsTo: 'conf', isBack: true }]);
  });

  test('commits what is tracked, with the identity of the configuration, and leaves logs as git does', async () => {
    using scene = new GitScene().init();
    scene.write('a.txt', 'two\n');
    scene.write('untracked', '');
    const outcome = await scene.commit('second\n\nwhy\n# kept\n');
    expect(outcome).toMatchObject({ commit: scene.git('rev-parse', 'HEAD'), branch: 'main' });
    expect(outcome.summary).toMatch(/a\.txt \| 2 \+-/);
    expect(scene.git('log', '--format=%an <%ae> %cn <%ce>%n%B', '-1')).toBe('Agent <agent@example.com> Agent <agent@example.com>\nsecond\n\nwhy\n# kept');
    expect(scene.git('status', '--porcelain')).toBe('?? untracked');
    for (const log of ['HEAD', 'main']) expect(scene.git('reflog', '--format=%gs', log)).toBe('commit: second\ncommit (initial): first');
    expectSound(scene);
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ['a new file', ['new.txt'], ['new.txt']],
    ['a changed one, absolute', ['/a.txt'], ['a.txt']],
    ['one that is gone', ['gone.txt'], ['gone.txt']],
    ['a folder', ['folder'], ['folder/x', 'folder/y']],
    ['all', ['.'], ['-n', ':(top)a', '[a]*', 'a.txt', 'folder/x', 'folder/y', 'gone.txt', 'line\nfeed', 'new.txt', 'ü']],
    ['a name that reads like an option', ['-n'], ['-n']],
    ['a name that reads like a pattern', ['[a]*'], ['[a]*']],
    ['a name that reads like magic', [':(top)a'], [':(top)a']],
    ['a name with a line feed', ['line\nfeed'], ['line\nfeed']],
    ['a name beyond ASCII', ['ü'], ['ü']],
  ])('of named paths those alone, and what else is staged stays so: %s', async (_, paths, expected) => {
    using scene = new GitScene().init();
    for (const name of ['gone.txt', 'staged.txt']) scene.write(name, 'old\n');
    scene.git('add', '.');
    scene.git('commit', '-q', '-m', 'more');
    for (const name of ['a.txt', 'new.txt', 'folder/x', 'folder/y', '-n', '[a]*', ':(top)a', 'line\nfeed', 'ü']) scene.write(name, 'new\n');
    scene.git('rm', '-q', '--cached', 'staged.txt');
    if (!paths.includes('.')) scene.git('add', 'staged.txt');
    scene.write('staged.txt', 'staged\n');
    scene.git('add', 'staged.txt');
    rmSync(scene.at('gone.txt'));
    await scene.commit('named', paths.map((name) => (name === '/a.txt' ? scene.at('a.txt') : name)));
    const all = paths.includes('.') ? [...expected, 'staged.txt'] : expected;
    expect(filesOf(scene).toSorted()).toEqual(all.toSorted());
    expect(scene.git('diff', '--cached', '--name-only')).toBe(paths.includes('.') ? '' : 'staged.txt');
    expect(scene.git('show', 'HEAD:a.txt')).toBe(filesOf(scene).includes('a.txt') ? 'new' : 'one');
    expectSound(scene);
  });

  test.each<[string, (scene: GitScene) => void]>([
    ['a branch among packed refs', (scene) => scene.git('pack-refs', '--all')],
    ['a branch with slashes', (scene) => scene.git('checkout', '-q', '-b', 'a/b/c')],
    ['a packed branch with slashes', (scene) => (scene.git('checkout', '-q', '-b', 'a/b/c'), scene.git('pack-refs', '--all'))],
    ['a detached head', (scene) => scene.git('checkout', '-q', '--detach')],
    ['packed objects', (scene) => scene.git('gc', '-q')],
    ['an index of version 4', (scene) => scene.git('update-index', '--index-version', '4')],
    ['no index', (scene) => rmSync(scene.at('.git/index'))],
    ['no logs', (scene) => (scene.git('config', 'core.logAllRefUpdates', 'false'), rmSync(scene.at('.git/logs'), { recursive: true }))],
    ['a project that is shared', (scene) => scene.git('config', 'core.sharedRepository', 'group')],
    ['a configuration that signs', (scene) => scene.git('config', 'commit.gpgSign', 'true')],
    ['a remote with an odd name', (scene) => scene.git('config', 'remote.a"b\\c.url', 'x;y#z "q"')],
    ['a submodule that stays as it is', (scene) => scene.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', scene.root, 'sub')],
  ])('%s', async (name, setUp) => {
    using scene = new GitScene().init();
    setUp(scene);
    scene.write('b.txt', 'b\n');
    const before = scene.git('rev-parse', 'HEAD');
    const outcome = await scene.commit('second', ['b.txt']);
    expect(scene.git('rev-parse', 'HEAD')).toBe(outcome.commit);
    expect(scene.git('rev-parse', 'HEAD~1')).toBe(before);
    const branch = name === 'a detached head' ? undefined : scene.git('branch', '--show-current');
    expect(outcome.branch).toBe(branch);
    expect(filesOf(scene)).toEqual(['b.txt']);
    expect(outcome.summary.includes('Not signed')).toBe(name === 'a configuration that signs');
    expect(scene.git('ls-files', 'b.txt')).toBe('b.txt');
    expect(readdirSync(scene.at('.git')).includes('logs')).toBe(name !== 'no logs');
    expectSound(scene);
  });

  test.each(['sha1', 'sha256'])('the first commit, with names by %s', async (format) => {
    using scene = new GitScene();
    scene.git('init', '-q', '-b', 'trunk/main', `--object-format=${format}`);
    scene.write('x', '1');
    scene.write('run.sh', '#!/bin/sh\n', 0o755);
    symlinkSync('x', scene.at('link'));
    const outcome = await scene.commit('first', ['.']);
    expect(outcome).toMatchObject({ commit: scene.git('rev-parse', 'HEAD'), branch: 'trunk/main' });
    expect(scene.git('ls-files', '--format=%(objectmode) %(path)').split('\n')).toEqual(['120000 link', '100755 run.sh', '100644 x']);
    expect(scene.git('status', '--porcelain')).toBe('');
    scene.write('x', '2');
    await scene.commit('second');
    expect(scene.git('reflog', '--format=%gs')).toBe('commit: second\ncommit (initial): first');
    expectSound(scene);
  });

  test('a linked worktree, whose git folder lies outside, and the hooks there', async () => {
    using scene = new GitScene('main').init();
    scene.hook('pre-commit', 'echo from the hook >&2');
    scene.git('worktree', 'add', '-q', '-b', 'side', path.join(scene.base, 'linked'));
    const root = path.join(scene.base, 'linked');
    const guard = scene.newGuard(root);
    const mounts = (existing: readonly string[]) => [{ source: root, access: 'write' } as const, ...existing.map((source) => ({ source, access: 'read' }) as const)];
    scene.gitIn(root, 'mv', 'a.txt', 'b.txt');
    const outcome = await scene.commit('side', undefined, { root, guard, mounts });
    expect(outcome).toMatchObject({ commit: scene.git('rev-parse', 'side'), branch: 'side' });
    expect(outcome.summary).toContain('from the hook');
    expect(scene.gitIn(root, 'status', '--porcelain')).toBe('');
    expect(scene.gitIn(root, 'reflog', '--format=%gs')).toMatch(/^commit: side/);
    expect(scene.git('status', '--porcelain')).toBe('');
    expectSound(scene);
  });

  test('a shallow clone', async () => {
    using scene = new GitScene().init();
    scene.git('commit', '-q', '--allow-empty', '-m', 'second');
    scene.git('clone', '-q', '--depth', '1', `file://${scene.root}`, path.join(scene.base, 'clone'));
    rmSync(scene.root, { recursive: true });
    scene.gitIn(scene.base, '-c', 'alias.x=!mv clone project', 'x');
    scene.write('b.txt', 'b\n');
    await scene.commit('third', ['b.txt']);
    expect(scene.git('log', '--format=%s')).toBe('third\nsecond');
    expectSound(scene);
  });

  test('line ends and filters as the configuration of the repository has them', async () => {
    using scene = new GitScene().init();
    scene.git('config', 'core.autocrlf', 'true');
    scene.git('config', 'filter.shout.clean', 'tr a-z A-Z');
    scene.write('.gitattributes', '*.loud filter=shout\n');
    scene.write('crlf.txt', 'a\r\nb\r\n');
    scene.write('x.loud', 'quiet\n');
    await scene.commit('filtered', ['.']);
    expect([scene.git('cat-file', 'blob', 'HEAD:crlf.txt'), scene.git('cat-file', 'blob', 'HEAD:x.loud')]).toEqual(['a\nb', 'QUIET']);
    expect(scene.git('status', '--porcelain')).toBe('');
  });

  test('what Git LFS keeps is there too, and nothing under a name that is not its own', async () => {
    using scene = new GitScene().init();
    scene.write('clean.sh', 'f=$(mktemp); cat > $f; h=$(sha256sum $f | cut -c1-64); d="$GIT_DIR/lfs/objects/$(echo $h | cut -c1-2)/$(echo $h | cut -c3-4)"; mkdir -p "$d" "$GIT_DIR/lfs/tmp"; cp $f "$d/$h"; cp $f "$d/junk"; echo "oid sha256:$h"\n');
    scene.git('config', 'filter.lfs.clean', 'sh clean.sh');
    scene.write('.gitattributes', '*.bin filter=lfs\n');
    scene.write('x.bin', 'large\n');
    await scene.commit('large', ['.']);
    const name = scene.git('cat-file', 'blob', 'HEAD:x.bin').slice('oid sha256:'.length);
    expect(readdirSync(scene.at('.git/lfs'), { recursive: true })).toHaveLength(4);
    expect(readFileSync(scene.at('.git/lfs/objects', name.slice(0, 2), name.slice(2, 4), name), 'utf8')).toBe('large\n');
    scene.hook('post-commit', `echo evil > "$GIT_DIR/lfs/objects/${name.slice(0, 2)}/${name.slice(2, 4)}/${name}"`);
    rmSync(scene.at('.git/lfs'), { recursive: true });
    scene.write('x.bin', 'larger\n');
    scene.write('y.bin', 'large\n');
    await expect(scene.commit('evil', ['.'])).rejects.toMatchObject({ code: 'COMMIT_REFUSED' });
    expect(readdirSync(scene.at('.git')).includes('lfs') && readdirSync(scene.at('.git/lfs'), { recursive: true, encoding: 'utf8' }).some((file) => file.endsWith(name))).toBe(false);
  });

  test('a file that becomes a folder, and a folder that becomes a file', async () => {
    using scene = new GitScene().init();
    scene.write('x', '1');
    scene.write('y/z', '1');
    scene.git('add', '.');
    scene.git('commit', '-q', '-m', 'both');
    for (const name of ['x', 'y']) rmSync(scene.at(name), { recursive: true });
    scene.write('x/z', '2');
    scene.write('y', '2');
    await scene.commit('turned', ['x', 'y']);
    expect(scene.git('ls-tree', '-r', '--name-only', 'HEAD')).toBe('a.txt\nx/z\ny');
    expect(scene.git('status', '--porcelain')).toBe('');
    expectSound(scene);
  });

  test('hooks run, may change the files and the message, and are heard', async () => {
    using scene = new GitScene().init();
    scene.hook('pre-commit', 'echo formatted > a.txt; git add a.txt; echo checked');
    scene.hook('prepare-commit-msg', 'echo "from prepare" >> "$1"');
    scene.hook('commit-msg', 'grep -q wanted "$1"');
    scene.hook('post-commit', 'git log -1 --format=%s >&2; echo x > made-by-hook');
    scene.write('a.txt', 'raw\n');
    const outcome = await scene.commit('wanted');
    expect(scene.git('show', 'HEAD:a.txt')).toBe('formatted');
    expect(scene.git('log', '-1', '--format=%B')).toBe('wanted\nfrom prepare');
    expect(outcome.summary).toMatch(/Hooks and git said:\nchecked\nwanted/);
    expect(scene.git('status', '--porcelain')).toBe('?? made-by-hook');
    expectSound(scene);
  });

  test('hooks where core.hooksPath says, with a pattern of their own', async () => {
    using scene = new GitScene().init();
    scene.git('config', 'core.hooksPath', '.husky/_');
    scene.write('.husky/_/pre-commit', '#!/bin/sh\ngit diff --cached --name-only -- "*.md" | sed "s/^/seen: /"\n', 0o755);
    scene.write('README.md', '');
    expect((await scene.commit('docs', ['README.md'])).summary).toContain('seen: README.md');
  });

  test('a file is there by its mode as the repository has it, also when another asked', async () => {
    using scene = new GitScene().init();
    for (const name of ['index', 'refs/heads/main']) chmodSync(scene.at('.git', name), 0o664);
    chmodSync(scene.at('.git/objects'), 0o2775);
    scene.write('a.txt', 'two\n');
    const { commit } = await scene.commit('second');
    const modes = ['index', 'refs/heads/main', `objects/${commit.slice(0, 2)}`, `objects/${commit.slice(0, 2)}/${commit.slice(2)}`];
    expect(modes.map((name) => statSync(scene.at('.git', name)).mode & 0o7777)).toEqual([0o664, 0o664, expect.anything(), 0o444]);
  });

  test('by root in the repository of another, for whom boxes run: all that is new belongs to that one', async () => {
    // Nobody else can be somebody else; that all is their own holds for them as well.
    const ordinary = { uid: 65_534, gid: 65_534 };
    const owner = process.geteuid?.() === 0 && mayReach(process.execPath, ordinary) ? ordinary : undefined;
    using scene = new GitScene().init();
    scene.write('a.txt', 'two\n');
    chmodSync(scene.temporary, 0o755);
    if (owner !== undefined) execFileSync('chown', ['-R', '65534:65534', scene.root]);
    const confinement = new BubblewrapConfinement({ root: scene.root, ...(owner !== undefined && { account: owner }) });
    await scene.commit('second', undefined, { confinement, ...(owner !== undefined && { owner }) });
    const files = readdirSync(scene.root, { recursive: true, encoding: 'utf8' }).map((name) => statSync(scene.at(name)).uid);
    expect(new Set(files)).toEqual(new Set([owner?.uid ?? process.geteuid?.()]));
    expect(readdirSync(scene.temporary)).toEqual([]);
  });

  test('identities that git would write otherwise', async () => {
    using scene = new GitScene().init();
    scene.write('a.txt', 'two\n');
    await scene.commit('second', undefined, { identity: { name: ' "Agent <7>", ', email: '<a@example.com>' } });
    expect(scene.git('log', '-1', '--format=%an|%ae')).toBe('Agent 7|a@example.com');
  });

  test('a file that changes in the moment in which the index was written is seen to have changed, before and after', async () => {
    using scene = new GitScene().init();
    const moment = 1_700_000_000;
    scene.git('config', 'core.trustctime', 'false');
    for (const name of ['b.txt', 'c.txt']) scene.write(name, 'one\n');
    for (const name of ['a.txt', 'b.txt']) utimesSync(scene.at(name), moment, moment);
    scene.git('add', 'a.txt', 'b.txt');
    scene.git('commit', '-q', '-m', 'both');
    for (const name of ['a.txt', 'b.txt']) rewrite(scene, name, moment);
    utimesSync(scene.at('.git/index'), moment, moment);
    await scene.commit('only a', ['a.txt']);
    expect(filesOf(scene)).toEqual(['a.txt']);
    expect(scene.git('status', '--porcelain')).toBe(' M b.txt\n?? c.txt');
  });

  test('what a killed devs has left goes', async () => {
    using scene = new GitScene().init();
    const left = path.join(scene.temporary, 'devs-commit-AbCdEf');
    mkdirSync(path.join(left, 'closed'), { recursive: true });
    utimesSync(left, 0, 0);
    mkdirSync(path.join(scene.temporary, 'devs-commit-notes'));
    scene.write('a.txt', 'two\n');
    await scene.commit('second');
    expect(readdirSync(scene.temporary)).toEqual(['devs-commit-notes']);
    expect(readFileSync(scene.at('.git/HEAD'), 'utf8')).toBe('ref: refs/heads/main\n');
    expect(scene.git('log', '-1', '--format=%an')).toBe(IDENTITY.name);
  });
});
