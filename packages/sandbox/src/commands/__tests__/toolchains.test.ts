import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findToolchains } from '../toolchains.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'devs-toolchains-')));
});
afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

function make(...folders: readonly string[]): void {
  for (const folder of folders) mkdirSync(path.join(base, folder), { recursive: true });
}

/** What becomes readable for these entries of `PATH`, below the base; and where programs are looked for. */
function find(searchPath: readonly string[], closed: readonly string[] = []) {
  make('home', 'home/project');
  const inBase = (place: string) => (path.isAbsolute(place) || place === '.' ? place : path.join(base, place));
  const { mounts, env } = findToolchains({
    searchPath: searchPath.map(inBase).join(':'),
    home: path.join(base, 'home'),
    root: path.join(base, 'home/project'),
    closed: closed.map(inBase),
  });
  const shown = (place: string) => (place.startsWith(base) ? path.relative(base, place) : place);
  expect(mounts.every(({ access, target }) => access === 'read' && target === undefined)).toBe(true);
  return { mounts: mounts.map(({ source }) => shown(source)), path: (env['PATH'] ?? '').split(':').map(shown), env };
}

const SYSTEM = ['/usr/local/bin', '/usr/bin', '/bin'];

describe('what PATH leads to', () => {
  it('the system has its own folders in every box', () => {
    expect(find(['/usr/bin'])).toMatchObject({ mounts: [], path: ['/usr/bin', '/usr/local/bin', '/bin'] });
  });

  it('a toolchain under the home folder is readable, its credentials are not', () => {
    make('home/.cargo/bin', 'home/.cargo/registry', 'home/.rustup/toolchains', 'home/.ssh');
    writeFileSync(path.join(base, 'home/.cargo/credentials.toml'), 'token');
    const { mounts, env } = find(['home/.cargo/bin', '/usr/bin']);
    expect(mounts).toEqual(['home/.cargo/bin', 'home/.cargo/registry', 'home/.rustup/toolchains']);
    expect(env).toMatchObject({ CARGO_HOME: path.join(base, 'home/.cargo'), RUSTUP_HOME: path.join(base, 'home/.rustup') });
  });

  it.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ['what belongs to an installation by its name', ['opt/tool/bin', 'opt/tool/lib', 'opt/tool/share', 'opt/tool/keys'], ['opt/tool/bin'], ['opt/tool/bin', 'opt/tool/lib', 'opt/tool/share']],
    ['the programs alone where nothing of an installation lies beside them', ['work/bin', 'work/other-project'], ['work/bin'], ['work/bin']],
    ['the programs alone right in the home folder', ['home/bin', 'home/lib'], ['home/bin'], ['home/bin']],
    ['the programs alone in ~/.local', ['home/.local/bin', 'home/.local/share/keyrings'], ['home/.local/bin'], ['home/.local/bin']],
    ['the packages around programs of npm', ['tools/node_modules/.bin', 'tools/node_modules/one'], ['tools/node_modules/.bin'], ['tools/node_modules']],
    ['a version manager whole', ['home/.nvm/versions/node/v1/bin', 'home/.nvm/alias'], ['home/.nvm/versions/node/v1/bin'], ['home/.nvm/versions', 'home/.nvm/alias']],
    ['what is there once, however often it is named', ['opt/tool/bin', 'opt/tool/lib'], ['opt/tool/bin', 'opt/tool/bin'], ['opt/tool/bin', 'opt/tool/lib']],
  ])('%s', (_, folders, searchPath, expected) => {
    make(...folders);
    const found = find(searchPath);
    expect(found.mounts).toEqual(expected);
    expect(found.path).toEqual([...new Set(searchPath), ...SYSTEM]);
  });

  it.each<[string, readonly string[]]>([
    ['the home folder itself', ['home']],
    ['what is not absolute, wherever one stands', ['.', '']],
    ['what is not there', ['gone/bin']],
    ['a folder of devs’s own', ['state/bin']],
    ['a folder around one of devs’s own', ['around']],
  ])('nothing for %s', (_, searchPath) => {
    make('state/bin', 'state/lib', 'around/devs');
    expect(find(searchPath, ['state', 'around/devs'])).toMatchObject({ mounts: [], path: SYSTEM });
  });

  it('a home folder behind a link is one all the same', () => {
    make('real-home/bin', 'real-home/lib', 'real-home/.ssh', 'project');
    symlinkSync('real-home', path.join(base, 'linked-home'));
    const at = (name: string) => path.join(base, name);
    const found = findToolchains({ searchPath: at('linked-home/bin'), home: at('linked-home'), root: at('project'), closed: [] });
    expect(found.mounts.map(({ source }) => source)).toEqual([at('real-home/bin')]);
  });

  it('the project’s own programs are found where the project is', () => {
    make('home/project/node_modules/.bin');
    expect(find(['home/project/node_modules/.bin'])).toMatchObject({ mounts: [], path: ['home/project/node_modules/.bin', ...SYSTEM] });
  });

  it('a link in PATH is named by where it leads', () => {
    make('opt/tool-2/bin', 'opt/tool-2/lib');
    symlinkSync('tool-2', path.join(base, 'opt/tool'));
    expect(find(['opt/tool/bin'])).toMatchObject({ mounts: ['opt/tool-2/bin', 'opt/tool-2/lib'], path: ['opt/tool-2/bin', ...SYSTEM] });
  });

  it.each<[string, readonly string[], string, readonly string[]]>([
    ['Node of a tar file', ['bin/node', 'lib/node_modules/npm/package.json', 'include/node/node.h', 'share/man/x', 'README.md'], 'bin', ['bin', 'lib', 'share', 'include']],
    ['nvm outside of the home folder', ['versions/node/v1/bin/node', 'versions/node/v1/lib/x', '.git/HEAD', 'alias/default'], 'versions/node/v1/bin', ['versions/node/v1/bin', 'versions/node/v1/lib']],
    ['pyenv, which is a clone', ['shims/python', 'bin/pyenv', 'libexec/pyenv', 'versions/3/bin/python', 'version', '.git/HEAD', 'Makefile'], 'shims', ['shims', 'libexec', 'bin', 'versions', 'version']],
    ['rbenv, which is one too', ['shims/ruby', 'libexec/rbenv', 'versions/3/bin/ruby', '.git/HEAD'], 'shims', ['shims', 'libexec', 'versions']],
    ['Cargo', ['bin/cargo', 'registry/x', 'credentials.toml', 'config.toml'], 'bin', ['bin']],
    ['a Python of a virtual environment', ['bin/python', 'lib/python3/x', 'pyvenv.cfg', '.gitignore'], 'bin', ['bin', 'lib', 'pyvenv.cfg']],
    ['Go, whose sources are a module', ['bin/go', 'src/go.mod', 'pkg/tool/x', 'lib/time/x', 'VERSION', 'go.env', 'misc/x'], 'bin', ['bin', 'lib', 'src', 'pkg', 'VERSION', 'go.env']],
    ['a Java', ['bin/java', 'lib/modules', 'conf/security/x', 'jmods/x', 'release', 'demo/x'], 'bin', ['bin', 'lib', 'conf', 'jmods', 'release']],
    ['Maven without its settings', ['bin/mvn', 'boot/x', 'lib/x', 'conf/settings.xml'], 'bin', ['bin', 'lib', 'boot']],
    ['Conda', ['bin/python', 'lib/x', 'ssl/cacert.pem', 'conda-meta/x', 'pkgs/x'], 'bin', ['bin', 'lib', 'conda-meta', 'ssl']],
    ['Homebrew', ['bin/x', 'lib/x', 'Cellar/x/1/bin/x', 'opt/x', 'etc/x', 'var/x'], 'bin', ['bin', 'lib', 'Cellar', 'opt']],
    ['programs that lie in the folder itself', ['zig', 'doc/x', 'lib/std/x'], '.', ['.']],
  ])('it shows %s, and works with that', (_, files, programs, expected) => {
    for (const file of files) {
      make(path.join('opt/it', path.dirname(file)));
      writeFileSync(path.join(base, 'opt/it', file), '');
    }
    expect(find([path.join('opt/it', programs)]).mounts.map((mount) => path.relative('opt/it', mount) || '.')).toEqual(expected);
  });

  const KEPT = ['.env', '.env.local', '.npmrc', '.git-credentials', 'credentials.json', 'id_ed25519', 'server.key', 'service-account-1.json', '.ssh/id'];
  const PROJECT = ['package.json', '.git/HEAD', 'pyproject.toml', 'Cargo.toml', 'Makefile'];
  it.each([...KEPT, ...PROJECT])('of an app with %s the programs alone, though a lib lies beside them', (name) => {
    make('work/app/bin', 'work/app/lib/deep', path.join('work/app', path.dirname(name)));
    writeFileSync(path.join(base, 'work/app', name), 'x');
    expect(find(['work/app/bin']).mounts).toEqual(['work/app/bin']);
  });

  it.each([...KEPT, ...PROJECT])('nothing of a folder in PATH with %s, nor of one around such a folder', (name) => {
    make('work/app/bin', path.join('work/app', path.dirname(name)));
    writeFileSync(path.join(base, 'work/app', name), 'x');
    expect(find(['work/app']).mounts).toEqual([]);
    expect(find(['work'])).toMatchObject({ mounts: [], path: SYSTEM });
  });

  it('a part that holds a key is left out, and so is a link that leads elsewhere', () => {
    make('opt/it/bin', 'opt/it/lib', 'opt/it/share', 'home/secrets');
    writeFileSync(path.join(base, 'opt/it/share/.env'), 'KEY=1');
    symlinkSync('../../home/secrets', path.join(base, 'opt/it/include'));
    symlinkSync('lib', path.join(base, 'opt/it/lib64'));
    expect(find(['opt/it/bin']).mounts).toEqual(['opt/it/bin', 'opt/it/lib', 'opt/it/lib64']);
  });
});
