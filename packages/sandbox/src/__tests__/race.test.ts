import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SearchedLine } from '@devs/core';
import type { GuardedFsRoot } from '../guarded-fs-root.ts';
import { openFsRoot } from '../open-fs-root.ts';
import { leaksEventually, outcomeOf, startAttacker } from './attacker.ts';
import { createPlayground, plainView, SECRET, signal, text, treeOf, type Playground } from './playground.ts';

const TIMEOUT_MS = 120_000;

/** What may happen to a call under this attack; anything else is a finding. */
const REFUSALS = new Set(['PATH_OUTSIDE_ROOT', 'FILE_NOT_FOUND', 'NOT_A_REGULAR_FILE', 'NOT_A_DIRECTORY']);

/*
 * An attacker with a process of its own swaps a folder, and a file, for links to the outside. Each test
 * has a naive twin under the same attacker, which must leak: it shows that the attack is real, and
 * that the test is able to fail.
 */
describe('a folder and a link to the outside change places', () => {
  let ground: Playground;
  let files: GuardedFsRoot;
  let attacker: AsyncDisposable;

  beforeEach(async () => {
    ground = createPlayground();
    writeFileSync(path.join(ground.outside, 'file.txt'), SECRET);
    files = openFsRoot({ root: ground.root });
    attacker = await startAttacker(ground);
  });
  afterEach(async () => {
    await attacker[Symbol.asyncDispose]();
    files[Symbol.dispose]();
    ground[Symbol.dispose]();
  });

  test.each(['spot/file.txt', 'leaf'])('readFile(%s): no leak in 30,000 reads each', async (name) => {
    const seen = new Map<string, number>();
    for (let round = 0; round < 30_000; round += 1) {
      count(seen, await outcomeOf(readText(files, name)));
    }
    const naive = leaksEventually(() => readNaively(ground, name) === SECRET);
    expect([...seen.keys()].filter((key) => !REFUSALS.has(key))).toEqual(['inside']);
    expect(seen.get('PATH_OUTSIDE_ROOT')).toBeGreaterThan(0);
    expect(naive).toBe(true);
  }, TIMEOUT_MS);

  test('writeFile: nothing is made outside', async () => {
    const before = treeOf(ground.outside);
    const seen = new Map<string, number>();
    for (let round = 0; round < 1_500; round += 1) {
      count(seen, await outcomeOf(files.writeFile('spot/out.txt', { bytes: Buffer.from('x'), signal: signal() }).then(() => 'written')));
    }
    expect(treeOf(ground.outside)).toEqual(before);
    expect([...seen.keys()].filter((key) => !REFUSALS.has(key))).toEqual(['written']);
    expect(leaksEventually(() => leaksByWriting(ground))).toBe(true);
  }, TIMEOUT_MS);

  test.each(['spot/file.txt', 'leaf'])('editFile(%s): nothing outside is read or changed', async (name) => {
    const before = treeOf(ground.outside);
    const edited: string[] = [];
    const edit = (bytes: Uint8Array) => {
      edited.push(text(bytes));
      return { content: Buffer.from('inside') };
    };
    const seen = new Map<string, number>();
    for (let round = 0; round < 1_500; round += 1) {
      count(seen, await outcomeOf(files.editFile(name, edit, signal()).then(() => 'edited')));
    }
    expect(treeOf(ground.outside)).toEqual(before);
    expect(readFileSync(path.join(ground.outside, 'file.txt'), 'utf8')).toBe(SECRET);
    // Empty: the attacker was making its file anew.
    expect(edited.filter((content) => content !== 'inside' && content !== '')).toEqual([]);
    // PATH_REFUSED: a link where the file was, in the moment in which devs asks whether it may be written.
    const refusals = new Set([...REFUSALS, 'FILE_CHANGED', 'PATH_REFUSED']);
    expect([...seen.keys()].filter((key) => !refusals.has(key))).toEqual(['edited']);
    expect(leaksEventually(() => readNaively(ground, name) === SECRET)).toBe(true);
  }, TIMEOUT_MS);

  test('searchFiles: no line from outside', async () => {
    const seen = new Map<string, number>();
    for (let round = 0; round < 6_000; round += 1) {
      count(seen, await outcomeOf(searchLines(files, ['.', 'spot', 'leaf'][round % 3] ?? '.')));
    }
    const lines = new Set([...seen.keys()].flatMap((key) => key.split(' ')).filter((key) => !REFUSALS.has(key) && key !== ''));
    expect([...lines].filter((line) => !line.endsWith('=inside'))).toEqual([]);
    expect(lines).toContain('spot/file.txt=inside');
    expect(lines).toContain('leaf=inside');
    expect(leaksEventually(() => readNaively(ground, 'spot/file.txt') === SECRET)).toBe(true);
  }, TIMEOUT_MS);

  test('listDirectory: no name from outside', async () => {
    const seen = new Map<string, number>();
    for (let round = 0; round < 10_000; round += 1) {
      count(seen, await outcomeOf(listNames(files, round % 2 === 0 ? 'spot' : '.')));
    }
    const names = new Set([...seen.keys()].flatMap((key) => key.split(' ')).filter((key) => !REFUSALS.has(key)));
    expect([...names].filter((name) => name.includes('secret'))).toEqual([]);
    expect(names).toContain('file.txt');
    expect(names).toContain('spot/file.txt');
    expect(leaksEventually(() => listNaively(ground).includes('secret.txt'))).toBe(true);
  }, TIMEOUT_MS);
});

async function readText(files: GuardedFsRoot, name: string): Promise<string> {
  return text((await files.readFile(name, { limit: 100 }, signal())).bytes);
}

async function listNames(files: GuardedFsRoot, name: string): Promise<string> {
  const { entries } = await files.listDirectory(name, { recursive: true, limit: 100, signal: signal() });
  return entries.map((entry) => entry.path).join(' ');
}

async function searchLines(files: GuardedFsRoot, name: string): Promise<string> {
  const lines: string[] = [];
  const onLine = (line: SearchedLine) => lines.push(`${line.path}=${line.text}`) > 0;
  await files.searchFiles(name, { onLine, view: plainView, signal: signal() });
  return lines.join(' ');
}

function count(seen: Map<string, number>, key: string): void {
  seen.set(key, (seen.get(key) ?? 0) + 1);
}

/** The common mistake: ask where the path leads, then use the path. */
function checkNaively(ground: Playground, name: string): string {
  const file = ground.at(name);
  if (!realpathSync(file).startsWith(`${ground.root}/`)) throw new Error('outside');
  return file;
}

function readNaively(ground: Playground, name: string): string | undefined {
  return attempt(() => readFileSync(checkNaively(ground, name), 'utf8'));
}

function leaksByWriting(ground: Playground): boolean {
  attempt(() => {
    writeFileSync(path.join(checkNaively(ground, 'spot'), 'naive.txt'), 'x');
  });
  return readdirSync(ground.outside).includes('naive.txt');
}

function listNaively(ground: Playground): readonly string[] {
  return attempt(() => readdirSync(checkNaively(ground, 'spot'))) ?? [];
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
