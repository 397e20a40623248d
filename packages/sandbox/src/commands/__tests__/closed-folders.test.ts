import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG } from '@devs/core';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { ClosedFolders } from '../../closed-folders.ts';
import { CONFIGURATIONS } from '../../confinement/__tests__/box-scene.ts';
import { BubblewrapConfinement } from '../../confinement/bubblewrap-confinement.ts';
import { openFsRoot } from '../../open-fs-root.ts';
import { Playground, type SceneOptions } from './command-scene.ts';

const TOKEN = 'bearer-of-another-project';

/** A home folder that is served: with the state of another project in it, and no configuration of devs yet. */
class Home extends Playground {
  readonly state = path.join(this.root, '.local/state/devs');
  readonly settings = path.join(this.root, '.config/devs');
  readonly closed = [this.state, this.settings];

  constructor() {
    super();
    this.write({ 'project/.local/state/devs/other/token': TOKEN, 'project/.local/state/app/kept': 'kept', 'project/notes': 'notes' });
    chmodSync(this.state, 0o700);
  }

  /** Runs a script in the home folder; the folders of devs are `$1` and `$2`. */
  async shell(script: string, options: SceneOptions = {}) {
    return this.run({ argv: ['/bin/sh', '-c', script, 'sh', this.state, this.settings] }, { closed: this.closed, ...options });
  }
}

interface Attack {
  readonly title: string;
  readonly script: string;
  readonly succeeded: (home: Home, stdout: string) => boolean;
}

const PLANTED = '{"sandbox":{"tools":"off"}}';
const hasRead = (_: Home, stdout: string) => stdout.includes(TOKEN);
const hasConfigured = ({ settings }: Home) => existsSync(path.join(settings, 'devs.config.json'));
const hasTrusted = ({ state }: Home) => existsSync(path.join(state, 'other/trusted-0.json'));
const hasRemoved = ({ state }: Home) => !existsSync(path.join(state, 'other/token'));

const ATTACKS: readonly Attack[] = [
  { title: 'reads the token of another project', script: 'cat "$1/other/token"', succeeded: hasRead },
  { title: 'reads it through a link of its own', script: 'ln -s "$1" l && cat l/other/token', succeeded: hasRead },
  { title: 'reads it through /proc', script: 'cat "/proc/self/root$1/other/token"; cd .local && cat /proc/self/cwd/state/devs/other/token', succeeded: hasRead },
  { title: 'finds it by a search of everything', script: 'grep -r bearer . ', succeeded: hasRead },
  { title: 'makes a hard link of it', script: 'ln "$1/other/token" stolen; cat stolen', succeeded: hasRead },
  { title: 'writes a trust record', script: 'echo {} > "$1/other/trusted-0.json"', succeeded: hasTrusted },
  { title: 'removes the folder around it', script: 'rm -rf .local', succeeded: hasRemoved },
  { title: 'renames the folder around it', script: 'mv .local .moved; mkdir -p "$1/other"; echo {} > "$1/other/trusted-0.json"', succeeded: hasTrusted },
  { title: 'renames the folder right around it', script: 'mv .local/state .local/moved; mkdir -p "$1/other"; echo {} > "$1/other/trusted-0.json"', succeeded: hasTrusted },
  { title: 'makes a configuration that was not there', script: `mkdir -p "$2" && echo '${PLANTED}' > "$2/devs.config.json"`, succeeded: hasConfigured },
  { title: 'makes it aside and moves it there', script: `mkdir -p c/devs && echo '${PLANTED}' > c/devs/devs.conf && mv c/devs/devs.conf c/devs/devs.config.json; rm -rf .config; mv c .config`, succeeded: hasConfigured },
  { title: 'puts a link in the place of the folder around it', script: `mkdir -p c/devs && echo '${PLANTED}' > c/devs/x && rm -rf .config; ln -s c .config && mv c/devs/x c/devs/devs.config.json`, succeeded: hasConfigured },
  { title: 'renames the folder around what devs has just made', script: `mv .config .config2 && mkdir -p "$2" && echo '${PLANTED}' > "$2/devs.config.json"`, succeeded: hasConfigured },
];

/** Without the one guard: the list of closed folders is empty, and so are the protected names that would catch the file. */
const UNGUARDED: SceneOptions = { closed: [] };

withBoxes('folders of devs in a root that holds them', () => {
  it.each(ATTACKS)('a command $title: it cannot', async ({ script, succeeded }) => {
    using home = new Home();
    const { stdout } = await home.shell(script);
    expect(succeeded(home, stdout)).toBe(false);
    // And it has taken nothing along: what was there is there.
    expect(readFileSync(path.join(home.state, 'other/token'), 'utf8')).toBe(TOKEN);
  });

  it.each(ATTACKS.filter(({ succeeded }) => succeeded !== hasConfigured))('and with an empty list it $title', async ({ script, succeeded }) => {
    using home = new Home();
    const { stdout } = await home.shell(script, UNGUARDED);
    expect(succeeded(home, stdout)).toBe(true);
  });

  it('and with an empty list it makes what devs would find there', async () => {
    using home = new Home();
    await home.shell('mkdir -p "$2"; echo key > "$2/log-signing.key"', UNGUARDED);
    expect(existsSync(path.join(home.settings, 'log-signing.key'))).toBe(true);
  });

  it('sees nothing of what another devs makes while it runs', async () => {
    using home = new Home();
    const running = home.shell('touch begun; n=0; while [ ! -e made ] && [ $n -lt 400 ]; do n=$((n+1)); sleep 0.02; done; cat "$1/new/token" "$2/key" 2>&1');
    while (!existsSync(path.join(home.root, 'begun'))) await new Promise((resolve) => setTimeout(resolve, 10));
    home.write({ 'project/.local/state/devs/new/token': TOKEN, 'project/.config/devs/key': TOKEN });
    home.write({ 'project/made': '' });
    expect((await running).stdout).not.toContain(TOKEN);
  });

  it('works beside them as before', async () => {
    using home = new Home();
    const { stdout, stderr } = await home.shell('echo more >> .local/state/app/kept && cat .local/state/app/kept notes && mkdir -p .config/app && echo x > .config/app/y && rm -r .config/app && mv notes .local/notes && ls -a .local');
    expect({ stdout, stderr }).toEqual({ stdout: 'keptmore\nnotes.\n..\nnotes\nstate\n', stderr: '' });
  });

  it('makes what is missing for its owner alone, and nothing where no box shows it', async () => {
    using home = new Home();
    mkdirSync(path.join(home.root, 'src'));
    const files = { ...DEFAULT_CONFIG.files, allowed: ['src'] };
    await home.run({ argv: ['/bin/true'], cwd: 'src' }, { closed: home.closed, config: { files } });
    expect(readdirSync(home.root).toSorted()).toEqual(['.local', 'notes', 'src']);
    await home.shell('true');
    expect(lstatSync(home.settings).mode & 0o777).toBe(0o700);
  });

  it('does not take for planted what it has made itself', async () => {
    using home = new Home();
    const { outcome } = await home.shell('true', { homes: [home.root] });
    expect(outcome.movedAside).toEqual([]);
    expect(readdirSync(home.root).toSorted()).toEqual(['.config', '.local', 'notes']);
  });

  it.each<[string, (home: Home) => void]>([
    ['the folder around it', (home) => { mkdirSync(path.join(home.root, 'dotfiles')); symlinkSync('dotfiles', path.join(home.root, '.config')); }],
    ['the folder itself, to somewhere outside', (home) => { home.write({ 'elsewhere/x': 'x', 'project/.config/x': 'x' }); symlinkSync(path.join(home.base, 'elsewhere'), home.settings); }],
    ['a folder that is not there', (home) => { symlinkSync('/nowhere/at/all', path.join(home.root, '.config')); }],
    ['a link to a link', (home) => { mkdirSync(path.join(home.root, 'b')); symlinkSync('../c', path.join(home.root, 'b/l')); mkdirSync(path.join(home.root, 'c')); symlinkSync('b/l', path.join(home.root, '.config')); }],
  ])('runs nothing where a command could replace a link to %s', async (_, plant) => {
    using home = new Home();
    plant(home);
    await expect(home.shell('touch ran')).rejects.toMatchObject({ code: 'COMMAND_REFUSED', sentence: expect.stringContaining('is a link that a command could replace') });
    expect(existsSync(path.join(home.root, 'ran'))).toBe(false);
  });

  it('runs nothing where the folder cannot be made', async () => {
    using home = new Home();
    writeFileSync(path.join(home.root, '.config'), 'a file');
    await expect(home.shell('touch ran')).rejects.toMatchObject({ code: 'COMMAND_REFUSED', sentence: expect.stringContaining('devs cannot make it first') });
    expect(existsSync(path.join(home.root, 'ran'))).toBe(false);
  });

  it('readable paths show neither what lies in one, nor what comes to be there', async () => {
    using home = new Home();
    home.write({ 'beside/devs/key': TOKEN, 'beside/x': 'shown' });
    const beside = path.join(home.base, 'beside');
    const readable = (...paths: readonly string[]) => ({ config: { sandbox: { ...DEFAULT_CONFIG.sandbox, readable: paths } }, closed: [path.join(beside, 'devs'), path.join(beside, 'later/devs')] });
    const { stdout } = await home.run({ argv: ['/bin/sh', '-c', 'cat "$1/x"; cat "$1/devs/key"; ls -A "$1/devs" "$1/later/devs"', 'sh', beside] }, readable(beside));
    expect(stdout).toBe(`shown${beside}/devs:\n\n${beside}/later/devs:\n`);
    for (const inside of ['devs', 'devs/key']) await expect(home.run({ argv: ['/bin/true'] }, readable(path.join(beside, inside)))).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    symlinkSync('devs', path.join(beside, 'link'));
    await expect(home.run({ argv: ['/bin/true'] }, readable(path.join(beside, 'link')))).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it.each(['/', '/proc', '/sys/kernel', '/dev', '/proc/self/root'])('readable paths bring nothing of the kernel of the machine: %s', async (source) => {
    using home = new Home();
    const config = { sandbox: { ...DEFAULT_CONFIG.sandbox, readable: [source] } };
    await expect(home.run({ argv: ['/bin/true'] }, { config })).rejects.toMatchObject({ code: 'CONFIG_INVALID', sentence: expect.stringContaining('what the kernel says') });
  });

  it('allowed paths below one open nothing of it', async () => {
    using home = new Home();
    const files = { ...DEFAULT_CONFIG.files, allowed: ['.local/state/devs/other', '.local/state/app'] };
    const { stdout } = await home.run({ argv: ['/bin/sh', '-c', 'cat "$1/other/token"; echo {} > "$1/other/trusted-0.json"; ls -a ..', 'sh', home.state], cwd: '.local/state/app' }, { closed: home.closed, config: { files } });
    expect(stdout).not.toContain(TOKEN);
    expect(hasTrusted(home)).toBe(false);
  });

  it('are closed in the home of another account, which root serves, and what a box cannot come to needs no mount', async () => {
    using home = new Home();
    home.write({ 'project/.ssh/config': '' });
    for (const folder of ['.ssh', '.local', '.']) {
      chmodSync(path.join(home.root, folder), folder === '.' ? 0o755 : 0o700);
      if (process.geteuid?.() === 0) execFileSync('chown', ['-R', '65534:65534', path.join(home.root, folder)]);
    }
    chmodSync(home.base, 0o755);
    const { stdout } = await home.shell('echo ran; cat "$1/other/token"; echo x > "$2/key"; true', { homes: [home.root] });
    expect(stdout).toBe('ran\n');
    expect(existsSync(path.join(home.settings, 'key'))).toBe(false);
  });

  describe.each(CONFIGURATIONS)('in boxes of $name', ({ account }) => {
    it('they are closed, and the rest is at hand', async () => {
      using home = new Home();
      chmodSync(home.base, 0o711);
      if (account !== undefined) execFileSync('chown', ['-R', `${String(account.uid)}:${String(account.gid)}`, home.root]);
      // As they are when devs itself, which is root, has made them.
      if (process.geteuid?.() === 0) execFileSync('chown', ['-R', '0:0', path.join(home.root, '.local')]);
      const confinement = new BubblewrapConfinement({ root: home.root, ...(account !== undefined && { account }) });
      const { stdout } = await home.shell(`cat notes; cat "$1/other/token"; mv .config gone && mkdir -p "$2" && echo x > "$2/key"; mv .local gone2; echo done`, { confinement, ...(account !== undefined && { account }) });
      expect(stdout).toBe('notesdone\n');
      expect(existsSync(path.join(home.settings, 'key'))).toBe(false);
    });
  });
});

describe('a list of closed folders', () => {
  it('knows each place as it is named and as it is', () => {
    using home = new Home();
    symlinkSync('.local', path.join(home.root, 'link'));
    expect(new ClosedFolders([path.join(home.root, 'link/state/devs')]).places).toEqual([path.join(home.root, 'link/state/devs'), home.state]);
  });

  it('makes what is missing for whose home it lies in', () => {
    using home = new Home();
    const owner = process.geteuid?.() === 0 ? 65_534 : Number(process.geteuid?.());
    chownSync(home.root, owner, lstatSync(home.root).gid);
    new ClosedFolders([home.settings]).secure({ written: [home.root], read: [] });
    expect([path.dirname(home.settings), home.settings].map((place) => lstatSync(place).uid)).toEqual([owner, owner]);
  });

  it('ends with a link that leads to itself', () => {
    using home = new Home();
    symlinkSync('loop', path.join(home.root, 'loop'));
    const closed = new ClosedFolders([path.join(home.root, 'loop/devs')]);
    expect(() => closed.secure({ written: [home.root], read: [] })).toThrow(expect.objectContaining({ code: 'COMMAND_REFUSED' }));
  });

  it('closes them to the tools of files as well, by either name, there or not', async () => {
    using home = new Home();
    mkdirSync(path.join(home.root, 'real'));
    symlinkSync('real', path.join(home.root, '.config'));
    using files = openFsRoot({ root: home.root, protectedFolders: home.closed });
    const { signal } = new AbortController();
    for (const name of ['.config/devs/devs.config.json', 'real/devs/x', 'REAL/Devs/x', '.local/state/devs/new/x', '.local/../.local/state/devs/x']) {
      await expect(files.writeFile(name, { bytes: Buffer.from('x'), signal })).rejects.toMatchObject({ code: 'PATH_PROTECTED' });
    }
    await expect(files.readFile('.local/state/devs/other/token', { limit: 99 }, signal)).rejects.toMatchObject({ code: 'PATH_PROTECTED' });
  });
});
