import { once } from 'node:events';
import fs, { chmodSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createTempFolder, startChild } from '../../__tests__/fixtures.ts';
import { FileLock } from '../file-lock.ts';
import { lockFiles, tryLockExisting, tryLockFile } from '../lock-file.ts';

/** A wait that does not end must turn a test red soon. */
jest.setTimeout(30_000);

const LONG_MS = 20_000;
/** Long enough for several attempts of whoever waits. */
const SHORT_MS = 60;

let folder: ReturnType<typeof createTempFolder>;
let guarded: string;
beforeEach(() => {
  folder = createTempFolder();
  guarded = path.join(folder.path, 'notes.json');
});
afterEach(() => {
  jest.restoreAllMocks();
  folder[Symbol.dispose]();
});

async function acquire(lock: FileLock, patienceMs = LONG_MS): Promise<Disposable> {
  const held = await lock.acquire({ patienceMs });
  if (held === undefined) throw new Error('the lock was not free');
  return held;
}

interface Holder {
  readonly release: () => Promise<unknown>;
}

const HOLDERS: readonly (readonly [string, (own: FileLock) => Promise<Holder>])[] = [
  ['the same object', async (own) => holding(await acquire(own))],
  ['another object of this process', async () => holding(await acquire(new FileLock(guarded)))],
  ['another process', async () => holdElsewhere('end')],
  ['another process that is killed', async () => holdElsewhere('kill')],
];

function holding(held: Disposable): Holder {
  return { release: async () => Promise.resolve(held[Symbol.dispose]()) };
}

async function holdElsewhere(how: 'end' | 'kill'): Promise<Holder> {
  const child = startChild('child-lock.ts', guarded);
  await once(child.stdout, 'data');
  const release = async () => {
    const closed = once(child, 'close');
    if (how === 'kill') child.kill('SIGKILL');
    else child.stdin.end();
    await closed;
  };
  return { release };
}

describe('a lock', () => {
  it.each(HOLDERS)('is held by %s: others wait no longer than they want to, and get it when it is released', async (_name, hold) => {
    const own = new FileLock(guarded);
    const holder = await hold(own);
    expect(await own.acquire({ patienceMs: 0 })).toBeUndefined();
    expect(await own.acquire({ patienceMs: SHORT_MS })).toBeUndefined();
    const waiting = acquire(own);
    await holder.release();
    using _held = await waiting;
    expect(await new FileLock(guarded).acquire({ patienceMs: 0 })).toBeUndefined();
  });

  it.each(HOLDERS)('held by %s: who gives up ends with the reason of its signal, and those behind it go on', async (_name, hold) => {
    const own = new FileLock(guarded);
    const holder = await hold(own);
    const cancel = new AbortController();
    const given = own.acquire({ patienceMs: LONG_MS, signal: cancel.signal });
    const behind = acquire(own);
    cancel.abort(new Error('gone'));
    await expect(given).rejects.toThrow('gone');
    await expect(own.acquire({ patienceMs: LONG_MS, signal: cancel.signal })).rejects.toThrow('gone');
    await holder.release();
    using _held = await behind;
  });

  it('goes through the hands of one process in the order in which they asked', async () => {
    const lock = new FileLock(guarded);
    const order: number[] = [];
    const work = async (number: number) => {
      using _held = await acquire(lock);
      await new Promise(setImmediate);
      order.push(number);
    };
    await Promise.all([1, 2, 3, 4, 5].map(work));
    expect(order).toEqual([1, 2, 3, 4, 5]);
  });

  it('is not kept by the long queue of one holder from another that asked before the end of it', async () => {
    const [busy, other] = [new FileLock(guarded), new FileLock(guarded)];
    const order: string[] = [];
    const first = await acquire(busy);
    const waiting = acquire(other).then((held) => {
      order.push('other');
      held[Symbol.dispose]();
    });
    // It waits once it holds the second lock, which tells who is next.
    for (let looks = 0; looks < 10_000 && tryOther(lockFiles.ofNext(guarded)); looks += 1) await new Promise(setImmediate);
    const queue = [1, 2, 3].map(async (number) => {
      using _held = await acquire(busy);
      order.push(String(number));
    });
    first[Symbol.dispose]();
    await Promise.all([waiting, ...queue]);
    expect(order).toEqual(['other', '1', '2', '3']);
  });

  it('leaves the event loop alone while somebody waits', async () => {
    const lock = new FileLock(guarded);
    using _held = await acquire(lock);
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    expect(await new FileLock(guarded).acquire({ patienceMs: SHORT_MS })).toBeUndefined();
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
  });

  it('is on empty files of this account, which stay and stop nobody', async () => {
    for (const _round of [1, 2]) (await acquire(new FileLock(guarded)))[Symbol.dispose]();
    expect(readdirSync(folder.path).toSorted()).toEqual(['notes.json-lock', 'notes.json-lock-next']);
    for (const name of readdirSync(folder.path)) expect(statSync(path.join(folder.path, name))).toMatchObject({ size: 0, mode: 0o100600 });
  });

  it('counts only on the file that has the name when it is taken', () => {
    const file = lockFiles.of(guarded);
    using _before = tryLockFile(file);
    _before?.[Symbol.dispose]();
    replaceAtLook(3, file);
    using held = tryLockFile(file);
    expect(held).toBeDefined();
    expect(tryLockFile(file)).toBeUndefined();
  });

  it('that is only looked at is not made', () => {
    expect(tryLockExisting(lockFiles.of(guarded))).toBe('gone');
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it.each<[string, (lock: string) => void]>([
    ['a folder', (lock) => mkdirSync(lock)],
    ['a link to a file of devs, of which every lock would be dropped', (lock) => symlinkSync('agent_logs.db', lock)],
    ['a link to nothing', (lock) => symlinkSync('nothing', lock)],
    ['a file of something else', (lock) => writeFileSync(lock, '4711 of an older devs\n', { mode: 0o600 })],
    ['a file that others may open, and so lock for good', (lock) => {
      writeFileSync(lock, '');
      chmodSync(lock, 0o644);
    }],
  ])('is refused where %s lies in its place', async (_name, put) => {
    for (const file of [lockFiles.of(guarded), lockFiles.ofNext(guarded)]) {
      put(file);
      const refused = new FileLock(guarded).acquire({ patienceMs: LONG_MS });
      await expect(refused).rejects.toMatchObject({ code: 'STATE_UNUSABLE', sentence: expect.stringContaining(`${JSON.stringify(lockFiles.of(guarded))} is not an empty file of your own`) });
      for (const name of readdirSync(folder.path)) rmSync(path.join(folder.path, name), { recursive: true });
    }
    using _held = await acquire(new FileLock(guarded));
  });

  it('is refused where no file can be made', async () => {
    const refused = new FileLock(path.join(folder.path, 'gone', 'notes.json')).acquire({ patienceMs: LONG_MS });
    await expect(refused).rejects.toMatchObject({ code: 'STATE_UNUSABLE', sentence: expect.stringContaining('cannot be taken') });
  });
});

/** Puts another file in the place of this one right before it is looked at for that many times: it was opened, and not yet locked by name. */
function replaceAtLook(number: number, file: string): void {
  const look = fs.lstatSync.bind(fs);
  let looks = 0;
  jest.spyOn(fs, 'lstatSync').mockImplementation(((...args: Parameters<typeof fs.lstatSync>) => {
    looks += 1;
    if (looks === number) {
      rmSync(file);
      writeFileSync(file, '', { mode: 0o600 });
    }
    return look(...args);
  }) as typeof fs.lstatSync);
}

function tryOther(file: string): boolean {
  const held = tryLockFile(file);
  held?.[Symbol.dispose]();
  return held !== undefined;
}
