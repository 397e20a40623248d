import { expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync } from 'node:fs';
import type { PathRules } from '@devs/core';
import { openFsRoot } from '../open-fs-root.ts';
import { settingsOf } from './contract-rules.ts';
import { createPlayground, signal } from './playground.ts';

test.each<[string, Partial<PathRules>, string]>([
  ['private/key', { blocked: ['private'] }, 'files.blocked: "private"'],
  ['private/key', { allowed: ['src'] }, 'files.allowed: "src"'],
  ['a/b/c', { maxDepth: 1 }, 'files.maxDepth: 1'],
  ['link/x', { symlinks: 'refuse' }, 'files.symlinks: "refuse"'],
  ['.git/config', {}, 'files.protected, built in: ".git"'],
  ['lock.json', {}, 'files.protected: "lock.json"'],
  ['state/key', {}, 'a folder of devs itself, built in'],
])('what refused %s under %j travels beside the sentence, for the log alone', async (name, rules, decidedBy) => {
  using ground = createPlayground();
  mkdirSync(ground.at('private'));
  symlinkSync('private', ground.at('link'));
  using root = openFsRoot({ root: ground.root, alsoProtected: ['lock.json'], protectedFolders: [ground.at('state')] });
  const writing = root.forTool(settingsOf(rules)).writeFile(name, { bytes: Buffer.from(''), signal: signal() });
  const error: unknown = await writing.catch((cause: unknown) => cause);
  expect(error).toMatchObject({ decidedBy, sentence: expect.not.stringMatching(/files\.|built in/) });
});
