import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { GuardedFsRoot } from '../guarded-fs-root.ts';
import { openFsRoot } from '../open-fs-root.ts';
import { describeBypasses } from './bypass.ts';
import { createPlayground, plainView, refusalOf, SECRET, signal, text, treeOf, type Playground } from './playground.ts';

/** Any user without privileges: `nobody` on Linux. */
const UNPRIVILEGED = 65_534;

describeBypasses();

describe('what the root holds and may not be used', () => {
  let ground: Playground;
  let files: GuardedFsRoot;
  const read = async (name: string) => text((await files.readFile(name, { limit: 100 }, signal())).bytes);
  const write = async (name: string, content = 'x') => await files.writeFile(name, { bytes: Buffer.from(content), signal: signal() });

  beforeEach(() => {
    ground = createPlayground();
    writeFileSync(ground.at('f'), 'inside');
    mkdirSync(ground.at('d'));
    files = openFsRoot({ root: ground.root });
  });
  afterEach(() => {
    files[Symbol.dispose]();
    ground[Symbol.dispose]();
  });

  test('a FIFO neither hangs the call nor is replaced', async () => {
    execFileSync('mkfifo', [ground.at('fifo')]);
    symlinkSync('fifo', ground.at('to-fifo'));
    for (const name of ['fifo', 'to-fifo']) {
      await refusalOf(read(name), 'NOT_A_REGULAR_FILE');
      await refusalOf(write(name), 'NOT_A_REGULAR_FILE');
    }
    // With a reader waiting it could be opened for writing, and would be replaced.
    const reader = openSync(ground.at('fifo'), constants.O_RDONLY | constants.O_NONBLOCK);
    await refusalOf(write('fifo'), 'NOT_A_REGULAR_FILE');
    closeSync(reader);
    expect(statSync(ground.at('fifo')).isFIFO()).toBe(true);
  });

  test('a socket', async () => {
    const server = createServer().listen(ground.at('socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    await refusalOf(read('socket'), 'NOT_A_REGULAR_FILE');
    await refusalOf(write('socket'), 'NOT_A_REGULAR_FILE');
    const { entries } = await files.listDirectory('.', { recursive: false, limit: 9, signal: signal() });
    expect(entries).toContainEqual({ path: 'socket', kind: 'other' });
    await new Promise((resolve) => server.close(resolve));
  });

  // Read only: a write that a broken guard lets through would replace the device of this machine.
  test('devices, even where they are inside the root; links to them, where they are not', async () => {
    using devices = openFsRoot({ root: '/dev' });
    for (const name of ['zero', 'null', 'full', 'tty', 'urandom']) {
      await refusalOf(devices.readFile(name, { limit: 10 }, signal()), 'NOT_A_REGULAR_FILE');
    }
    symlinkSync('/dev/zero', ground.at('zero'));
    await refusalOf(read('zero'), 'PATH_OUTSIDE_ROOT');
  });

  test('what may not be read, entered or written', async () => {
    writeFileSync(ground.at('unreadable'), SECRET, { mode: 0o000 });
    writeFileSync(ground.at('read-only'), 'old', { mode: 0o444 });
    mkdirSync(ground.at('closed/inner'), { recursive: true });
    writeFileSync(ground.at('closed/f'), SECRET);
    chmodSync(ground.at('closed'), 0o000);
    chmodSync(ground.at('d'), 0o555);
    await asUnprivileged(ground, async () => {
      for (const name of ['unreadable', 'closed/f', 'closed/inner/x']) await refusalOf(read(name), 'PERMISSION_DENIED');
      for (const name of ['closed/new', 'd/new', 'd/folder/new', 'read-only']) {
        await refusalOf(write(name), 'PERMISSION_DENIED');
      }
      const request = { recursive: true, limit: 99, signal: signal() };
      await refusalOf(files.listDirectory('closed', request), 'PERMISSION_DENIED');
      const { entries } = await files.listDirectory('.', request);
      expect(entries.map((entry) => entry.path)).toEqual(['closed', 'd', 'f', 'read-only', 'unreadable']);
    });
    expect(readFileSync(ground.at('read-only'), 'utf8')).toBe('old');
    chmodSync(ground.at('closed'), 0o755);
  });

  test('a folder that may be passed through but not read still gives its files', async () => {
    mkdirSync(ground.at('search-only'));
    writeFileSync(ground.at('search-only/f'), 'inside', { mode: 0o644 });
    chmodSync(ground.at('search-only'), 0o311);
    await asUnprivileged(ground, async () => {
      expect(await read('search-only/f')).toBe('inside');
      await refusalOf(
        files.listDirectory('search-only', { recursive: false, limit: 9, signal: signal() }),
        'PERMISSION_DENIED',
      );
    });
    chmodSync(ground.at('search-only'), 0o755);
  });

  test('a disk that is full after the first bytes: the old file stands, nothing else is left', async () => {
    writeFileSync(ground.at('old.txt'), 'old');
    const before = treeOf(ground.root);
    for (const name of ['old.txt', 'new/folder/new.txt']) {
      await refusalOf(files.writeFile(name, { bytes: new FullDisk(10), signal: signal() }), 'NO_SPACE');
    }
    expect(treeOf(ground.root)).toEqual(before);
    expect(readFileSync(ground.at('old.txt'), 'utf8')).toBe('old');
  });

  test('a file of someone else keeps its owner, where devs may give it', async () => {
    if (process.getuid?.() === 0) chownSync(ground.at('f'), UNPRIVILEGED, UNPRIVILEGED);
    const { uid, gid } = statSync(ground.at('f'));
    await write('f');
    expect(statSync(ground.at('f'))).toMatchObject({ uid, gid });
  });
});

test('a temporary file of someone else is not swept', async () => {
  using ground = createPlayground();
  using files = openFsRoot({ root: ground.root });
  writeFileSync(ground.at('.devs-tmp-4194305-00000000000000aa'), 'x');
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(ground.at('.devs-tmp-4194305-00000000000000aa'), UNPRIVILEGED, UNPRIVILEGED);
  expect(await files.sweepTemporaryFiles(signal())).toEqual({ removed: isRoot ? 0 : 1, complete: true });
});

describe('the root as the system sees it', () => {
  test.each([
    '/proc/self/root/etc/hostname',
    '/proc/self/cwd/package.json',
    '/proc/1/root/etc/hostname',
    '/proc/self/fd/3/../secret.txt',
    '/dev/fd/3',
    'proc/../../etc/hostname',
  ])('no way out by %s', async (name) => {
    using ground = createPlayground();
    using files = openFsRoot({ root: ground.root });
    const error = await files.readFile(name, { limit: 9 }, signal()).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: name.startsWith('proc') ? 'FILE_NOT_FOUND' : 'PATH_OUTSIDE_ROOT' });
  });

  test('magic links of /proc are read, not followed, even where /proc is the root', async () => {
    using processes = openFsRoot({ root: '/proc' });
    for (const name of ['self/root/etc/hostname', 'self/cwd/package.json', 'self/exe']) {
      await refusalOf(processes.readFile(name, { limit: 9 }, signal()), 'PATH_OUTSIDE_ROOT');
    }
    for (const name of readdirSync('/proc/self/fd')) {
      await expect(processes.readFile(`self/fd/${name}/../x`, { limit: 9 }, signal())).rejects.toThrow();
    }
  });

  test('a root that is renamed stays the root; one that is gone is not found', async () => {
    using ground = createPlayground();
    using files = openFsRoot({ root: ground.root });
    writeFileSync(ground.at('f'), 'inside');
    const moved = path.join(ground.base, 'moved');
    renameSync(ground.root, moved);
    mkdirSync(ground.root);
    writeFileSync(ground.at('f'), 'another');
    expect(text((await files.readFile('f', { limit: 9 }, signal())).bytes)).toBe('inside');
    expect(await files.writeFile('d/g', { bytes: Buffer.from('x'), signal: signal() })).toEqual({ created: true });
    expect(treeOf(moved)).toEqual(['d', 'd/g', 'f']);
    rmSync(moved, { recursive: true });
    await refusalOf(files.readFile('f', { limit: 9 }, signal()), 'FILE_NOT_FOUND');
  });

  test('a folder that was entered, then moved into .git, is not written', async () => {
    using ground = createPlayground();
    using files = openFsRoot({ root: ground.root });
    mkdirSync(ground.at('.git'));
    mkdirSync(ground.at('folder'));
    const writing = files.writeFile('folder/post-checkout', { bytes: Buffer.from('x'), signal: signal() });
    renameSync(ground.at('folder'), ground.at('.git/hooks'));
    await refusalOf(writing, 'PATH_PROTECTED');
    expect(treeOf(ground.root)).toEqual(['.git', '.git/hooks']);
  });

  test('a folder that was entered, then moved out, is not written and keeps nothing', async () => {
    using ground = createPlayground();
    using files = openFsRoot({ root: ground.root });
    mkdirSync(ground.at('folder'));
    const writing = files.writeFile('folder/new.txt', { bytes: Buffer.from('x'), signal: signal() });
    renameSync(ground.at('folder'), path.join(ground.outside, 'moved'));
    await refusalOf(writing, 'PATH_OUTSIDE_ROOT');
    expect(treeOf(ground.outside)).toEqual(['moved', 'secret.txt']);
  });

  test('once disposed of, nothing works: its descriptor may be any other file by now', async () => {
    using ground = createPlayground();
    const files = openFsRoot({ root: ground.root });
    files[Symbol.dispose]();
    using other = openFsRoot({ root: ground.outside });
    await expect(files.readFile('secret.txt', { limit: 99 }, signal())).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    files[Symbol.dispose]();
    const { bytes } = await other.readFile('secret.txt', { limit: 99 }, signal());
    expect(text(bytes)).toBe(SECRET);
  });

  test.each([
    ['missing', (ground: Playground) => ground.at('none')],
    ['a file', (ground: Playground) => path.join(ground.outside, 'secret.txt')],
  ])('a root that is %s is not opened', (_, root) => {
    using ground = createPlayground();
    expect(() => openFsRoot({ root: root(ground) })).toThrow('The project folder cannot be opened.');
  });
});

describe('descriptors', () => {
  test('none is left open, whatever happens', async () => {
    using ground = createPlayground();
    plantTrouble(ground);
    const count = () => readdirSync('/proc/self/fd').length;
    await useEverything(ground);
    await setImmediate();
    const before = count();
    for (let round = 0; round < 20; round += 1) await useEverything(ground);
    await setImmediate();
    expect(count()).toBe(before);
  });
});

function plantTrouble(ground: Playground): void {
  mkdirSync(ground.at('d/e'), { recursive: true });
  mkdirSync(ground.at('.git'));
  writeFileSync(ground.at('d/e/f'), 'inside');
  writeFileSync(ground.at('long'), Buffer.alloc(600_000));
  symlinkSync('../outside', ground.at('out'));
  symlinkSync('circle', ground.at('circle'));
  execFileSync('mkfifo', [ground.at('d/fifo')]);
}

/** Every way in and every way to fail that there is, each one ending well or badly. */
async function useEverything(ground: Playground): Promise<void> {
  using files = openFsRoot({ root: ground.root });
  const names = ['d/e/f', 'd/e', 'd/fifo', 'd/none', 'd/none/f', 'd/e/f/x', 'out/secret.txt', 'circle', 'd/../..', 'long'];
  const aborted = AbortSignal.abort(new Error('enough'));
  const work = names.flatMap((name) => [
    files.readFile(name, { limit: 1_000_000 }, signal()),
    files.readFile(name, { offset: 9_999_999, limit: 10 }, signal()),
    files.readFile(name, { limit: 10 }, aborted),
    files.writeFile(`${name}/../.git/x`, { bytes: Buffer.from('x'), signal: signal() }),
    files.writeFile(`${name}/new/.git`, { bytes: Buffer.from('x'), signal: signal() }),
    files.listDirectory(name, { recursive: true, limit: 1, signal: signal() }),
    files.listDirectory(name, { recursive: true, limit: 100, signal: signal() }),
    files.searchFiles(name, { onLine: () => true, view: plainView, signal: signal() }),
    files.searchFiles(name, { glob: '*.none', onLine: () => true, view: plainView, signal: signal() }),
  ]);
  const late = new AbortController();
  work.push(files.readFile('long', { limit: 600_000 }, late.signal));
  const writing = [
    files.writeFile('d/new', { bytes: Buffer.alloc(600_000), signal: late.signal }),
    files.writeFile('d/e/f', { bytes: Buffer.from('inside'), signal: signal() }),
    files.writeFile('d/fifo', { bytes: Buffer.from('x'), signal: signal() }),
  ];
  late.abort(new Error('enough'));
  await Promise.allSettled([...work, ...writing, files.sweepTemporaryFiles(signal())]);
  expect(() => openFsRoot({ root: ground.root, alsoProtected: [''] })).toThrow();
}

/** As a user whom permissions bind: root is bound by none. */
async function asUnprivileged(ground: Playground, work: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0;
  if (!isRoot) return await work();
  for (const name of ['', ...treeOf(ground.root)]) chownSync(ground.at(name), UNPRIVILEGED, UNPRIVILEGED);
  process.seteuid?.(UNPRIVILEGED);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

/** Bytes that fail as a full disk does, once some of them are asked for again. */
class FullDisk extends Uint8Array {
  #asked = 0;

  override get length(): number {
    this.#asked += 1;
    if (this.#asked > 3) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    return super.length;
  }
}
