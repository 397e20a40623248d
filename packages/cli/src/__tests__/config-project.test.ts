import { chmod, chown, cp, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG } from '@devs/core';
import { locateState } from '../state/state-folder.ts';
import { createConfigPlace, recordAs, type ConfigPlace } from './config-place.ts';

let place: ConfigPlace;
let file: string;
beforeEach(async () => {
  place = await createConfigPlace();
  file = path.join(place.repository, 'devs.config.json');
});
afterEach(async () => place[Symbol.asyncDispose]());

const timeout = (toolTimeoutMs: number) => ({ limits: { toolTimeoutMs } });
const inForce = async (options = {}) => (await place.load(options)).config.limits.toolTimeoutMs;

describe("the root's file", () => {
  it.each<[string, unknown]>([
    ['good', timeout(1)],
    ['broken', '{'],
    ['full of unknown keys', { a: 1 }],
    ['endless', '['.repeat(100_000)],
  ])('that nobody trusts and is %s changes nothing, and is said', async (_name, content) => {
    await place.write(file, content);
    expect((await place.load()).config).toBe(DEFAULT_CONFIG);
    expect(await place.notes()).toEqual([expect.stringMatching(/^Not applied: .*devs\.config\.json is in the project and not trusted\. To review it: devs config trust --root/)]);
  });

  it('is in force once it is trusted, over the user’s own', async () => {
    await place.write(place.userFile, { limits: { toolTimeoutMs: 9 }, files: { protected: ['mine'] }, http: { maxRequests: 3 } });
    await place.trust(await place.write(file, { ...timeout(1), files: { protected: ['ours'] } }));
    expect((await place.load()).config).toMatchObject({ ...timeout(1), files: { protected: ['mine', 'ours'] }, http: { maxRequests: 3 } });
    expect(await place.notes()).toEqual([`Configuration: ${place.userFile}`, expect.stringMatching(/devs\.config\.json, trusted on 2026-01-02/)]);
  });

  it('adds to the untrusted paths once it is trusted, and takes none away', async () => {
    await place.write(place.userFile, { labels: { untrustedPaths: ['vendor'] } });
    await place.trust(await place.write(file, { labels: { untrustedPaths: ['third'] } }));
    expect((await place.load()).config.labels.untrustedPaths).toEqual(['vendor', 'third']);
  });

  it('that is trusted and asks for no box of commands ends the start', async () => {
    await place.trust(await place.write(file, { sandbox: { tools: 'off' } }));
    await expect(place.load()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('changes nothing by one other byte until it is trusted anew; the difference is said', async () => {
    await place.trust(await place.write(file, timeout(11)));
    await place.write(file, timeout(12));
    expect(await inForce()).toBe(11);
    expect(await place.notes()).toEqual([expect.stringContaining('stays in force: limits.toolTimeoutMs 11 -> 12. To review it')]);
    await place.trust(file);
    expect(await inForce()).toBe(12);
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['gone', async () => rm(file), /is gone; what was trusted on .* stays in force/],
    ['a link', async () => (await rename(file, `${file}.old`), symlink(`${file}.old`, file)), /is a symbolic link now; .* stays in force/],
    ['a folder', async () => (await rm(file), mkdir(file)), /is not a regular file now; .* stays in force/],
    ['of 10 MB', async () => writeFile(file, ' '.repeat(10_000_000)), /is larger than 262144 bytes now; .* stays in force/],
    ['broken', async () => writeFile(file, '{'), /has changed; .* stays in force: it is not valid JSON now/],
    ['laid out otherwise', async () => writeFile(file, '{ "limits": { "toolTimeoutMs": 11 } }'), /has changed; .* stays in force: no key differs/],
  ])('that was trusted and is %s now keeps what was trusted in force', async (_name, change, note) => {
    await place.trust(await place.write(file, timeout(11)));
    await change();
    expect(await inForce()).toBe(11);
    expect(await place.notes()).toEqual([expect.stringMatching(note)]);
  });

  it('does not fill the terminal with its differences, nor steer it, nor tell its secrets', async () => {
    const servers = (token: string) => ({ mcpServers: { a: { command: 'x', env: { T: token } } } });
    await place.trust(await place.write(file, servers('old secret')));
    const names = Array.from({ length: 30 }, (_, index) => [`s${index}`, { command: '\u001b[2J\u202e\n' }]);
    await place.write(file, { mcpServers: { ...servers('new secret').mcpServers, ...Object.fromEntries(names) } });
    const [note = ''] = await place.notes();
    expect(note).toContain('mcpServers.a.env.T has changed');
    expect(note).toContain('and 21 more');
    expect(note).not.toMatch(/secret|[\u001b\u202e\n]/);
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['a link', async () => symlink(await place.write(path.join(place.outside, 'x.json'), timeout(1)), file), /is a symbolic link/],
    ['a folder', async () => mkdir(file), /is not a regular file/],
  ])('that is %s is not used', async (_name, make, note) => {
    await make();
    expect((await place.load()).config).toBe(DEFAULT_CONFIG);
    expect(await place.notes()).toEqual([expect.stringMatching(note)]);
  });
});

describe('--config with a file of the project, as a committed command line names it', () => {
  const untrusted = async (named: string, root = place.repository) => {
    expect((await place.load({ root, named })).config.limits.toolTimeoutMs).toBe(9);
    expect((await place.notes({ root, named })).join('\n')).toMatch(/Not applied: .* is in the project and not trusted\. To review it: devs config trust .*--config '/);
  };

  beforeEach(async () => {
    await place.write(place.userFile, timeout(9));
  });

  it.each<[string, () => Promise<[string, string?]>]>([
    ['in the root', async () => [await place.write(path.join(place.repository, 'evil.json'), timeout(1))]],
    ['in the repository, with a root below', async () => [await place.write(path.join(place.repository, 'evil.json'), timeout(1)), path.join(place.repository, 'packages')]],
    ['behind a folder that is a link into the repository', async () => {
      await place.write(path.join(place.repository, 'evil.json'), timeout(1));
      await symlink(place.repository, path.join(place.outside, 'linked'));
      return [path.join(place.outside, 'linked', 'evil.json')];
    }],
    ['behind a folder that is a link out of the repository', async () => {
      await place.write(path.join(place.outside, 'evil.json'), timeout(1));
      await symlink(place.outside, path.join(place.repository, 'linked'));
      return [path.join(place.repository, 'linked', 'evil.json')];
    }],
    ['in the repository of a submodule that is the root', async () => {
      const root = path.join(place.repository, 'packages', 'web');
      await writeFile(path.join(root, '.git'), 'gitdir: ../../.git/modules/web\n');
      return [await place.write(path.join(place.repository, 'evil.json'), timeout(1)), root];
    }],
  ])('%s weakens nothing: the user’s own stays in force', async (_name, make) => {
    await untrusted(...(await make()));
  });

  it.each<[string, () => Promise<string>]>([
    ['is not there', async () => path.join(place.repository, 'nowhere.json')],
    ['is a link', async () => {
      await symlink(await place.write(path.join(place.outside, 'x.json'), timeout(1)), path.join(place.repository, 'evil.json'));
      return path.join(place.repository, 'evil.json');
    }],
    ['is a link from outside', async () => {
      await symlink(await place.write(path.join(place.repository, 'evil.json'), timeout(1)), path.join(place.outside, 'x.json'));
      return path.join(place.outside, 'x.json');
    }],
    ['is a link, reached from outside', async () => {
      await symlink(await place.write(path.join(place.outside, 'x.json'), timeout(1)), path.join(place.repository, 'evil.json'));
      await symlink(place.repository, path.join(place.outside, 'linked'));
      return path.join(place.outside, 'linked', 'evil.json');
    }],
  ])('that %s ends the start', async (_name, make) => {
    await expect(place.load({ named: await make() })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it.each<[string, string, string]>([
    ['started in the repository', 'shop', 'shop/evil.json'],
    ['started in a folder of the repository', 'shop/packages/web', 'shop/evil.json'],
    ['started in a folder from a zip', 'zip', 'zip/evil.json'],
    ['started elsewhere', 'other', 'shop/evil.json'],
    ['started elsewhere, the file in a linked work tree', 'other', 'linked/conf/evil.json'],
  ])('and a root elsewhere, %s, weakens nothing', async (_name, startedIn, evil) => {
    const base = path.dirname(place.repository);
    for (const folder of ['other', 'zip', 'linked/conf']) await mkdir(path.join(base, folder), { recursive: true });
    await writeFile(path.join(base, 'linked', '.git'), 'gitdir: /elsewhere\n');
    const named = await place.write(path.join(base, evil), timeout(1));
    expect(await inForce({ root: path.join(base, 'other'), startedIn: path.join(base, startedIn), named })).toBe(9);
  });

  it('does not switch off what is trusted in the root by naming another file', async () => {
    await place.trust(await place.write(file, { files: { protected: ['ours'] } }));
    const named = await place.write(path.join(place.repository, 'evil.json'), {});
    expect((await place.load({ named })).config.files.protected).toEqual(['ours']);
    expect(await place.notes({ named })).toEqual([expect.any(String), expect.stringContaining('evil.json is in the project and not trusted'), expect.stringContaining('trusted on')]);
  });

  it('takes the place of the root’s file once it is trusted', async () => {
    await place.trust(await place.write(file, { files: { protected: ['ours'] } }));
    const named = await place.write(path.join(place.repository, 'team.json'), timeout(3));
    await place.trust(named);
    expect((await place.load({ named })).config).toMatchObject({ ...timeout(3), files: { protected: [] } });
    expect((await place.load()).config.files.protected).toEqual(['ours']);
  });

  it('has a name that steers no terminal when it is said', async () => {
    const named = await place.write(path.join(place.repository, 'a\u001b[2J\u202e\nb.json'), timeout(1));
    expect((await place.notes({ named })).join('|')).not.toMatch(/[\u001b\u202e\n]/);
  });

  it('is outside when the repository is another one', async () => {
    const named = await place.write(path.join(place.outside, 'team.json'), timeout(3));
    expect(await inForce({ named })).toBe(3);
  });
});

describe('a trust record', () => {
  it('is made for its owner alone, in place of the last one, and leaves nothing beside', async () => {
    for (const value of [1, 2]) await place.trust(await place.write(file, timeout(value)));
    const names = await readdir(place.state.path);
    expect(names).toEqual([expect.stringMatching(/^trusted-[0-9a-f]{32}\.json$/)]);
    const { mode } = await stat(path.join(place.state.path, String(names[0])));
    expect(mode & 0o777).toBe(0o600);
  });

  it('is believed for its own file alone', async () => {
    const other = await place.write(path.join(place.repository, 'other.json'), timeout(1));
    await place.trust(other);
    const [name = ''] = await readdir(place.state.path);
    await place.trust(await place.write(file, timeout(2)));
    const mine = (await readdir(place.state.path)).find((entry) => entry !== name) ?? '';
    await cp(path.join(place.state.path, name), path.join(place.state.path, mine));
    await expect(place.load()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it.each<[string, (record: string) => Promise<unknown>, RegExp]>([
    ['broken', async (record) => writeFile(record, '{'), /is broken/],
    ['empty', async (record) => writeFile(record, ''), /is broken/],
    ['of other bytes than its hash', async (record) => writeFile(record, JSON.stringify({ ...JSON.parse(await readFile(record, 'utf8')), bytes: 'e30=' })), /is broken/],
    ['of another version', async (record) => writeFile(record, JSON.stringify({ ...JSON.parse(await readFile(record, 'utf8')), version: 2 })), /written by a newer devs/],
    ['readable by others', async (record) => chmod(record, 0o644), /accessible to other users/],
    ['a link', async (record) => (await rename(record, `${record}.old`), symlink(`${record}.old`, record)), /symbolic link/],
    ['endless', async (record) => writeFile(record, ' '.repeat(3_000_000)), /larger than/],
    ['in a folder that others may enter', async () => chmod(place.state.path, 0o755), /accessible to other users/],
  ])('that is %s ends the start: the defaults may be weaker', async (_name, spoil, message) => {
    await place.trust(await place.write(file, timeout(1)));
    const [name = ''] = await readdir(place.state.path);
    await spoil(path.join(place.state.path, name));
    await expect(place.load()).rejects.toThrow(message);
  });

  it('of somebody else ends the start', async () => {
    await place.trust(await place.write(file, timeout(1)));
    const [name = ''] = await readdir(place.state.path);
    // Only root can give a file away; for anybody else it stays their own and is believed.
    if (process.getuid?.() !== 0) return expect(await inForce()).toBe(1);
    await chown(path.join(place.state.path, name), 65_534, 65_534);
    await expect(place.load()).rejects.toThrow(/belongs to another user/);
  });

  it.each(['shop', 'zip'])('in a state folder of %s, where devs was started with a root elsewhere, is not believed', async (name) => {
    const base = path.dirname(place.repository);
    const [startedIn, root] = [path.join(base, name), place.outside];
    await mkdir(startedIn, { recursive: true });
    const state = locateState(root, { DEVS_STATE_DIR: path.join(startedIn, 'st') });
    await recordAs(state, await place.write(path.join(root, 'devs.config.json'), timeout(1)));
    expect((await place.load({ root, state, startedIn })).config).toBe(DEFAULT_CONFIG);
  });

  it('that holds what is no configuration any more ends the start, with file and line', async () => {
    await place.trust(await place.write(file, '{\n "gone": 1}'));
    await expect(place.load()).rejects.toThrow(/devs\.config\.json:2:2: gone is an unknown key/);
  });

  it.each<[string, (base: string) => Promise<string>, string?]>([
    ['in the root', async (base) => path.join(base, '.state')],
    ['in the repository, with a root below', async (base) => path.join(base, '.state'), 'packages'],
    ['behind a link into the root', async (base) => {
      await mkdir(path.join(base, 'real'), { mode: 0o700 });
      await symlink(path.join(base, 'real'), path.join(place.outside, 'state'));
      return path.join(place.outside, 'state', 'deeper');
    }],
  ])('that a repository brings ready-made, its state folder %s, is not believed', async (_name, make, below = '.') => {
    const root = path.join(place.repository, below);
    const state = locateState(root, { DEVS_STATE_DIR: await make(place.repository) });
    const evil = await place.write(path.join(root, 'devs.config.json'), timeout(1));
    await recordAs(state, evil);
    expect((await place.load({ root, state })).config).toBe(DEFAULT_CONFIG);
    expect(await place.notes({ root, state })).toEqual([expect.stringContaining('cannot be trusted: the state folder is inside the project')]);
  });
});
