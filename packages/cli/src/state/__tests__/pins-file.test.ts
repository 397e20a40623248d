import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DevsError } from '@devs/core';
import type { ShownServer } from '@devs/mcp';
import { lockForChange } from '../lock-for-change.ts';
import { PinsFile } from '../pins-file.ts';
import { locateState, type StateFolder } from '../state-folder.ts';

let folder: string;
let state: StateFolder;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'devs-pins-'));
  state = locateState(folder, { DEVS_STATE_DIR: path.join(folder, 'state') });
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

const open = () => new PinsFile(state, () => new Date(0));
const shown = (names: readonly string[], title = ''): ShownServer => ({
  entry: 'one',
  refused: [],
  tools: new Map(names.map((name) => [name, { name: `one__${name}`, pinned: { name, title, inputSchema: {} } }])),
});
const refusal = async (promise: Promise<unknown>) =>
  promise.then(() => undefined, (cause: unknown) => (DevsError.is(cause) ? `${cause.code}: ${cause.sentence}` : String(cause)));

describe('the file of pins', () => {
  it('is made when there is something to pin, for its owner alone, and read by the next devs', async () => {
    const pins = open();
    expect(await pins.find({ key: 'k' })).toBeUndefined();
    await expect(stat(pins.path)).rejects.toThrow('ENOENT');
    await pins.note({ key: 'k' }, shown(['a']));
    expect((await stat(pins.path)).mode & 0o777).toBe(0o600);
    expect(await open().find({ key: 'k' })).toEqual(await pins.find({ key: 'k' }));
    expect((await readdir(state.path)).toSorted()).toEqual(['pins.json', 'pins.json-lock', 'pins.json-lock-next']);
  });

  it('is not written when nothing is new', async () => {
    const pins = open();
    await pins.note({ key: 'k' }, shown(['a']));
    const { ino } = await stat(pins.path);
    await pins.note({ key: 'k' }, shown(['a']));
    expect((await stat(pins.path)).ino).toBe(ino);
  });

  it('loses nothing of many devs that write at once', async () => {
    const all = Array.from({ length: 20 }, (_, index) => open().note({ key: `k${index}` }, shown([`t${index}`])));
    await Promise.all(all);
    expect([...(await open().read()).keys()].toSorted()).toEqual(Array.from({ length: 20 }, (_, index) => `k${index}`).toSorted());
    expect((await readdir(state.path)).toSorted()).toEqual(['pins.json', 'pins.json-lock', 'pins.json-lock-next']);
  });

  it.each<[string, (lock: string) => Promise<unknown>]>([
    ['a folder stands in the place of the lock', async (lock) => mkdir(lock)],
    ['a link to a folder does', async (lock) => symlink('.', lock)],
  ])('is not changed, with a sentence, where %s', async (_name, block) => {
    const pins = open();
    await pins.note({ key: 'k' }, shown(['a']));
    await rm(`${pins.path}-lock`);
    await block(`${pins.path}-lock`);
    expect(await refusal(pins.note({ key: 'k' }, shown(['a', 'b'])))).toMatch(/^STATE_UNUSABLE: The lock ".*pins\.json-lock" is not an empty file of your own/);
    expect((await open().find({ key: 'k' }))?.tools.size).toBe(1);
  });

  it('is not waited for for ever: whoever is held up is told which file it is, and that you do not have to delete anything', async () => {
    const busy = { acquire: async () => Promise.resolve(undefined) };
    expect(await refusal(lockForChange(busy, '/state/pins.json'))).toMatch(/^STATE_UNUSABLE: The file "\/state\/pins\.json" was not changed: another devs has locked it for 10 seconds.* you do not have to delete anything\.$/);
  });

  it.each<[string, (file: string) => Promise<unknown>, RegExp]>([
    ['cut off', async (file) => writeFile(file, (await readFile(file, 'utf8')).slice(0, -9)), /is damaged/],
    ['emptied', async (file) => writeFile(file, ''), /is damaged/],
    ['changed by hand', async (file) => writeFile(file, (await readFile(file, 'utf8')).replace('"title":""', '"title":"x"')), /is damaged/],
    ['opened to others', async (file) => chmod(file, 0o644), /is accessible to other users/],
    ['a link', async (file) => rm(file).then(async () => symlink('.', file)), /cannot be read/],
    ['a folder', async (file) => rm(file).then(async () => mkdir(file, { mode: 0o700 })), /is none/],
    ['a pipe', async (file) => rm(file).then(() => execFileSync('mkfifo', ['-m', '600', file])), /is none/],
    ['larger than any', async (file) => truncate(file, 268_435_457), /is larger than devs writes it/],
  ])('that is %s approves nothing, is left as it is, and says what to do', async (_name, damage, problem) => {
    await open().note({ key: 'k' }, shown(['a']));
    const { path: file } = open();
    await damage(file);
    const attempts = [async () => open().find({ key: 'k' }), async () => open().note({ key: 'k' }, shown(['a'], 'new')), async () => open().approve([])];
    for (const attempt of attempts) {
      const said = await refusal(attempt());
      expect(said).toMatch(/^STATE_UNUSABLE: The pins ".*pins\.json" cannot be trusted/);
      expect(said).toMatch(problem);
      expect(said).toContain('No tool of a server is offered until you fix this: restore a good copy');
    }
  });

  it('that belongs to another user approves nothing', async () => {
    await open().note({ key: 'k' }, shown(['a']));
    if (process.getuid?.() !== 0) return expect((await open().read()).size).toBe(1);
    await chown(open().path, 65_534, 65_534);
    expect(await refusal(open().find({ key: 'k' }))).toContain('belongs to another user');
  });

  it('in a folder that others may write to approves nothing', async () => {
    const pins = open();
    await pins.note({ key: 'k' }, shown(['a']));
    await chmod(state.path, 0o707);
    for (const each of [pins, open()]) expect(await refusal(each.find({ key: 'k' }))).toMatch(/^STATE_UNUSABLE: The state folder .* is accessible to other users/);
  });

  it('of before is not believed by a devs that has seen the later one, and offers nothing changed to the next', async () => {
    const pins = open();
    await pins.note({ key: 'k' }, shown(['a']));
    const old = await readFile(pins.path);
    await pins.note({ key: 'k' }, shown(['a'], 'new'));
    const changed = (await pins.find({ key: 'k' }))?.tools.get('a')?.changed;
    await pins.approve([{ key: 'k', of: { tool: 'a' }, digest: changed?.digest ?? '' }]);
    await rm(pins.path);
    expect(await refusal(pins.find({ key: 'k' }))).toContain('is older than what was read');
    await writeFile(pins.path, old, { mode: 0o600 });
    expect(await refusal(pins.find({ key: 'k' }))).toContain('is older than what was read');
    expect((await open().note({ key: 'k' }, shown(['a'], 'new'))).tools.get('a')).toMatchObject({ value: { title: '' }, changed: { value: { title: 'new' } } });
  });

  it('takes a yes for what was shown, and for nothing else', async () => {
    const pins = open();
    await pins.note({ key: 'k' }, shown(['a']));
    await pins.note({ key: 'k' }, shown(['a'], 'new'));
    const digest = (await pins.find({ key: 'k' }))?.tools.get('a')?.changed?.digest ?? '';
    await open().note({ key: 'k' }, shown(['a'], 'newer'));
    expect(await refusal(pins.approve([{ key: 'k', of: { tool: 'a' }, digest }]))).toContain('nothing is approved');
    expect((await open().find({ key: 'k' }))?.tools.get('a')).toMatchObject({ value: { title: '' } });
  });
});
