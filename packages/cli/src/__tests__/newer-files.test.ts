import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readTrustRecord, sha256Of, writeTrustRecord, type TrustRecord } from '../config/trust-record.ts';
import { PinsFile } from '../state/pins-file.ts';
import { locateState, type StateFolder } from '../state/state-folder.ts';
import { openTokenBook, openTokenUse } from '../state/token-list.ts';

let folder: string;
let state: StateFolder;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'devs-newer-'));
  state = locateState(folder, { DEVS_STATE_DIR: path.join(folder, 'state') });
  await mkdir(state.path, { mode: 0o700 });
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

const BYTES = Buffer.from('{}');
const record = (): TrustRecord => ({ path: path.join(folder, 'devs.config.json'), sha256: sha256Of(BYTES), bytes: BYTES, trustedAt: '2026-01-01T00:00:00.000Z' });
const shown = () => ({ entry: 'one', refused: [], tools: new Map([['a', { name: 'one__a', pinned: { name: 'a', inputSchema: {} } }]]) });

interface Kept {
  readonly read: () => Promise<unknown>;
  readonly change: () => Promise<unknown>;
}

const FILES: readonly (readonly [string, () => Kept])[] = [
  ['pins', () => ({ read: async () => new PinsFile(state).find({ key: 'k' }), change: async () => new PinsFile(state).note({ key: 'k' }, shown()) })],
  ['tokens', () => ({ read: async () => openTokenBook(state).read(), change: async () => openTokenBook(state).change((book) => book) })],
  ['the last use of tokens', () => ({ read: async () => openTokenUse(state).read(), change: async () => openTokenUse(state).change(() => ({ '0123456789ab': '2026-01-01' })) })],
  ['the record of trust', () => ({ read: async () => readTrustRecord(state, record().path), change: async () => writeTrustRecord(state, record()) })],
];

describe('a file that a newer devs wrote', () => {
  it.each(FILES)('%s: is refused with a sentence, and left as it is', async (_name, open) => {
    const { read, change } = open();
    await change();
    const [name = ''] = (await readdir(state.path)).filter((each) => each.endsWith('.json'));
    const file = path.join(state.path, name);
    const { sha256: _digest, ...known } = JSON.parse(await readFile(file, 'utf8'));
    const newer = JSON.stringify({ ...known, version: 2, more: ['what this devs does not know'] });
    await writeFile(file, newer, { mode: 0o600 });
    for (const attempt of [read, change]) {
      await expect(attempt()).rejects.toMatchObject({ code: expect.stringMatching(/^(STATE_UNUSABLE|CONFIG_INVALID)$/), sentence: expect.stringMatching(/written by a newer devs.* update this one\.$/) });
    }
    expect(await readFile(file, 'utf8')).toBe(newer);
  });

  it.each<[string, string]>([
    ['a day that is none', '{"0123456789ab":"soon"}'],
    ['what is no id', '{"0123456789ab":"2026-01-01","more":{}}'],
  ])('the last use of tokens with %s is not written over without it', async (_name, text) => {
    const file = openTokenUse(state).path;
    await writeFile(file, text, { mode: 0o600 });
    await expect(openTokenUse(state).change((before) => before)).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
    expect(await readFile(file, 'utf8')).toBe(text);
  });
});
