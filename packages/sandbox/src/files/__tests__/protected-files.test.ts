import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from '@jest/globals';
import { createPlayground, refusalOf, signal } from '../../__tests__/playground.ts';
import { openFsRoot } from '../../open-fs-root.ts';
import { PROTECTED_FILES } from '../protected-files.ts';
import { patternsWithout, ProtectedPatterns } from '../protected-patterns.ts';

const bytes = Buffer.from('x');

test('the page of protected files is the table', () => {
  const page = readFileSync(path.resolve(__dirname, '../../../../../docs/reference/protected-files.md'), 'utf8');
  const rowsBelow = (heading: string) => [...(page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '').matchAll(/^\| (`.+`) \| (.+) \|$/gm)].map(([, names = '', starts]) => [starts, names.split('` `').map((name) => name.replaceAll('`', ''))]);
  const rowsOf = (files: typeof PROTECTED_FILES) => files.map(({ starts, patterns }) => [starts, patterns]);
  expect(rowsBelow('In every root')).toEqual(rowsOf(PROTECTED_FILES.filter(({ at, liftedBy }) => at === 'anywhere' && liftedBy !== 'everybody')));
  expect(rowsBelow('In a home folder')).toEqual(rowsOf(PROTECTED_FILES.filter(({ at }) => at === 'home')));
  expect(rowsBelow('Where `PATH` leads')).toEqual(rowsOf(PROTECTED_FILES.filter(({ at }) => at === 'path')));
  expect(rowsBelow('Where other variables lead')).toEqual(rowsOf(PROTECTED_FILES.filter(({ at }) => at === 'variable')));
  expect(rowsBelow('Writable, although they start programs')).toEqual(rowsOf(PROTECTED_FILES.filter(({ liftedBy }) => liftedBy === 'everybody')));
});

test('no pattern stands twice, none is empty, and one star stands at the start or the end of a last name alone', () => {
  const patterns = PROTECTED_FILES.flatMap((files) => files.patterns);
  expect(new Set(patterns).size).toBe(patterns.length);
  for (const pattern of patterns) expect(pattern).toMatch(/^(?:[^*/\\]+\/)*(?:\*?[^*/\\]+|[^*/\\]+\*)$/);
});

/** At any depth, below folders of any name. */
const ANYWHERE = [
  '.devcontainer.json', 'opencode.json', 'opencode.jsonc', 'crush.json', '.crush.json', '.vs/tasks.vs.json', '.amazonq/mcp.json', '.junie/mcp/x', '.qwen/settings.json',
  '.trae/mcp.json', '.factory/mcp.json', '.hg/hgrc', '.jj/repo/config.toml', '.yarn/releases/yarn.cjs', '.yarn/plugins/x.cjs', '.mvn/extensions.xml', '.bundle/config',
  '.run/x.run.xml', 'app.code-workspace', '.code-workspace', '.exrc', '.gdbinit', '.clinerules/hooks/PreToolUse', '.github/hooks/x.json', '.direnv/x', '.Rprofile',
  '.lefthook/pre-commit/x', '.agents/skills/x/SKILL.md', '.github/agents/x.md', '.bsp/sbt.json', '.vim/coc-settings.json', 'app.csproj.user', 'hie.yaml', '.lazy.lua', '.perldb', '.byebugrc',
  '.rvmrc', '.repo/repo/main.py', 'codebuff.json',
  '.YARN/Plugins/x.cjs', '.yarn/PLUGIN~1/x.cjs', 'APP.CODE-WORKSPACE', 'a\\.yarn\\plugins\\x', '.yarn/./plugins/x', '.yarn/x/../plugins/y',
];

/** Of a home folder. */
const AT_HOME = ['node_modules/x/index.js', '.bashrc', '.profile', '.zshenv', '.gitconfig', '.ssh/config', '.ssh/authorized_keys', '.config/git/config', '.config/autostart/x.desktop', '.config/x', '.local/bin/git', 'bin/ls', 'Library/LaunchAgents/x.plist', '.BASHRC', 'Library/Preferences/x.plist', 'R/x86_64-pc-linux-gnu-library/4.4/x', 'Desktop/x.desktop', 'GNUstep/Library/WindowMaker/autostart'];

/** Of the top of a home folder, with a row or without one. */
const WITH_A_DOT = [
  '.xinputrc', '.selected_editor', '.cpan/CPAN/MyConfig.pm', '.yashrc', '.elvish/rc.elv', '.config/elvish/rc.elv', '.gnus', '.rdbgrc', '.eclrc', '.clisprc', '.clisprc.lisp',
  '.ccl-init.lisp', '.xbindkeysrc.scm', '.rspec', '.railsrc', '.pylintrc', '.ackrc', '.mrconfig', '.proverc', '.bashrc.local', '.zshrc.local', '.zshrc.d/x', '.zsh.d/x', '.bash_env',
  '.bash_prompt', '.path', '.extra', '.git-templates/hooks/post-checkout', '.made_up_tomorrow', '.made_up/x', '.Made_Up_Tomorrow', '.gitignore', '.mise.toml', '.made_up::$DATA', 'MADEUP~1',
  '.\u200cmade_up',
];

test('each pattern protects a name at any depth, or at home, in capitals too', () => {
  const home = ['home', 'me'];
  const list = patternsWithout([]);
  const rules = new ProtectedPatterns(list, { root: [], homes: [home] });
  const find = (pattern: string, above: readonly string[]) => {
    const names = pattern.replace('*', 'x').split('/');
    return rules.find(names.at(-1)?.toUpperCase() ?? '', [...above, ...names.slice(0, -1)]) !== undefined;
  };
  for (const pattern of list.anywhere) expect([pattern, find(pattern, []), find(pattern, ['a', 'b'])]).toEqual([pattern, true, true]);
  for (const pattern of list.atHome) expect([pattern, find(pattern, home), find(pattern, [...home, 'deeper']), find(pattern, ['me'])]).toEqual([pattern, true, false, false]);
});

/** What an ordinary task writes. */
const FREE = [
  '.gitignore', '.rspec', '.pylintrc', '.proverc', '.editorconfig', '.github/dependabot.yml', '.ai/notes.md', '.vim/x.vim', '.tool-versions', 'lefthook.toml', 'app.user', 'Desktop/x.desktop', 'Library/x', 'project',
  '.pre-commit-config.yaml', 'lefthook.yml', 'mise.toml', '.gitattributes', '.gitmodules', '.yarn/cache/x.zip', 'plugins/x', 'releases/x', '.github/workflows/ci.yml', '.clinerules/style.md', '.env', 'x.code-workspace.md', 'code-workspace', 'config/git/x', 'src/bin/x', 'local/bin/x'];

describe('file tools', () => {
  it.each(ANYWHERE)('do not write %s, at the top and deeper', async (name) => {
    using ground = createPlayground();
    mkdirSync(ground.at('.yarn/x'), { recursive: true });
    mkdirSync(ground.at('packages/one/.yarn/x'), { recursive: true });
    using files = openFsRoot({ root: ground.root });
    for (const place of [name, `packages/one/${name}`]) await refusalOf(files.writeFile(place, { bytes, signal: signal() }), 'PATH_PROTECTED');
  });

  it.each(AT_HOME)('do not write %s of a home folder, whether it is the root or lies in it', async (name) => {
    using ground = createPlayground();
    mkdirSync(ground.at('me'));
    using at = openFsRoot({ root: ground.root, homes: ['/nowhere', ground.root] });
    await refusalOf(at.writeFile(name, { bytes, signal: signal() }), 'PATH_PROTECTED');
    using around = openFsRoot({ root: ground.root, homes: [ground.at('me')] });
    await refusalOf(around.writeFile(`me/${name}`, { bytes, signal: signal() }), 'PATH_PROTECTED');
    // In any other folder it is an ordinary file.
    expect(await around.writeFile(`dotfiles/${name}`, { bytes, signal: signal() })).toEqual({ created: true });
  });

  it('do not write what a variable names, and what starts by itself in a folder of code', async () => {
    using ground = createPlayground();
    for (const folder of ['zdot', 'src/deep', 'py']) mkdirSync(ground.at(folder), { recursive: true });
    symlinkSync('py', ground.at('linked'));
    const byVariable = new Map([['ZDOTDIR', [ground.at('zdot')]], ['BASH_ENV', [ground.at('env.sh')]], ['GNUPGHOME', [ground.root]], ['PYTHONPATH', [ground.root, ground.at('src'), ground.at('linked')]], ['GOPATH', [ground.at('g')]]]);
    using files = openFsRoot({ root: ground.root, named: { byVariable } });
    const held = ['zdot/.zshrc', 'ZDOT/x', 'env.sh', 'sitecustomize.py', 'src/sitecustomize.py', 'src/sitecustomize/__init__.py', 'src/sitecustomize.cpython-312-x86_64-linux-gnu.so', 'src/usercustomize.py', 'src/encodings/__init__.py', 'py/sitecustomize.py', 'linked/sitecustomize.py', 'g/bin/tool'];
    for (const name of held) await refusalOf(files.writeFile(name, { bytes, signal: signal() }), 'PATH_PROTECTED');
    // Of these, nothing is run unasked: the code of the project, and a root that is itself what a variable names.
    for (const name of ['app.py', 'src/app.py', 'src/deep/sitecustomize.py', 'py/x.py', 'gpg.conf', 'g/src/x.go', 'src/env.sh']) expect([name, await files.writeFile(name, { bytes, signal: signal() })]).toEqual([name, { created: true }]);
    using lifted = openFsRoot({ root: ground.root, named: { byVariable }, writable: ['$ZDOTDIR', '$PYTHONPATH/sitecustomize*'] });
    for (const name of ['zdot/.zshrc', 'src/sitecustomize.py']) expect(await lifted.writeFile(name, { bytes, signal: signal() })).toEqual({ created: true });
    await refusalOf(lifted.writeFile('env.sh', { bytes, signal: signal() }), 'PATH_PROTECTED');
  });

  it.each(WITH_A_DOT)('do not write %s at the top of a home folder', async (name) => {
    using ground = createPlayground();
    mkdirSync(ground.at('me'));
    using at = openFsRoot({ root: ground.root, homes: [ground.root] });
    using around = openFsRoot({ root: ground.root, homes: [ground.at('me')] });
    await refusalOf(at.writeFile(name, { bytes, signal: signal() }), 'PATH_PROTECTED');
    await refusalOf(around.writeFile(`me/${name}`, { bytes, signal: signal() }), 'PATH_PROTECTED');
  });

  it('write a name with a dot below a home folder, in a root that has one', async () => {
    using ground = createPlayground();
    mkdirSync(ground.at('me/.dotfiles'), { recursive: true });
    using at = openFsRoot({ root: ground.root, homes: [ground.at('me')] });
    for (const name of ['.zshrc.local', 'me/project/.gitignore', 'me/project/.rspec', 'me/project/.pylintrc', 'me/a.b']) expect(await at.writeFile(name, { bytes, signal: signal() })).toEqual({ created: true });
    using within = openFsRoot({ root: ground.at('me/.dotfiles'), homes: [ground.at('me')] });
    for (const name of ['.zshrc.local', 'x']) expect(await within.writeFile(name, { bytes, signal: signal() })).toEqual({ created: true });
  });

  it('judge a name that is left without its dot when it is folded by the dot, and no step to a folder', async () => {
    using ground = createPlayground();
    mkdirSync(ground.at('me'));
    using files = openFsRoot({ root: ground.root, homes: [ground.at('me')] });
    const { protection } = files;
    const names = ['...', '.. .', '. ', '.:x', '..:x', '.\u2060', '\u2060.', '\u2060.:x', '\uff0e'];
    expect(names.map((name) => [name, protection.protectedBy(name, ['me']), protection.protectedBy(name, [])])).toEqual(names.map((name) => [name, '.*', undefined]));
    for (const name of ['.', '..']) expect(protection.protectedBy(name, ['me'])).toBeUndefined();
    await refusalOf(files.writeFile('me/...', { bytes, signal: signal() }), 'PATH_PROTECTED');
    expect(await files.writeFile('me/../x', { bytes, signal: signal() })).toEqual({ created: true });
  });

  it('do not write names like those of what was moved aside, but read them', async () => {
    using ground = createPlayground();
    writeFileSync(ground.at('.bashrc.devs-aside-1-0123456789abcdef'), 'x');
    using files = openFsRoot({ root: ground.root, homes: [ground.root] });
    for (const name of ['.bashrc.devs-aside-2', '.bashrc.devs-aside-1-0123456789abcdef', 'a/x.devs-aside-2', 'x.DEVS-aside-2', 'x.devs-aside-1/y']) await refusalOf(files.writeFile(name, { bytes, signal: signal() }), 'PATH_PROTECTED');
    expect((await files.readFile('.bashrc.devs-aside-1-0123456789abcdef', { limit: 10 }, signal())).size).toBe(1);
    const { protection } = files;
    expect(['.bashrc.devs-aside-1-0123456789abcdef', '.x.devs-aside-2', '.devs-aside-1-0123456789abcdef.x'].map((name) => protection.protectedBy(name))).toEqual([undefined, '.*', '.*']);
  });

  it.each<[root: string, name: string, home: boolean]>([
    ['.yarn', 'plugins/x.cjs', false],
    ['.config', 'git/config', true],
    ['.config', 'autostart/x.desktop', true],
    ['.config', 'elvish/rc.elv', true],
    ['.local', 'bin/git', true],
  ])('in a root that is %s, do not write %s', async (root, name, isHome) => {
    using ground = createPlayground();
    mkdirSync(ground.at(root));
    using files = openFsRoot({ root: ground.at(root), homes: isHome ? [ground.root] : [] });
    await refusalOf(files.writeFile(name, { bytes, signal: signal() }), 'PATH_PROTECTED');
    expect(await files.writeFile(`other/${name}`, { bytes, signal: signal() })).toEqual({ created: true });
  });

  it('do not write what a folder that is a link names together with its file', async () => {
    using ground = createPlayground();
    mkdirSync(ground.at('kept/x'), { recursive: true });
    symlinkSync('kept', ground.at('.yarn'));
    using files = openFsRoot({ root: ground.root });
    for (const name of ['.yarn/plugins/y', '.yarn/x/../plugins/y']) await refusalOf(files.writeFile(name, { bytes, signal: signal() }), 'PATH_PROTECTED');
    expect(await files.writeFile('kept/free', { bytes, signal: signal() })).toEqual({ created: true });
  });

  describe('in folders that the environment names', () => {
    const named = (ground: ReturnType<typeof createPlayground>) => ({ settings: [ground.at('xdg/c')], data: [ground.at('xdg/d')], programs: [ground.at('tools/bin'), ground.at('link/programs')] });

    it.each(['xdg/c/git/config', 'xdg/c/autostart/x.desktop', 'xdg/c/any', 'xdg/d/applications/x.desktop', 'tools/bin/git', 'TOOLS/Bin/git', 'link/programs/ls', 'real/programs/ls'])('do not write %s', async (name) => {
      using ground = createPlayground();
      mkdirSync(ground.at('real/programs'), { recursive: true });
      symlinkSync('real', ground.at('link'));
      using files = openFsRoot({ root: ground.root, named: named(ground) });
      await refusalOf(files.writeFile(name, { bytes, signal: signal() }), 'PATH_PROTECTED');
    });

    it.each(['xdg/other', 'tools/x', 'bin/git', 'deeper/tools/bin/git', '.config/git/config'])('write %s', async (name) => {
      using ground = createPlayground();
      using files = openFsRoot({ root: ground.root, named: named(ground) });
      expect(await files.writeFile(name, { bytes, signal: signal() })).toEqual({ created: true });
    });

    it('write what the operator has lifted', async () => {
      using ground = createPlayground();
      using files = openFsRoot({ root: ground.root, named: named(ground), writable: ['$PATH', '.config', '.config/git'] });
      for (const name of ['tools/bin/x', 'xdg/c/git/x']) expect(await files.writeFile(name, { bytes, signal: signal() })).toEqual({ created: true });
      await refusalOf(files.writeFile('xdg/c/fish/x', { bytes, signal: signal() }), 'PATH_PROTECTED');
      await refusalOf(files.writeFile('xdg/d/x', { bytes, signal: signal() }), 'PATH_PROTECTED');
    });

    it('where one of them is the root, or around it: as ordinary as before', async () => {
      using ground = createPlayground();
      using files = openFsRoot({ root: ground.root, named: { settings: [], data: [], programs: [ground.root, '/', 'relative', `/x\0`] } });
      expect(await files.writeFile('git', { bytes, signal: signal() })).toEqual({ created: true });
    });
  });

  it.each(FREE)('write %s', async (name) => {
    using ground = createPlayground();
    using files = openFsRoot({ root: ground.root, homes: ['/nowhere'] });
    expect(await files.writeFile(name, { bytes, signal: signal() })).toEqual({ created: true });
  });
});

describe('files.writable', () => {
  const LIFTABLE = PROTECTED_FILES.filter(({ liftedBy }) => liftedBy === 'operator').flatMap(({ patterns }) => patterns);

  it.each(['.vscode', '.yarn/plugins', '*.code-workspace', '.bashrc', '.*', '$PATH'])('lifts %s and nothing else', (pattern) => {
    const before = patternsWithout([]);
    const after = patternsWithout([pattern]);
    const all = ({ anywhere, atHome, onPath = [] }: typeof before) => [...anywhere, ...atHome, ...onPath];
    expect(all(before).filter((each) => !all(after).includes(each))).toEqual([pattern]);
  });

  it('lifts each name that an operator may lift', () => {
    expect(patternsWithout(LIFTABLE)).toMatchObject({ anywhere: ['devs.config.json', '.git'], atHome: [], onPath: [] });
  });

  it.each<[lifted: string[], free: string[], held: string[]]>([
    [['.*'], ['.made_up', '.gitignore'], ['.bashrc', '.zshrc.local', '.config/x']],
    [['.bashrc'], ['.bashrc'], ['.made_up', '.bashrc.local']],
    [['.local/bin'], ['.local/bin/x', '.local/x'], ['.local/share/x', '.made_up']],
    [['.vscode'], ['.vscode/x'], ['.made_up']],
    [['.config/git'], [], ['.config/git/x', '.config/x']],
  ])('at the top of a home folder, %j lets tools write %j, and not %j', async (writable, free, held) => {
    using ground = createPlayground();
    using files = openFsRoot({ root: ground.root, homes: [ground.root], writable });
    for (const name of free) expect(await files.writeFile(name, { bytes, signal: signal() })).toEqual({ created: true });
    for (const name of held) await refusalOf(files.writeFile(name, { bytes, signal: signal() }), 'PATH_PROTECTED');
  });

  it('lets tools write what it lifts, unless it is protected by name', async () => {
    using ground = createPlayground();
    using lifted = openFsRoot({ root: ground.root, writable: ['.vscode', '.yarn/plugins'] });
    for (const name of ['.vscode/tasks.json', '.yarn/plugins/x']) expect(await lifted.writeFile(name, { bytes, signal: signal() })).toEqual({ created: true });
    await refusalOf(lifted.writeFile('.yarn/releases/x', { bytes, signal: signal() }), 'PATH_PROTECTED');
    using both = openFsRoot({ root: ground.root, writable: ['.vscode'], alsoProtected: ['.vscode'] });
    await refusalOf(both.writeFile('.vscode/x', { bytes, signal: signal() }), 'PATH_PROTECTED');
  });

  it.each([
    ['.git', 'stays protected'],
    ['devs.config.json', 'stays protected'],
    ['.VSCODE', 'none of the built-in'],
    ['.vscode/tasks.json', 'none of the built-in'],
    ['*', 'none of the built-in'],
    ['toString', 'none of the built-in'],
  ])('cannot name %s', (pattern, problem) => {
    using ground = createPlayground();
    expect(() => openFsRoot({ root: ground.root, writable: [pattern] })).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', sentence: expect.stringContaining(problem) }));
  });
});
