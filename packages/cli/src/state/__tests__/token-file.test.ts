import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdtemp, readdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readOrCreateToken } from '../token-file.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'devs-token-file-'));
  file = path.join(folder, 'token');
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

describe('the file of the first token', () => {
  it('is made once, for its owner alone, however many start at once', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, async () => readOrCreateToken(file)));
    expect(new Set(tokens)).toEqual(new Set([(await readFile(file, 'utf8')).trim()]));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['token']);
  });

  it.each<[string, (file: string) => Promise<unknown>, RegExp]>([
    ['open to a group', async (place) => chmod(place, 0o640), /can be read by others/],
    ['open to everybody', async (place) => chmod(place, 0o604), /can be read by others/],
    ['too short to be one', async (place) => writeFile(place, 'guessme'), /holds no token/],
    ['of two lines', async (place) => writeFile(place, `${'a'.repeat(43)}\n${'b'.repeat(43)}`), /holds no token/],
    ['far too long', async (place) => truncate(place, 5_000), /holds no token/],
    ['long, and a token', async (place) => writeFile(place, `${'a'.repeat(43)}${' '.repeat(5_000)}`), /holds no token/],
    // Whoever put the link there chose the token.
    ['a link', async (place) => rename(place, `${place}-2`).then(async () => symlink('token-2', place)), /cannot be read/],
    ['a pipe', async (place) => rm(place).then(() => execFileSync('mkfifo', ['-m', '600', place])), /holds no token/],
  ])('is not believed when it is %s, and is left as it is', async (_name, spoil, problem) => {
    await readOrCreateToken(file);
    await spoil(file);
    const before = (await readdir(folder)).length;
    await expect(readOrCreateToken(file)).rejects.toMatchObject({ code: 'STATE_UNUSABLE', sentence: expect.stringMatching(problem) });
    expect(await readdir(folder)).toHaveLength(before);
  });

  it('is not believed when it belongs to another user', async () => {
    const token = await readOrCreateToken(file);
    if (process.getuid?.() !== 0) return expect(await readOrCreateToken(file)).toBe(token);
    await chown(file, 65_534, 65_534);
    await expect(readOrCreateToken(file)).rejects.toMatchObject({ code: 'STATE_UNUSABLE', sentence: expect.stringMatching(/can be read by others/) });
  });
});
