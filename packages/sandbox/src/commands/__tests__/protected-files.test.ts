import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { DEFAULT_CONFIG } from '@devs/core';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { Playground } from './command-scene.ts';

const PLANTS = ['.devcontainer.json', 'sub/opencode.json', '.yarn/plugins/x.cjs', 'app.code-workspace', '.clinerules/hooks/x', '.bashrc', '.config/git/config', '.local/bin/git', 'bin/ls'];

withBoxes('protected files in boxes', () => {
  it('what a command plants is moved aside, also by a folder that was renamed', async () => {
    using ground = new Playground();
    ground.write({ 'project/x/plugins/evil.cjs': '', 'project/.yarn/cache/x': '' });
    const script = `for name; do mkdir -p "$(dirname "$name")"; echo planted > "$name"; done; rm -rf .yarn2; mv .yarn .yarn2; mv x .yarn`;
    const { outcome } = await ground.run({ argv: ['/bin/sh', '-c', script, 'sh', ...PLANTS] }, { homes: [ground.root], writable: ['.*'] });
    for (const name of [...PLANTS, '.yarn/plugins']) expect([name, existsSync(path.join(ground.root, name))]).toEqual([name, false]);
    const moved = outcome.movedAside.map(({ path: from }) => from).toSorted();
    expect(moved).toEqual(['.bashrc', '.clinerules/hooks', '.config', '.devcontainer.json', '.local/bin', '.yarn/plugins', 'app.code-workspace', 'bin', 'sub/opencode.json']);
    expect(outcome.movedAside.find(({ path: from }) => from === 'app.code-workspace')?.to).toMatch(/^_\.code-workspace\.devs-aside-[\w-]+$/);
  });

  it('what is there stays as it is', async () => {
    using ground = new Playground();
    ground.write(Object.fromEntries(PLANTS.map((name) => [`project/${name}`, 'own'])));
    const script = 'for name; do echo planted > "$name"; rm -f "$name"; done 2>/dev/null; mv .clinerules gone; ls .clinerules/hooks';
    const { stdout } = await ground.run({ argv: ['/bin/sh', '-c', script, 'sh', ...PLANTS] }, { homes: [ground.root], writable: ['.*'] });
    for (const name of PLANTS) expect([name, readFileSync(path.join(ground.root, name), 'utf8')]).toEqual([name, 'own']);
    expect(stdout).toBe('x\n');
  });

  it('what is there stays where a rule allows a part of it', async () => {
    using ground = new Playground();
    ground.write({ 'project/.git/hooks/x': 'own', 'project/docs/x': 'own' });
    const config = { files: { ...DEFAULT_CONFIG.files, allowed: ['.git/hooks', 'docs'] } };
    const { stdout } = await ground.run({ argv: ['/bin/sh', '-c', 'for name in .git/hooks docs; do echo planted > $name/y; done 2>/dev/null; cat .git/hooks/*'] }, { config });
    expect(stdout).toBe('own');
    expect(['.git/hooks/y', 'docs/y'].map((name) => existsSync(path.join(ground.root, name)))).toEqual([false, true]);
  });

  it('a link that is there is put back, the answer tells it, and what it leads to stays as it is', async () => {
    using ground = new Playground();
    ground.write({ 'project/dotfiles/gitconfig': 'own', 'project/dotfiles/bashrc': 'own' });
    for (const name of ['gitconfig', 'bashrc']) symlinkSync(`dotfiles/${name}`, path.join(ground.root, `.${name}`));
    const { outcome } = await ground.run({ argv: ['/bin/sh', '-c', 'rm .gitconfig; mv .bashrc x; echo planted > .bashrc; for way in gitconfig bashrc; do echo planted > dotfiles/$way; rm -f dotfiles/$way; done; mv dotfiles gone; true'] }, { homes: [ground.root] });
    expect(outcome.movedAside.map(({ path: from }) => from)).toEqual(['.bashrc']);
    expect(outcome.links?.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual(['.bashrc', '.gitconfig'].map((name) => ({ path: name, leadsTo: `dotfiles/${name.slice(1)}`, isBack: true })));
    for (const name of ['.gitconfig', '.bashrc']) expect(readFileSync(path.join(ground.root, name), 'utf8')).toBe('own');
  });

  it('at the top of a home folder, any name with a dot is moved aside, and once alone', async () => {
    using ground = new Playground();
    const script = 'mkdir .made_up project; echo x > .made_up/x; echo x > .tomorrowrc; echo x > .bashrc; echo x > project/.rspec';
    const { outcome } = await ground.run({ argv: ['/bin/sh', '-c', script] }, { homes: [ground.root] });
    expect(outcome.movedAside.map(({ path: from }) => from).toSorted()).toEqual(['.bashrc', '.made_up', '.tomorrowrc']);
    const aside = outcome.movedAside.map(({ to }) => to);
    const again = await ground.run({ argv: ['/bin/sh', '-c', 'rm -r .*.devs-aside-* ._.devs-aside-*; true'] }, { homes: [ground.root] });
    expect(again.outcome.movedAside).toEqual([]);
    for (const name of aside) expect([name, existsSync(path.join(ground.root, name))]).toEqual([name, false]);
    expect(existsSync(path.join(ground.root, 'project/.rspec'))).toBe(true);
  });

  it('packages at the top of a home folder are moved aside, those of a project in it are not', async () => {
    using ground = new Playground();
    const { outcome } = await ground.run({ argv: ['/bin/sh', '-c', 'for at in . app; do mkdir -p $at/node_modules/x; echo 1 > $at/node_modules/x/index.js; done'] }, { homes: [ground.root] });
    expect(outcome.movedAside.map(({ path: from }) => from)).toEqual(['node_modules']);
    expect(existsSync(path.join(ground.root, 'app/node_modules/x/index.js'))).toBe(true);
  });

  it.each([
    ['what is there stays', 'echo evil > tools/bin/git; rm -rf tools/bin; echo x > xdg/git/config', []],
    ['the folder around it is not taken away', 'mv tools moved; mkdir -p tools/bin; echo evil > tools/bin/git', []],
    ['nor is a link put in its place', 'mv tools moved; mkdir -p evil/bin; echo evil > evil/bin/git; ln -s evil tools', []],
    ['what was not there is moved aside', 'mkdir -p later/bin && echo evil > later/bin/git', ['later/bin']],
  ])('in folders that the environment names: %s', async (_, script, moved) => {
    using ground = new Playground();
    ground.write({ 'project/tools/bin/git': 'own', 'project/xdg/git/config': 'own' });
    const at = (name: string) => path.join(ground.root, name);
    const { outcome } = await ground.run({ argv: ['/bin/sh', '-c', `${script}; true`] }, { named: { settings: [at('xdg')], programs: [at('tools/bin'), at('later/bin')] } });
    expect(outcome.movedAside.map(({ path: from }) => from)).toEqual(moved);
    expect(readFileSync(at('tools/bin/git'), 'utf8')).toBe('own');
    for (const name of ['tools/bin/git', 'later/bin/git']) expect([name, existsSync(at(name)) && readFileSync(at(name), 'utf8') !== 'own']).toEqual([name, false]);
    expect(readFileSync(at('xdg/git/config'), 'utf8')).toBe('own');
  });

  it('what other variables name is moved aside or stays, and the code beside it is free', async () => {
    using ground = new Playground();
    ground.write({ 'project/cfg/gitconfig': 'own', 'project/py/a.py': 'own' });
    const at = (name: string) => path.join(ground.root, name);
    const byVariable = new Map([['GIT_CONFIG_GLOBAL', [at('cfg/gitconfig')]], ['ZDOTDIR', [at('zdot')]], ['PYTHONPATH', [at('py')]]]);
    const script = 'echo evil > cfg/gitconfig; mkdir zdot; echo evil > zdot/.zshrc; echo evil > py/sitecustomize.py; echo new > py/a.py';
    const { outcome } = await ground.run({ argv: ['/bin/sh', '-c', script] }, { named: { byVariable } });
    expect(outcome.movedAside.map(({ path: from }) => from).toSorted()).toEqual(['py/sitecustomize.py', 'zdot']);
    expect(['cfg/gitconfig', 'py/a.py'].map((name) => readFileSync(at(name), 'utf8'))).toEqual(['own', 'new\n']);
  });

  it('what an ordinary task edits is free, and so is what the operator has lifted', async () => {
    using ground = new Playground();
    const names = ['.pre-commit-config.yaml', 'mise.toml', '.gitattributes', '.gitmodules', 'lefthook.yml', '.vscode/tasks.json'];
    const { outcome } = await ground.run({ argv: ['/bin/sh', '-c', 'mkdir .vscode; for name; do echo x > "$name"; done', 'sh', ...names] }, { writable: ['.vscode'] });
    expect(outcome.movedAside).toEqual([]);
    for (const name of names) expect([name, existsSync(path.join(ground.root, name))]).toEqual([name, true]);
  });
});
