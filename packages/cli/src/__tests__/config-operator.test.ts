import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG } from '@devs/core';
import { createConfigPlace, type ConfigPlace } from './config-place.ts';

let place: ConfigPlace;
beforeEach(async () => {
  place = await createConfigPlace();
});
afterEach(async () => place[Symbol.asyncDispose]());

const timeout = (toolTimeoutMs: number) => ({ limits: { toolTimeoutMs } });

describe('without any file', () => {
  it('the defaults are in force, and nothing is said', async () => {
    expect((await place.load()).config).toBe(DEFAULT_CONFIG);
    expect(await place.notes()).toEqual([]);
  });
});

describe("the user's file", () => {
  it('is in force, and said', async () => {
    await place.write(place.userFile, timeout(5));
    expect((await place.load()).config.limits.toolTimeoutMs).toBe(5);
    expect(await place.notes()).toEqual([`Configuration: ${place.userFile}`]);
  });

  it('may be a link to where its owner keeps it', async () => {
    await symlink(await place.write(path.join(place.outside, 'mine.json'), timeout(5)), place.userFile);
    expect((await place.load()).config.limits.toolTimeoutMs).toBe(5);
  });

  it('is not looked for in a relative XDG_CONFIG_HOME', async () => {
    const relative = path.relative(process.cwd(), path.dirname(path.dirname(place.userFile)));
    await place.write(place.userFile, timeout(5));
    const { sources } = await place.load({ variables: { XDG_CONFIG_HOME: relative } });
    expect(sources).toMatchObject({ user: { path: expect.stringMatching(/\.config\/devs\/devs\.config\.json$/) } });
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['broken', async () => place.write(place.userFile, '{'), /devs\.config\.json:1:2: is not JSON/],
    ['a folder', async () => mkdir(place.userFile), /not a regular file/],
    ['a pipe', async () => execFileSync('mkfifo', [place.userFile]), /not a regular file/],
    ['a link that leads nowhere', async () => symlink('/nowhere', place.userFile), /symbolic link/],
    ['a link to itself', async () => symlink(place.userFile, place.userFile), /symbolic link/],
    ['in a folder that cannot be looked into', async () => (await rm(path.dirname(place.userFile), { recursive: true }), symlink('devs', path.dirname(place.userFile))), /symbolic link/],
    ['open to others', async () => chmod(await place.write(place.userFile, {}), 0o666), /chmod go-w/],
    ['open to a group', async () => chmod(await place.write(place.userFile, {}), 0o620), /chmod go-w/],
  ])('that is %s ends the start: to go on could be weaker', async (_name, make, message) => {
    await make();
    await expect(place.load()).rejects.toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringMatching(message) });
  });

  it('that belongs to somebody else ends the start', async () => {
    await place.write(place.userFile, {});
    // Only root can give a file away; anybody else is shown one of root's, which counts.
    if (process.getuid?.() !== 0) return expect((await place.load()).config).toEqual(DEFAULT_CONFIG);
    await chown(place.userFile, 65_534, 65_534);
    await expect(place.load()).rejects.toThrow(/belongs to another user/);
  });

  it('is not the user’s when XDG_CONFIG_HOME puts it into the root, the repository, or behind a link into it', async () => {
    const root = path.join(place.repository, 'packages', 'web');
    await mkdir(path.join(place.repository, 'evil', 'devs'), { recursive: true });
    const evil = await place.write(path.join(place.repository, 'evil', 'devs', 'devs.config.json'), timeout(5));
    await symlink(path.join(place.repository, 'evil'), path.join(place.outside, 'linked'));
    for (const home of [path.join(place.repository, 'evil'), path.join(place.outside, 'linked')]) {
      for (const options of [{ variables: { XDG_CONFIG_HOME: home } }, { root, variables: { XDG_CONFIG_HOME: home } }]) {
        expect((await place.load(options)).config).toEqual(DEFAULT_CONFIG);
        expect(await place.notes(options)).toEqual([expect.stringContaining('is inside the project, so it does not count as your own')]);
      }
    }
    expect(evil).toContain(place.repository);
  });
});

describe('--config with a file outside the project', () => {
  it('is the operator’s complete word: no other file is read', async () => {
    await place.write(place.userFile, '{ broken');
    await place.trust(await place.write(path.join(place.repository, 'devs.config.json'), { files: { protected: ['a'] } }));
    const named = await place.write(path.join(place.outside, 'team.json'), timeout(7));
    expect((await place.load({ named })).config).toEqual({ ...DEFAULT_CONFIG, limits: { ...DEFAULT_CONFIG.limits, toolTimeoutMs: 7 } });
    expect(await place.notes({ named })).toEqual([`Configuration: ${named}`]);
  });

  it.each<[string, (file: string) => Promise<unknown>, RegExp]>([
    ['not there', async () => undefined, /does not exist/],
    ['a folder', async (file) => mkdir(file), /not a regular file/],
    ['a device', async (file) => symlink('/dev/zero', file), /not a regular file/],
    ['a pipe', async (file) => execFileSync('mkfifo', [file]), /not a regular file/],
    ['broken', async (file) => writeFile(file, '{\n "a" 1}'), /team\.json:2:6: is not JSON: a colon is missing here/],
    ['no UTF-8', async (file) => writeFile(file, Buffer.from([0x7b, 0xff, 0x7d])), /team\.json:1:1: is not UTF-8/],
    ['of 10 MB', async (file) => (await writeFile(file, '{}'), truncate(file, 10_000_000)), /larger than 262144 bytes/],
    ['writable by others', async (file) => (await writeFile(file, '{}'), chmod(file, 0o646)), /chmod go-w/],
    ['of an unknown key', async (file) => writeFile(file, '{"limit":{}}'), /team\.json:1:2: limit is an unknown key; did you mean "limits"/],
    ['of a wrong type', async (file) => writeFile(file, '{"http":{"maxRequests":"1"}}'), /1:10: http\.maxRequests is "1", and must be a whole number/],
    ['of a prototype', async (file) => writeFile(file, '{"__proto__":{"limits":{}}}'), /1:2: __proto__ may not be used as a key/],
    ['of a missing variable', async (file) => writeFile(file, '{"files":{"protected":["${NOT_SET}"]}}'), /1:24: files\.protected\.0 needs .* NOT_SET/],
  ])('that is %s ends the start and says why', async (_name, make, message) => {
    const named = path.join(place.outside, 'team.json');
    await make(named);
    await expect(place.load({ named })).rejects.toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringMatching(message) });
  });

  it('takes its variables from the environment, and shows none of them', async () => {
    const named = await place.write(path.join(place.outside, 'team.json'), { files: { protected: ['${NAME}'] } });
    const loaded = await place.load({ named, variables: { NAME: 'hunter2' } });
    expect(loaded.config.files.protected).toEqual(['hunter2']);
    expect(loaded.written).toMatchObject({ files: { protected: ['${NAME}'] } });
  });
});
