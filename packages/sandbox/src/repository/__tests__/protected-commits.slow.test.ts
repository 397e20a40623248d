import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { boxView } from '../../box-view.ts';
import { GitScene } from './git-scene.ts';

/** A project with files that no tool may write, one of which runs programs at the next commit of whoever has it. */
function prepare(): GitScene {
  const scene = new GitScene().init();
  scene.write('.husky/pre-commit', 'echo checked\n', 0o755);
  scene.write('.npmrc', 'a=1\n');
  scene.write('.vscode/tasks.json', '{}\n');
  scene.git('add', '.');
  scene.git('commit', '-q', '-m', 'protected');
  scene.write('a.txt', 'two\n');
  return scene;
}

const EVIL = 'b=$(echo evil | git hash-object -w --stdin)';
const NO_TOOL = 'which no tool may write';

/** What a hook gives the commit that no tool could have written, and which paths were named. */
const HOOKS: readonly (readonly [string, string, readonly string[] | undefined, string])[] = [
  ['another content', `${EVIL}; git update-index --cacheinfo "100755,$b,.husky/pre-commit"`, undefined, NO_TOOL],
  ['another content, of a path that is around it', `${EVIL}; git update-index --cacheinfo "100755,$b,.husky/pre-commit"`, ['.'], NO_TOOL],
  ['a new file', `${EVIL}; git update-index --add --cacheinfo "100644,$b,sub/.envrc"`, undefined, NO_TOOL],
  ['a new file, in another spelling', `${EVIL}; git update-index --add --cacheinfo "100644,$b,.ENVRC"`, undefined, NO_TOOL],
  ['none any more', 'git rm -q --cached .husky/pre-commit', undefined, NO_TOOL],
  ['another mode', 'git update-index --chmod=-x .husky/pre-commit', undefined, NO_TOOL],
  ['a link', 'b=$(printf /etc/passwd | git hash-object -w --stdin); git update-index --cacheinfo "120000,$b,.npmrc"', undefined, NO_TOOL],
  ...['.vim', '.clinerules', '.yarn', '.ai', '.VIM', 'sub/.yarn'].map((name): (typeof HOOKS)[number] => [`a link in the place of the folder around: ${name}`, `b=$(printf cl | git hash-object -w --stdin); git update-index --add --cacheinfo "120000,$b,${name}"`, undefined, NO_TOOL]),
  ['what makes a repository of a folder', `${EVIL}; git update-index --add --cacheinfo "100644,$b,x/HEAD"`, undefined, NO_TOOL],
  ['what it makes itself, and what is moved aside', 'echo evil > .envrc; git add -f .envrc', undefined, NO_TOOL],
  ['another content of it while a named file changes', `${EVIL}; git update-index --cacheinfo "100644,$b,.npmrc"`, ['a.txt'], 'lies in none of "paths"'],
  ['a file that was not named', 'echo b > b.txt; git add b.txt', ['a.txt'], 'lies in none of "paths"'],
];

/** What the user has done, none of which a tool could do, and what is then committed. */
const OWN: readonly (readonly [string, (scene: GitScene) => void, readonly string[] | undefined, string])[] = [
  ['a changed file', (scene) => scene.write('.vscode/tasks.json', '{"a":1}\n'), undefined, 'M\t.vscode/tasks.json'],
  ['a changed file, by its name', (scene) => scene.write('.vscode/tasks.json', '{"a":1}\n'), ['.vscode'], 'M\t.vscode/tasks.json'],
  ['a new file, by its name', (scene) => scene.write('.envrc', 'x\n'), ['.envrc'], 'A\t.envrc'],
  ['a file that is gone, also from the index', (scene) => void scene.git('rm', '-q', '.npmrc'), undefined, 'D\t.npmrc'],
  ['a file that is not to be tracked any more', (scene) => void scene.git('rm', '-q', '--cached', '.npmrc'), undefined, 'D\t.npmrc'],
  ['another mode', (scene) => chmodSync(scene.at('.husky/pre-commit'), 0o644), undefined, 'M\t.husky/pre-commit'],
  ['a mode that the repository does not look at', (scene) => (scene.git('config', 'core.fileMode', 'false'), scene.write('.husky/pre-commit', 'echo more\n', 0o644)), undefined, 'M\t.husky/pre-commit'],
  ['line ends that git stores otherwise', (scene) => (scene.write('.gitattributes', '* text eol=crlf\n'), writeFileSync(scene.at('.npmrc'), 'a=2\r\n')), ['.npmrc', '.gitattributes'], 'M\t.npmrc'],
  ['a link', (scene) => symlinkSync('a.txt', scene.at('.yarnrc')), ['.yarnrc'], 'A\t.yarnrc'],
  ['a link in the place of the folder around one', (scene) => (mkdirSync(scene.at('cl')), symlinkSync('cl', scene.at('.vim'))), ['.vim'], 'A\t.vim'],
  ['a link in the place of a folder', (scene) => (scene.git('rm', '-r', '-q', '.vscode'), mkdirSync(scene.at('kept')), symlinkSync('kept', scene.at('.vscode'))), ['.vscode'], 'D\t.vscode/tasks.json'],
];

withBoxes('a commit with protected files', () => {
  test.each(HOOKS)('is refused where a hook has given one %s', async (_, script, paths, refusal) => {
    using scene = prepare();
    scene.hook('pre-commit', script);
    const before = scene.gitState();
    await expect(scene.commit('x', paths)).rejects.toMatchObject({ code: 'COMMIT_REFUSED', sentence: expect.stringContaining(refusal) });
    expect(scene.gitState()).toEqual(before);
  });

  test.each(OWN)('takes what their user has done: %s', async (_, change, paths, expected) => {
    using scene = prepare();
    change(scene);
    await scene.commit('x', paths);
    expect(scene.git('show', '--format=', '--name-status').split('\n')).toContain(expected);
    expect(scene.git('status', '--porcelain', '--', '.husky', '.envrc')).toBe('');
  });

  /** A mount keeps a file where it is, and not the folder around it. */
  test.each<[string, string, readonly string[] | undefined]>([
    ['all of it', 'mv sub g2', undefined],
    ['the folder by its name', 'mv sub g2', ['sub']],
    ['both folders', 'mv sub g2', ['sub', 'g2']],
    ['the folder, replaced', 'mv sub g2; mkdir sub; echo x > sub/a.txt', ['sub']],
  ])('is refused where a command has moved one away: %s', async (_, script, paths) => {
    using scene = prepare();
    scene.write('sub/.github/hooks/pre-commit', 'echo checked\n', 0o755);
    scene.git('add', 'sub');
    scene.git('commit', '-q', '-m', 'hooks');
    const snapshot = await scene.guard.before();
    await scene.run(script, scene.mounts(snapshot.existing));
    await scene.guard.after(snapshot);
    const before = scene.gitState();
    await expect(scene.commit('x', paths)).rejects.toMatchObject({ code: 'COMMIT_REFUSED', sentence: expect.stringContaining('it would remove') });
    expect(scene.gitState()).toEqual(before);
  });

  test('is not needed to keep a folder that is part of a protected name: no command renames it', async () => {
    using scene = prepare();
    for (const name of ['.github/hooks/pre-commit', '.github/a.yml', 'sub/.npmrc']) scene.write(name, 'x\n');
    const { existing } = await scene.guard.before();
    const mounts = boxView({ root: scene.root, rules: { allowed: [], blocked: [] }, closed: [], readOnly: existing, protection: scene.protection });
    const { exit } = await scene.run('! mv .github g2; ! rm -r .github/hooks; echo y > .github/a.yml; mv .github/a.yml sub/a.yml; mv sub moved', mounts);
    expect(exit).toEqual({ kind: 'code', code: 0 });
    expect(['.github/hooks/pre-commit', 'moved/a.yml', 'moved/.npmrc', 'g2'].map((name) => existsSync(scene.at(name)))).toEqual([true, true, true, false]);
  });

  /** The two commits of the attack: what lies in the folder first, and what is added when it is no repository on the disk. */
  test.each<[string, readonly string[], string]>([
    ['HEAD, objects, then refs', ['x/HEAD', 'x/objects/a', 'x/config'], 'x/refs/a'],
    ['HEAD, refs, then objects', ['x/HEAD', 'x/refs/a'], 'x/objects/b/a'],
    ['HEAD, then commondir', ['x/HEAD'], 'x/commondir'],
    ['objects and refs, then HEAD', ['x/objects/a', 'x/refs/a'], 'x/HEAD'],
    ['other spellings', ['x/HEAD', 'x/OBJECTS/a'], 'x/Refs/a'],
    ['a folder in two spellings', ['x/HEAD', 'x/objects/a'], 'X/refs/a'],
    ['the root', ['HEAD', 'objects/a'], 'refs/a'],
  ])('is refused where it makes a repository of a folder, of which the last commit has a part: %s', async (_, first, last) => {
    using scene = prepare();
    for (const name of first) scene.write(name, 'x\n');
    await scene.commit('x', first);
    const [head = ''] = first;
    renameSync(scene.at(head), scene.at(`${head}.old`));
    scene.write(last, 'x\n');
    const before = scene.gitState();
    await expect(scene.commit('y', [last])).rejects.toMatchObject({ code: 'COMMIT_REFUSED', sentence: expect.stringContaining(NO_TOOL) });
    expect(scene.gitState()).toEqual(before);
  });

  test('is refused where the parts of a repository all come at once', async () => {
    using scene = prepare();
    scene.hook('pre-commit', `${EVIL}; for name in HEAD objects/a refs/a; do git update-index --add --cacheinfo "100644,$b,x/$name"; done`);
    scene.write('x/HEAD', 'evil\n');
    await expect(scene.commit('x')).rejects.toMatchObject({ sentence: expect.stringContaining('for a repository') });
  });

  test.each(['config', 'CONFIG', 'config.worktree', 'commondir', 'hooks/pre-commit'])('is refused where it changes what git obeys in a repository that was there: %s', async (name) => {
    using scene = prepare();
    for (const part of ['HEAD', 'objects/a', 'refs/a', 'config']) scene.write(`x/${part}`, 'x\n');
    scene.git('add', 'x');
    scene.git('commit', '-q', '-m', 'one for tests');
    scene.hook('pre-commit', `${EVIL}; git update-index --add --cacheinfo "100644,$b,x/${name}"`);
    await expect(scene.commit('x')).rejects.toMatchObject({ code: 'COMMIT_REFUSED', sentence: expect.stringContaining(NO_TOOL) });
    rmSync(scene.at('.git/hooks/pre-commit'));
    // What its user has staged is the user's.
    scene.write(`x/${name}`, 'mine\n');
    scene.git('add', 'x');
    await scene.commit('mine');
    expect(scene.git('show', `HEAD:x/${name}`)).toBe('mine');
  });

  test('takes what is like a part of a repository and makes none, and what is added to one that was there', async () => {
    using scene = prepare();
    for (const name of ['y/objects/a', 'y/refs/a', 'HEAD']) scene.write(name, 'x\n');
    await scene.commit('x', ['y', 'HEAD']);
    // One for tests of the project, say, which its user has committed.
    for (const name of ['x/HEAD', 'x/objects/a', 'x/refs/a']) scene.write(name, 'x\n');
    scene.git('add', 'x');
    await scene.commit('staged');
    scene.write('x/refs/b', 'x\n');
    await scene.commit('more', ['x/refs/b']);
    expect(scene.git('show', '--format=', '--name-status')).toBe('A\tx/refs/b');
  });

  test('takes what a hook has formatted of the files that were named', async () => {
    using scene = prepare();
    scene.write('sub/b.txt', 'b\n');
    scene.hook('pre-commit', 'echo formatted > a.txt; echo formatted > sub/b.txt; git add a.txt sub/b.txt');
    await scene.commit('x', ['a.txt', 'sub']);
    expect([scene.git('show', 'HEAD:a.txt'), scene.git('show', 'HEAD:sub/b.txt')]).toEqual(['formatted', 'formatted']);
  });

  test('takes what Git LFS keeps of one', async () => {
    using scene = prepare();
    scene.write('.gitattributes', '.yarn/releases/* filter=stand\n');
    scene.write('.yarn/releases/yarn.cjs', 'program\n');
    const clean = `printf "version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize %s\\n" "$(sha256sum .yarn/releases/yarn.cjs | cut -c1-64)" 8`;
    scene.git('config', 'filter.stand.clean', clean);
    await scene.commit('x', ['.yarn']);
    expect(scene.git('show', 'HEAD:.yarn/releases/yarn.cjs')).toContain('size 8');
    // A filter that makes something else of it is no better than a hook.
    scene.git('config', 'filter.stand.clean', 'echo evil');
    scene.write('.yarn/releases/yarn.cjs', 'program 2\n');
    await expect(scene.commit('y', ['.yarn'])).rejects.toMatchObject({ sentence: expect.stringContaining(NO_TOOL) });
  });
});
