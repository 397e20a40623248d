import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG } from '@devs/core';
import { openSigningKey } from '@devs/storage';
import { locateLogKeys, lookForHeadKeeper, openHeadKeeper, pinnedPublicKey } from '../log-keys.ts';
import { createConfigPlace, type ConfigPlace, type LoadOptions } from './config-place.ts';

let place: ConfigPlace;
beforeEach(async () => {
  place = await createConfigPlace();
});
afterEach(async () => place[Symbol.asyncDispose]());

const locate = async (options?: LoadOptions) => locateLogKeys(place.request(options));

describe('where the key of the log lies', () => {
  it('is beside the user’s own configuration, and not in the state folder', async () => {
    const keys = await locate();
    const folder = path.dirname(place.userFile);
    expect(keys).toMatchObject({ keyFile: path.join(folder, 'log-signing.key'), headsFolder: path.join(folder, 'log-heads'), notUsed: undefined });
    const other = await locate({ state: { ...place.state, path: '/elsewhere' }, variables: { DEVS_STATE_DIR: '/elsewhere' } });
    expect(other).toEqual(keys);
  });

  it('is that of the home folder where XDG_CONFIG_HOME is relative', async () => {
    expect((await locate({ variables: { XDG_CONFIG_HOME: 'config' } })).keyFile).toBe(path.join(os.homedir(), '.config', 'devs', 'log-signing.key'));
  });

  it.each<[string, () => Promise<LoadOptions>]>([
    ['in the root', async () => ({ variables: { XDG_CONFIG_HOME: path.join(place.repository, 'config') } })],
    ['in the work tree around the root', async () => ({ root: path.join(place.repository, 'packages', 'web'), variables: { XDG_CONFIG_HOME: place.repository } })],
    ['in the folder that devs is started in', async () => ({ startedIn: place.outside, variables: { XDG_CONFIG_HOME: place.outside } })],
    [
      'behind a link into the project',
      async () => {
        const link = path.join(place.outside, 'config');
        await symlink(place.repository, link);
        return { variables: { XDG_CONFIG_HOME: link } };
      },
    ],
    [
      'outside, and its heads behind a link into the project',
      async () => {
        await symlink(place.repository, path.join(path.dirname(place.userFile), 'log-heads'));
        return {};
      },
    ],
  ])('is not used %s', async (_name, prepare) => {
    const keys = await locate(await prepare());
    expect(keys.notUsed).toContain('is inside the project');
    const said: string[] = [];
    const signing = { keys, logFile: place.state.logFile, audit: DEFAULT_CONFIG.audit, onProblem: (sentence: string) => said.push(sentence) };
    expect(openHeadKeeper(signing)).toBeUndefined();
    expect(lookForHeadKeeper(signing)).toBeUndefined();
    expect(said).toEqual([expect.stringContaining('The call log is not signed: '), said[0]]);
    // Nor is one believed that the project has brought.
    openSigningKey(keys.keyFile);
    expect(pinnedPublicKey(keys)).toBeUndefined();
  });
});

describe('lookForHeadKeeper', () => {
  it('makes no key and no folder, and takes the key that is there', async () => {
    const signing = { keys: await locate(), logFile: place.state.logFile, audit: DEFAULT_CONFIG.audit, onProblem: () => undefined };
    expect(lookForHeadKeeper(signing)).toMatchObject({ keyId: undefined });
    expect(await readdir(path.dirname(place.userFile))).toEqual([]);
    const { id } = openSigningKey(signing.keys.keyFile);
    expect(lookForHeadKeeper(signing)).toMatchObject({ keyId: id });
    await chmod(signing.keys.keyFile, 0o644);
    expect(() => lookForHeadKeeper(signing)).toThrow('is accessible to other users');
  });
});

describe('openHeadKeeper', () => {
  const open = async (said: string[] = []) =>
    openHeadKeeper({ keys: await locate(), logFile: place.state.logFile, audit: DEFAULT_CONFIG.audit, onProblem: (sentence) => said.push(sentence) });

  it('makes the key at the first start, and pins it', async () => {
    expect(pinnedPublicKey(await locate())).toBeUndefined();
    expect(await open()).toBeDefined();
    const key = pinnedPublicKey(await locate());
    expect(key?.asymmetricKeyType).toBe('ed25519');
    await open();
    expect(key !== undefined && pinnedPublicKey(await locate())?.equals(key)).toBe(true);
    expect(await readdir(path.dirname(place.userFile))).toEqual(['log-signing.key']);
  });

  it('goes on without a key where there can be none, and says so', async () => {
    await rm(path.dirname(place.userFile), { recursive: true });
    await writeFile(path.dirname(place.userFile), 'a file in its place');
    await rm(path.dirname(path.dirname(place.userFile)), { recursive: true });
    await writeFile(path.dirname(path.dirname(place.userFile)), 'a file in its place');
    const said: string[] = [];
    // What cannot be looked at is no key that is there, and none that is trusted.
    await expect(open(said)).rejects.toThrow('cannot be');
    await rm(path.dirname(path.dirname(place.userFile)));
    expect(await open(said)).toBeDefined();
  });

  it('does not go on where the key cannot be trusted', async () => {
    await open();
    const { keyFile } = await locate();
    await chmod(keyFile, 0o644);
    await expect(open()).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
    expect((await stat(keyFile)).mode & 0o777).toBe(0o644);
  });

  it('does not go on without a key where heads are remembered', async () => {
    const { keyFile, headsFolder } = await locate();
    await open();
    await rm(keyFile);
    await mkdir(headsFolder);
    await chmod(path.dirname(keyFile), 0o777);
    await expect(open()).rejects.toThrow('can be written by other users');
    expect(await readFile(keyFile).catch(() => 'none')).toBe('none');
  });

  it('goes on, and says so, where neither is there and neither can be made', async () => {
    await chmod(path.dirname(place.userFile), 0o777);
    const said: string[] = [];
    expect(await open(said)).toBeUndefined();
    expect(said).toEqual([expect.stringContaining('The call log is not signed: there can be no key')]);
  });
});
