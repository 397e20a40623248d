import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import type { SearchReport } from '@devs/core';
import type { GuardedFsRoot } from '../guarded-fs-root.ts';
import { openFsRoot } from '../open-fs-root.ts';
import { createPlayground, plainView, refusalOf, SECRET, signal, type Playground } from './playground.ts';

const onLinux = process.platform === 'linux' ? describe : describe.skip;

async function searchIn(files: GuardedFsRoot, name: string): Promise<[lines: string[], report: SearchReport]> {
  const lines: string[] = [];
  const onLine = (line: { path: string; text: string }) => lines.push(`${line.path}: ${line.text}`) > 0;
  return [lines, await files.searchFiles(name, { onLine, view: plainView, signal: signal() })];
}

describe('lines, edits and searches of what is no ordinary file', () => {
  let ground: Playground;
  let files: GuardedFsRoot;
  const same = (bytes: Uint8Array) => ({ content: bytes });

  beforeEach(() => {
    ground = createPlayground();
    files = openFsRoot({ root: ground.root });
  });
  afterEach(() => {
    files[Symbol.dispose]();
    ground[Symbol.dispose]();
  });

  test('a FIFO hangs nothing, and is not searched', async () => {
    execFileSync('mkfifo', [ground.at('fifo')]);
    writeFileSync(ground.at('z'), 'after it');
    await refusalOf(files.readLines('fifo', { startLine: 1, limit: 10 }, signal()), 'NOT_A_REGULAR_FILE');
    await refusalOf(files.editFile('fifo', same, signal()), 'NOT_A_REGULAR_FILE');
    await refusalOf(searchIn(files, 'fifo'), 'NOT_A_REGULAR_FILE');
    expect(await searchIn(files, '.')).toMatchObject([['z: after it'], { files: 1, unreadable: 0 }]);
  });

  test('nor is a socket, nor a .gitignore that is a FIFO', async () => {
    execFileSync('mkfifo', [ground.at('.gitignore')]);
    const server = createServer().listen(ground.at('socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    await refusalOf(files.editFile('socket', same, signal()), 'NOT_A_REGULAR_FILE');
    await refusalOf(searchIn(files, 'socket'), 'NOT_A_REGULAR_FILE');
    expect(await searchIn(files, '.')).toMatchObject([[], { files: 0 }]);
    server.close();
  });

  test('a hard link to a file outside: its bytes are searched, for they lie in the root; an edit leaves the other name alone', async () => {
    linkSync(path.join(ground.outside, 'secret.txt'), ground.at('hard'));
    expect((await searchIn(files, '.'))[0]).toEqual([`hard: ${SECRET}`]);
    await files.editFile('hard', () => ({ content: Buffer.from('mine') }), signal());
    expect(readFileSync(path.join(ground.outside, 'secret.txt'), 'utf8')).toBe(SECRET);
  });

  test('names with a line feed, a colon or bad bytes come as they are, or are counted', async () => {
    mkdirSync(ground.at('a\nb'));
    writeFileSync(ground.at('a\nb/c:1:d'), 'x');
    writeFileSync(Buffer.concat([Buffer.from(`${ground.root}/`), Buffer.from([0xff, 0xfe])]), 'x');
    const [lines, report] = await searchIn(files, '.');
    expect([lines, report.unreadable]).toEqual([['a\nb/c:1:d: x'], 1]);
  });

  test('of a tree deeper than a walk goes, what can be reached is searched, and the rest is told of', async () => {
    mkdirSync(ground.at('n/'.repeat(300)), { recursive: true });
    writeFileSync(ground.at('n/n/here'), 'x');
    expect(await searchIn(files, '.')).toMatchObject([['n/n/here: x'], { cut: 'entries' }]);
  });

  test('rules that take too much work end the search, and say so', async () => {
    writeFileSync(ground.at('.gitignore'), `*${'a'.repeat(120)}b\n`.repeat(530));
    for (let index = 0; index < 40; index += 1) writeFileSync(ground.at(`${'a'.repeat(240)}${String(index)}`), 'x');
    const [lines, report] = await searchIn(files, '.');
    expect([report.cut, lines.length < 40]).toEqual(['rules', true]);
  });
});

onLinux('files that have no size and yet content', () => {
  test('are searched to their end, and are not edited', async () => {
    using files = openFsRoot({ root: '/proc/self' });
    const [lines] = await searchIn(files, 'status');
    expect(lines[0]).toMatch(/^status: Name:/);
    expect((await files.readLines('status', { startLine: 3, limit: 1_000 }, signal())).bytes).toHaveLength(0);
    let asked = false;
    const edit = (bytes: Uint8Array) => {
      asked = true;
      return { content: bytes };
    };
    await refusalOf(files.editFile('status', edit, signal()), 'FILE_CHANGED');
    expect(asked).toBe(false);
  });
});
