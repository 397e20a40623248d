import { expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { DevsError, type PathRules } from '@devs/core';
import { openFsRoot } from '../open-fs-root.ts';
import { settingsOf } from './contract-rules.ts';
import { createPlayground, signal } from './playground.ts';

type Row = readonly [path: string, access: 'read' | 'write', code: string | undefined, rules?: Partial<PathRules>];

/** `undefined`: only the disk tells, so that the walk has to. */
const ROWS: readonly Row[] = [
  ['a.txt', 'read', undefined],
  ['missing/deep/b.txt', 'write', undefined],
  ['../x', 'read', 'PATH_OUTSIDE_ROOT'],
  ['./../x', 'read', 'PATH_OUTSIDE_ROOT'],
  ['/etc/passwd', 'read', 'PATH_OUTSIDE_ROOT'],
  ['src/../../x', 'read', undefined],
  ['a\0b', 'read', 'PATH_REFUSED'],
  ['', 'read', 'PATH_REFUSED'],
  ['state/key', 'read', 'PATH_PROTECTED'],
  ['STATE/key', 'read', 'PATH_PROTECTED'],
  ['.git/config', 'read', undefined],
  ['.git/config', 'write', 'PATH_PROTECTED'],
  ['deep/.VSCODE/tasks.json', 'write', 'PATH_PROTECTED'],
  ['lock.json', 'write', 'PATH_PROTECTED'],
  ['private/key', 'read', 'PATH_BLOCKED', { blocked: ['private'] }],
  ['a.txt', 'read', 'PATH_NOT_ALLOWED', { allowed: ['src'] }],
  ['src', 'read', undefined, { allowed: ['src/deep'] }],
  ['src/deep/x', 'read', undefined, { allowed: ['src/deep'] }],
  ['a/b/c', 'read', undefined, { maxDepth: 1 }],
  // Only the disk tells where `..` leads: `a` may be a link.
  ['a/../.git/config', 'write', undefined],
];

function codeOf(run: () => void): string | undefined {
  try {
    run();
    return undefined;
  } catch (cause) {
    return DevsError.is(cause) ? cause.code : String(cause);
  }
}

test.each(ROWS)('%j, to %s: %s before anything is looked up', (path, access, code, rules = {}) => {
  using ground = createPlayground();
  using root = openFsRoot({ root: ground.root, alsoProtected: ['lock.json'], protectedFolders: [ground.at('state')] });
  expect(codeOf(() => root.refuseSpelling(path, settingsOf(rules), access))).toBe(code);
});

test('an absolute path is judged in each spelling of the root', () => {
  using ground = createPlayground();
  using root = openFsRoot({ root: ground.root });
  for (const spelling of root.spellings) {
    expect(codeOf(() => root.refuseSpelling(`${spelling}/a.txt`, settingsOf({}), 'write'))).toBeUndefined();
    expect(codeOf(() => root.refuseSpelling(`${spelling}-evil/a.txt`, settingsOf({}), 'write'))).toBe('PATH_OUTSIDE_ROOT');
  }
});

test.each(ROWS)('%j, to %s: what is refused so, a walk refuses too, in the same words', async (path, access, code, rules = {}) => {
  if (code === undefined) return;
  using ground = createPlayground();
  for (const folder of ['state', 'private', 'src/deep', '.git', 'deep/.VSCODE']) mkdirSync(ground.at(folder), { recursive: true });
  for (const file of ['private/key', 'state/key', '.git/config']) writeFileSync(ground.at(file), '');
  symlinkSync('src', ground.at('link'));
  using root = openFsRoot({ root: ground.root, alsoProtected: ['lock.json'], protectedFolders: [ground.at('state')] });
  const settings = settingsOf(rules);
  const tool = root.forTool(settings);
  const walked: unknown = await (access === 'read' ? tool.readFile(path, { limit: 10 }, signal()) : tool.writeFile(path, { bytes: Buffer.from(''), signal: signal() })).catch((cause: unknown) => cause);
  let spelled: unknown;
  try {
    root.refuseSpelling(path, settings, access);
  } catch (cause) {
    spelled = cause;
  }
  const toWords = (cause: unknown) => (DevsError.is(cause) ? [cause.code, cause.sentence, cause.decidedBy] : cause);
  expect(toWords(walked)).toEqual(toWords(spelled));
});
