import { execFile } from 'node:child_process';
import fs, { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { withBoxes } from '../../../sandbox/src/__tests__/with-boxes.ts';
import { userFolder } from '../config/user-file.ts';
import { locateLogKeys } from '../log-keys.ts';
import { closedFolders } from '../state/closed-folders.ts';
import { locateState } from '../state/state-folder.ts';
import { createProject, untilSaid } from './devs.ts';
import { openTestClient } from './test-client.ts';

const MAIN = path.resolve(__dirname, '..', '..', 'dist', 'main.js');
const TOKEN = 'bearer-of-another-project';

let home: string;
beforeEach(async () => {
  home = await realpath(await mkdtemp(path.join(os.tmpdir(), 'devs-home-')));
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

const isWithinAny = (place: string, folders: readonly string[]) => folders.some((folder) => place === folder || place.startsWith(`${folder}/`));

describe('every place that devs trusts is in the list of closed folders', () => {
  it.each<[string, (base: string) => Readonly<Record<string, string>>]>([
    ['no variable but HOME', () => ({})],
    ['XDG_CONFIG_HOME', (base) => ({ XDG_CONFIG_HOME: `${base}/settings` })],
    ['XDG_STATE_HOME', (base) => ({ XDG_STATE_HOME: `${base}/states` })],
    ['DEVS_STATE_DIR', (base) => ({ DEVS_STATE_DIR: `${base}/one/state` })],
    ['all of them', (base) => ({ XDG_CONFIG_HOME: `${base}/settings`, XDG_STATE_HOME: `${base}/states`, DEVS_STATE_DIR: `${base}/one/state` })],
    ['relative ones, which do not count', () => ({ XDG_CONFIG_HOME: 'settings', XDG_STATE_HOME: 'states' })],
    ['empty ones', () => ({ XDG_CONFIG_HOME: '', XDG_STATE_HOME: '', DEVS_STATE_DIR: '' })],
  ])('moved by %s', async (_, toVariables) => {
    const variables = toVariables(home);
    const state = locateState('/some/root', variables);
    const closed = closedFolders(state, variables);
    const keys = await locateLogKeys({ root: '/some/root', state, variables });
    const trusted = [state.path, state.logFile, state.tokenFile, state.fingerprintKeyFile, userFolder({ variables, home: os.homedir() }), keys.keyFile, keys.headsFolder];
    for (const place of trusted) expect([place, isWithinAny(place, closed)]).toEqual([place, true]);
    // Those of another start of the same account, without these variables, and with the home of the account database.
    const others = [locateState('/other/root', {}).path, ...[os.homedir(), os.userInfo().homedir].map((start) => userFolder({ variables: {}, home: start }))];
    for (const place of others) expect([place, isWithinAny(place, closed)]).toEqual([place, true]);
  });

  it('and holds nothing that is not absolute, and no folder but devs’s own', () => {
    const closed = closedFolders({ path: '/state' }, { XDG_CONFIG_HOME: 'x', XDG_STATE_HOME: '/y' }, ['/home/me']);
    expect(closed.filter((folder) => folder !== '/var/lib/devs/servers')).toEqual(['/state', '/y/devs', '/home/me/.config/devs', '/home/me/.local/state/devs']);
  });

  describe('on a machine that is told here', () => {
    afterEach(() => void jest.restoreAllMocks());

    it.each([
      ['root, whose servers have their folders there', 0, true],
      ['another account, which has none there', 1_000, false],
    ])('started by %s: the folders of servers', (_, account, isClosed) => {
      jest.spyOn(process, 'geteuid').mockReturnValue(account);
      expect(closedFolders({ path: '/state' }, {}, []).includes('/var/lib/devs/servers')).toBe(isClosed);
    });

    // A bind mount shows the same folder under a path that no comparison of paths recognizes.
    it('each folder under every name that mounts give it', () => {
      const mounts = ['1 0 8:1 / / rw - ext4 /dev/sda rw', '2 1 8:1 /state /shown/again rw - ext4 /dev/sda rw', '3 1 8:1 /home /mnt/homes rw - ext4 /dev/sda rw'];
      jest.spyOn(fs, 'readFileSync').mockReturnValue(mounts.join('\n'));
      expect(closedFolders({ path: '/state' }, {}, ['/home/nobody-here'])).toEqual(expect.arrayContaining(['/shown/again', '/mnt/homes/nobody-here/.config/devs']));
    });
  });
});

/** What a hostile agent tries in a home folder that is served. `$1` is the folder of states, `$2` that of the configuration. */
const ATTACKS = [
  'cat "$1/other/token"; grep -r bearer .',
  'echo {} > "$1/other/trusted-0.json"; mkdir -p "$1/new"; echo {} > "$1/new/trusted-0.json"',
  'rm -rf .local .config',
  'mv .config .config2; mv .local .local2; mkdir -p "$1/other" "$2"',
  'echo "{}" > "$2/devs.config.json"; echo key > "$2/log-signing.key"; echo {} > "$1/other/trusted-0.json"',
].join('\n');

withBoxes('a home folder that is served', () => {
  it.each<[string, (base: string, elsewhere: string) => Readonly<Record<string, string>>, readonly [state: string, settings: string]]>([
    ['as it is', (base) => ({ HOME: base }), ['.local/state/devs', '.config/devs']],
    ['with HOME in it', (base) => ({ HOME: `${base}/me` }), ['me/.local/state/devs', 'me/.config/devs']],
    ['with the XDG folders elsewhere in it', (base) => ({ HOME: base, XDG_STATE_HOME: `${base}/states`, XDG_CONFIG_HOME: `${base}/settings` }), ['states/devs', 'settings/devs']],
    ['with HOME and the XDG folders apart', (base, elsewhere) => ({ HOME: `${base}/me`, XDG_STATE_HOME: elsewhere, XDG_CONFIG_HOME: elsewhere }), ['me/.local/state/devs', 'me/.config/devs']],
  ])('%s: no tool reads, makes or removes what devs trusts', async (_, toVariables, [below, settings]) => {
    await using project = await createProject();
    const state = path.join(home, below);
    await mkdir(path.join(state, 'other'), { recursive: true, mode: 0o700 });
    await writeFile(path.join(state, 'other/token'), TOKEN);
    const variables = { XDG_STATE_HOME: '', XDG_CONFIG_HOME: '', ...toVariables(home, project.outside) };
    await using testClient = await openTestClient({ ...project, root: home }, ['serve', '--root', home], variables);
    const refusals = await Promise.all([
      testClient.call('read_file', { path: `${below}/other/token` }),
      testClient.call('list_directory', { path: below }),
      testClient.call('write_file', { path: `${below}/other/trusted-0.json`, content: '{}' }),
      testClient.call('write_file', { path: `${settings}/devs.config.json`, content: '{}' }),
      testClient.call('write_file', { path: `${settings}/log-signing.key`, content: 'x' }),
    ]);
    expect(refusals.map(({ all }) => /PATH_PROTECTED/.exec(all)?.[0])).toEqual(refusals.map(() => 'PATH_PROTECTED'));
    const found = await testClient.call('search_files', { pattern: 'bearer' });
    const ran = await testClient.call('shell_exec', { argv: ['/bin/sh', '-c', ATTACKS, 'sh', state, path.join(home, settings)] });
    expect(ran.all).toContain('"by":"bubblewrap"');
    for (const { all } of [...refusals, found, ran]) expect(all).not.toContain(TOKEN);
    expect(await readFile(path.join(state, 'other/token'), 'utf8')).toBe(TOKEN);
    for (const made of [path.join(state, 'other/trusted-0.json'), path.join(state, 'new'), path.join(home, settings, 'devs.config.json'), path.join(home, settings, 'log-signing.key')]) {
      expect([made, existsSync(made)]).toEqual([made, false]);
    }
  });

  it('is not served where it lies in a folder of states, of whichever project', async () => {
    await using project = await createProject();
    const state = path.join(home, '.local/state/devs');
    await mkdir(path.join(state, 'other'), { recursive: true });
    for (const root of [state, path.join(state, 'other')]) {
      const { code, stderr } = await project.run(['call', 'list_directory', '{"path":"."}', '--root', root], { env: { HOME: home } });
      expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringContaining('lies in a folder of devs') });
    }
  });

  it.each([
    ['reads the token of another project', 'read_file', { path: 'again/.local/state/devs/other/token' }],
    ['writes a start-up file of the shell', 'write_file', { path: 'again/.profile', content: 'evil' }],
  ])('mounted a second time, in the folder that is served: no tool %s', async (_, tool, args) => {
    await using project = await createProject();
    const state = path.join(home, '.local/state/devs/other');
    await mkdir(state, { recursive: true, mode: 0o700 });
    await writeFile(path.join(state, 'token'), TOKEN);
    const again = path.join(project.root, 'again');
    await mkdir(again);
    const run = promisify(execFile)('bwrap', ['--dev-bind', '/', '/', '--bind', home, again, '--', process.execPath, MAIN, 'call', '--root', project.root, tool, JSON.stringify(args)], {
      env: { ...process.env, HOME: home, XDG_STATE_HOME: '', XDG_CONFIG_HOME: '' },
    });
    await expect(run).rejects.toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/This path belongs to devs|The path is protected/) });
    expect(existsSync(path.join(home, '.profile'))).toBe(false);
  });

  it.each<[string, () => Promise<void>, string, string]>([
    ['a link on the way', async () => { await mkdir(path.join(home, 'dotfiles')); await symlink('dotfiles', path.join(home, '.config')); }, '.config', 'put a folder in the place of the link'],
    ['a file where the folder would be', async () => writeFile(path.join(home, '.config'), ''), '.config/devs', 'make "'],
  ])('devs doctor and the start say which folder keeps boxes away, and how to mend it: %s', async (_, plant, folder, fix) => {
    await using project = await createProject();
    await plant();
    const variables = { HOME: home, XDG_STATE_HOME: '', XDG_CONFIG_HOME: '' };
    const { code, stdout } = await project.run(['doctor', '--root', home], { env: variables });
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(new RegExp(`shell_exec +refused +Nothing is run: .*/${folder}".*\\n +fix +${fix}`)) });
    expect(stdout).toContain('\nRefused (2): shell_exec, git_commit;');
    const server = project.start(['serve', '--root', home], variables);
    await untilSaid(server, new RegExp(`Refused: shell_exec, git_commit\\. Nothing is run: .*/${folder}".* To fix it: ${fix}`));
    server.stdin.end();
  });
});
