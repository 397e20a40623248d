import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import type { PathRules } from '@devs/core';
import type { GuardedFsRoot, ToolFiles } from '../guarded-fs-root.ts';
import { openFsRoot } from '../open-fs-root.ts';
import { leaksEventually, outcomesUnderAttack, startAttacker } from './attacker.ts';
import { settingsOf } from './contract-rules.ts';
import { createPlayground, plainView, SECRET, signal, text, treeOf, type Playground } from './playground.ts';

const ROUNDS = 5_000;
const REFUSALS = ['PATH_BLOCKED', 'PATH_NOT_ALLOWED', 'PATH_REFUSED', 'FILE_NOT_FOUND', 'NOT_A_REGULAR_FILE', 'NOT_A_DIRECTORY', 'FILE_CHANGED', 'PATH_OUTSIDE_ROOT'];

const RULES: readonly (readonly [name: string, rules: Partial<PathRules>, refusal: string])[] = [
  ['blocked', { blocked: ['private'] }, 'PATH_BLOCKED'],
  ['not allowed', { allowed: ['spot', 'leaf', 'free'] }, 'PATH_NOT_ALLOWED'],
  ['behind a link, and links are refused', { symlinks: 'refuse' }, 'PATH_REFUSED'],
];

/*
 * The border now runs through the root: an attacker with a process of its own swaps a folder, and a file,
 * for links to what the rules keep from the tool. The naive twin shows that the attack is real.
 */
describe('a folder and a link to what is kept from the tool change places', () => {
  let ground: Playground;
  let root: GuardedFsRoot;
  let attacker: AsyncDisposable;

  beforeEach(async () => {
    ground = createPlayground();
    mkdirSync(ground.at('private'));
    writeFileSync(ground.at('private/file.txt'), SECRET);
    root = openFsRoot({ root: ground.root });
    attacker = await startAttacker(ground, 'private');
  });
  afterEach(async () => {
    await attacker[Symbol.asyncDispose]();
    root[Symbol.dispose]();
    ground[Symbol.dispose]();
  });

  describe.each(RULES)('%s', (_, rules, refusal) => {
    test.each([
      ['read', async (files: ToolFiles) => text((await files.readFile('spot/file.txt', { limit: 99 }, signal())).bytes)],
      ['read as a link', async (files: ToolFiles) => text((await files.readFile('leaf', { limit: 99 }, signal())).bytes)],
      ['searched', async (files: ToolFiles) => await searchAll(files)],
    ])('is not %s', async (_name, read) => {
      const files = root.forTool(settingsOf(rules));
      const seen = await outcomesUnderAttack({ call: async () => await read(files), rounds: ROUNDS, awaited: ['inside', refusal] });
      expect([...seen].filter((outcome) => !REFUSALS.includes(outcome))).toEqual(['inside']);
      expect(seen).toContain(refusal);
      expect(leaksEventually(() => readNaively(ground) === SECRET)).toBe(true);
    });

    test('is not written', async () => {
      const files = root.forTool(settingsOf(rules));
      const call = async (round: number) => {
        if (round % 2 === 0) return text((await files.editFile('leaf', (content) => ({ content }), signal())).content);
        await files.writeFile('spot/out.txt', { bytes: Buffer.from('x'), signal: signal() });
        return 'written';
      };
      const seen = await outcomesUnderAttack({ call, rounds: ROUNDS / 8, awaited: ['written', 'inside', refusal] });
      for (const word of ['written', 'inside', refusal]) expect(seen).toContain(word);
      // Empty: the attacker was making its file anew.
      expect([...seen].filter((outcome) => ![...REFUSALS, 'written', 'inside', ''].includes(outcome))).toEqual([]);
      expect(treeOf(ground.at('private'))).toEqual(['file.txt']);
      expect(readFileSync(ground.at('private/file.txt'), 'utf8')).toBe(SECRET);
    });
  });
});

async function searchAll(files: ToolFiles): Promise<string> {
  const lines = new Set<string>();
  await files.searchFiles('spot', {
    onLine: (line) => {
      lines.add(line.text);
      return true;
    },
    view: plainView,
    signal: signal(),
  });
  // Nothing, when the file was away for the moment.
  return [...lines].join(' ') || 'FILE_NOT_FOUND';
}

/** The common mistake: ask where the path leads, then use the path. */
function readNaively(ground: Playground): string | undefined {
  try {
    const file = ground.at('spot/file.txt');
    return realpathSync(file).startsWith(ground.at('private')) ? undefined : readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
