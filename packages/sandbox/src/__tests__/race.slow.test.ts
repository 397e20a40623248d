import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SearchedLine } from '@devs/core';
import type { GuardedFsRoot } from '../guarded-fs-root.ts';
import { openFsRoot } from '../open-fs-root.ts';
import { leaksEventually, outcomesUnderAttack, startAttacker } from './attacker.ts';
import { createPlayground, plainView, SECRET, signal, text, treeOf, type Playground } from './playground.ts';


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
    const call = async () => await readText(files, name);
    const seen = await outcomesUnderAttack({ call, rounds: 30_000, awaited: ['inside', 'PATH_OUTSIDE_ROOT'] });
    expect(seen).toContain('PATH_OUTSIDE_ROOT');
    expect(noRefusals(seen)).toEqual(['inside']);
    expect(leaksEventually(() => readNaively(ground, name) === SECRET)).toBe(true);
  });

  test('writeFile: nothing is made outside', async () => {
    const before = treeOf(ground.outside);
    const call = async () => {
      await files.writeFile('spot/out.txt', { bytes: Buffer.from('x'), signal: signal() });
      return 'written';
    };
    const seen = await outcomesUnderAttack({ call, rounds: 1_500, awaited: ['written'] });
    expect(treeOf(ground.outside)).toEqual(before);
    expect(noRefusals(seen)).toEqual(['written']);
    expect(leaksEventually(() => leaksByWriting(ground))).toBe(true);
  });

  test.each(['spot/file.txt', 'leaf'])('editFile(%s): nothing outside is read or changed', async (name) => {
    const before = treeOf(ground.outside);
    const edited: string[] = [];
    const edit = (bytes: Uint8Array) => {
      edited.push(text(bytes));
      return { content: Buffer.from('inside') };
    };
    const call = async () => {
      await files.editFile(name, edit, signal());
      return 'edited';
    };
    const seen = await outcomesUnderAttack({ call, rounds: 1_500, awaited: ['edited'] });
    expect(treeOf(ground.outside)).toEqual(before);
    expect(readFileSync(path.join(ground.outside, 'file.txt'), 'utf8')).toBe(SECRET);
    // Empty: the attacker was making its file anew.
    expect(edited.filter((content) => content !== 'inside' && content !== '')).toEqual([]);
    // PATH_REFUSED: a link where the file was, in the moment in which devs asks whether it may be written.
    expect(noRefusals(seen, 'FILE_CHANGED', 'PATH_REFUSED')).toEqual(['edited']);
    expect(leaksEventually(() => readNaively(ground, name) === SECRET)).toBe(true);
  });

  test('searchFiles: no line from outside', async () => {
    const call = async (round: number) => await searchLines(files, ['.', 'spot', 'leaf'][round % 3] ?? '.');
    const awaited = ['spot/file.txt=inside', 'leaf=inside'];
    const lines = await outcomesUnderAttack({ call, rounds: 6_000, awaited });
    expect(noRefusals(lines).filter((line) => line !== '' && !line.endsWith('=inside'))).toEqual([]);
    for (const line of awaited) expect(lines).toContain(line);
    expect(leaksEventually(() => readNaively(ground, 'spot/file.txt') === SECRET)).toBe(true);
  });

  test('listDirectory: no name from outside', async () => {
    const call = async (round: number) => await listNames(files, round % 2 === 0 ? 'spot' : '.');
    const awaited = ['file.txt', 'spot/file.txt'];
    const names = await outcomesUnderAttack({ call, rounds: 10_000, awaited });
    expect([...names].filter((name) => name.includes('secret'))).toEqual([]);
    for (const name of awaited) expect(names).toContain(name);
    expect(leaksEventually(() => listNaively(ground).includes('secret.txt'))).toBe(true);
  });
});

/** What came of the calls that is neither a refusal that may happen under this attack nor one of `more`. */
function noRefusals(seen: ReadonlySet<string>, ...more: readonly string[]): string[] {
  return [...seen].filter((word) => !REFUSALS.has(word) && !more.includes(word));
}

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
