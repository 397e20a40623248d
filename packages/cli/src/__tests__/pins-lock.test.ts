import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { lockPins } from '../pins-lock.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'devs-lock-'));
  file = path.join(folder, 'pins.json.lock');
});
afterEach(async () => {
  jest.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

const HELD = `${String(process.pid)} of somebody else\n`;

/** Resolves when it was looked three times whether the holder is alive: nobody has been waited for by the clock. */
function lookedThrice(answer: () => true): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let looks = 0;
  jest.spyOn(process, 'kill').mockImplementation(() => {
    looks += 1;
    if (looks === 3) resolve('still waits');
    return answer();
  });
  return promise;
}

describe('the lock of the pins', () => {
  it.each<[string, () => true]>([
    ['of ours', () => true],
    // Of another user: it may not be asked, so it is there.
    ['of another user', () => {
      throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
    }],
  ])('is waited for while a process %s holds it, and taken when it is free', async (_name, answer) => {
    await writeFile(file, HELD);
    const looked = lookedThrice(answer);
    const waiting = lockPins(file);
    expect(await Promise.race([looked, waiting.then(() => 'took it')])).toBe('still waits');
    expect(await readFile(file, 'utf8')).toBe(HELD);
    await rm(file);
    await using _lock = await waiting;
    expect(await readdir(folder)).toEqual(['pins.json.lock']);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['its process is gone', async () => writeFile(file, '999999999 gone\n')],
    ['it names none', async () => writeFile(file, 'x\n')],
    ['it is older than anybody holds one, whoever has the process id now', async () => {
      await writeFile(file, HELD);
      await utimes(file, new Date(0), new Date(0));
    }],
  ])('is taken over when %s', async (_name, leave) => {
    await leave();
    await using _lock = await lockPins(file);
    expect(await readFile(file, 'utf8')).toMatch(new RegExp(`^${String(process.pid)} [0-9a-f-]{36}\n$`));
    expect(await readdir(folder)).toEqual(['pins.json.lock']);
  });

  it('is not let go for somebody who has taken it over', async () => {
    const lock = await lockPins(file);
    await writeFile(file, HELD);
    await lock[Symbol.asyncDispose]();
    expect(await readFile(file, 'utf8')).toBe(HELD);
  });

  it('is not waited for for ever: whoever is held up is told which file to look at, and leaves nothing behind', async () => {
    await writeFile(file, HELD);
    const looked = lookedThrice(() => true);
    jest.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValue(10_001);
    const refused = lockPins(file).then(() => 'took it', (cause: unknown) => cause);
    expect(await Promise.race([looked, refused])).toMatchObject({ code: 'STATE_UNUSABLE', sentence: expect.stringContaining(JSON.stringify(file)) });
    expect(await readdir(folder)).toEqual(['pins.json.lock']);
  });
});
