import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { DEFAULT_TOOL_SETTINGS, type FsRoot, type SearchedLine } from '@devs/core';
import type { GuardedFsRoot } from '../guarded-fs-root.ts';
import { openFsRoot } from '../open-fs-root.ts';
import { createPlayground, plainView, signal, type Playground } from './playground.ts';

// Whose words an answer holds is judged by the file that was read, wherever links have led.

let ground: Playground;
let root: GuardedFsRoot;
let told: string[];
let files: FsRoot;

beforeEach(() => {
  ground = createPlayground();
  for (const name of ['src/a.txt', 'node_modules/b/c.txt']) {
    mkdirSync(path.dirname(ground.at(name)), { recursive: true });
    writeFileSync(ground.at(name), `words of ${name}\n`);
  }
  symlinkSync('../node_modules/b/c.txt', ground.at('src/link.txt'));
  symlinkSync('node_modules/b', ground.at('folder'));
  root = openFsRoot({ root: ground.root });
  told = [];
  files = root.forTool(DEFAULT_TOOL_SETTINGS, (name) => told.push(name));
});
afterEach(() => {
  root[Symbol.dispose]();
  ground[Symbol.dispose]();
});

const C = 'node_modules/b/c.txt';

it.each<[string, (name: string) => Promise<unknown>]>([
  ['readFile', async (name) => files.readFile(name, { limit: 10 }, signal())],
  ['readLines', async (name) => files.readLines(name, { startLine: 1, limit: 10 }, signal())],
  ['editFile', async (name) => files.editFile(name, (content) => ({ content }), signal())],
  ['writeFile, where what is there is looked at', async (name) => files.writeFile(name, { bytes: Buffer.from('x'), judge: () => undefined, signal: signal() })],
  ['searchFiles', async (name) => files.searchFiles(name, { view: plainView, onLine: () => true, signal: signal() })],
])('%s tells which file it was, links followed', async (_, operation) => {
  for (const [name, expected] of [['src/a.txt', 'src/a.txt'], ['src/link.txt', C], ['folder/c.txt', C], [ground.at('folder/c.txt'), C]] as const) {
    told.length = 0;
    await operation(name);
    expect(told).toEqual([expected]);
  }
});

it('the editor hears of it before it is shown the file', async () => {
  const heard: (readonly string[])[] = [];
  await files.editFile('src/link.txt', (content) => (heard.push([...told]), { content }), signal());
  await files.writeFile('src/link.txt', { bytes: Buffer.from('x'), judge: () => heard.push([...told]), signal: signal() });
  expect(heard).toEqual([[C], [C, C]]);
  expect(readFileSync(ground.at(C), 'utf8')).toBe('x');
});

it.each<[string, (line: SearchedLine) => boolean | 'miss', readonly string[]]>([
  ['none of a miss', () => 'miss', []],
  ['of the lines that are shown', (line) => (line.path.startsWith('src') ? true : 'miss'), ['src/a.txt']],
  ['of the line with which it was enough', () => false, [C]],
])('a search tells %s', async (_, onLine, expected) => {
  await files.searchFiles('.', { view: plainView, onLine, glob: '{a,c}.txt', signal: signal() });
  expect(told).toEqual(expected);
});

it.each<[string, string, boolean, readonly string[]]>([
  ['of no folder but those whose entries are shown', '.', false, []],
  ['of a folder, links followed', 'folder', false, ['node_modules/b']],
  ['of each folder of a tree', '.', true, ['node_modules', 'node_modules/b', 'src']],
])('a listing tells %s', async (_, name, recursive, expected) => {
  await files.listDirectory(name, { recursive, limit: 100, signal: signal() });
  expect(told).toEqual(expected);
});
