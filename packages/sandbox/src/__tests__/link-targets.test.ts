import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { openFsRoot, type FsRootOptions } from '../open-fs-root.ts';
import { createPlayground } from './playground.ts';

/** Links, what is protected by them, and what is not. */
const ROWS: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[], readonly string[]])[] = [
  ['a file', { '.mcp.json': 'tools/mcp.json' }, ['tools/mcp.json', 'TOOLS/mcp.json'], ['tools/x', 'mcp.json']],
  ['a folder', { '.vscode': 'conf/code' }, ['conf/code/tasks.json', 'conf/code/a/b'], ['conf/x']],
  ['a link, and on from there', { '.mcp.json': 'tools/next', 'tools/next': '../conf/mcp.json' }, ['tools/next', 'conf/mcp.json'], ['conf/x', 'tools/x']],
  ['what is not there', { '.mcp.json': 'later/mcp.json' }, ['later/mcp.json'], ['later/x']],
  ['what a pattern of two names stands for, not yet', { '.github': 'hub' }, [], ['hub/x']],
  ['the root, a folder around it, or itself', { '.vscode': '.', '.idea': '..', '.husky': '.husky' }, [], ['x', 'a/x']],
  ['an ordinary name', { ordinary: 'a/b' }, [], ['a/b']],
  ['below the top', { 'a/.mcp.json': '../tools/mcp.json' }, [], ['tools/mcp.json']],
];

async function open(links: Readonly<Record<string, string>>, options: Omit<FsRootOptions, 'root'> = {}) {
  const ground = createPlayground();
  for (const [name, target] of Object.entries(links)) {
    mkdirSync(path.dirname(ground.at(name)), { recursive: true });
    symlinkSync(target, ground.at(name));
  }
  const files = openFsRoot({ root: ground.root, ...options });
  const judge = async (name: string) => {
    mkdirSync(path.dirname(ground.at(name)), { recursive: true });
    return files.writeFile(name, { bytes: Buffer.from('x'), signal: new AbortController().signal }).then(() => 'written', (error: unknown) => Reflect.get(Object(error), 'code'));
  };
  return { ground, judge, [Symbol.dispose]: () => (files[Symbol.dispose](), ground[Symbol.dispose]()) };
}

it.each(ROWS)('a protected link at the top protects what it leads to: %s', async (_, links, held, free) => {
  using scene = await open(links);
  for (const name of held) expect([name, await scene.judge(name)]).toEqual([name, 'PATH_PROTECTED']);
  for (const name of free) expect([name, await scene.judge(name)]).toEqual([name, 'written']);
});

it('in a home folder of the root as well, and not where the operator has lifted the name', async () => {
  using lifted = await open({ 'me/.gitconfig': '../dotfiles/gitconfig', '.npmrc': 'conf/npmrc' }, { writable: ['.npmrc'] });
  expect([await lifted.judge('dotfiles/gitconfig'), await lifted.judge('conf/npmrc')]).toEqual(['written', 'written']);
  using home = openFsRoot({ root: lifted.ground.root, homes: [lifted.ground.at('me')] });
  const writing = home.writeFile('dotfiles/gitconfig', { bytes: Buffer.from('x'), signal: new AbortController().signal });
  await expect(writing).rejects.toMatchObject({ code: 'PATH_PROTECTED', decidedBy: expect.stringContaining('.gitconfig') });
});

it('in the folders of settings of a home folder as well, beside files', async () => {
  const links = { 'me/.ssh/config': '../../dotfiles/ssh', 'me/.config/fish': '../../dotfiles/fish', 'me/.config/git/config': '../../../dotfiles/git', 'me/projects/a/.x': '../../../free', 'me/a/b': '../../free' };
  using scene = await open(links);
  using home = openFsRoot({ root: scene.ground.root, homes: [scene.ground.at('me')] });
  const judge = async (name: string) => home.writeFile(name, { bytes: Buffer.from('x'), signal: new AbortController().signal }).then(() => 'written', (error: unknown) => Reflect.get(Object(error), 'code'));
  mkdirSync(scene.ground.at('dotfiles/fish'), { recursive: true });
  for (const name of ['ssh', 'fish/config.fish', 'git']) expect([name, await judge(`dotfiles/${name}`)]).toEqual([name, 'PATH_PROTECTED']);
  for (const name of ['free', 'dotfiles/x']) expect([name, await judge(name)]).toEqual([name, 'written']);
});

it.each([
  ['links', (index: number) => ({ [`${String(index)}.code-workspace`]: 'x' }), 2_001],
  ['places', (index: number) => ({ [`${String(index)}.code-workspace`]: `x/${String(index)}`, [`x/${String(index)}`]: `y${String(index)}` }), 1_001],
])('a project with more %s than devs can hold against each name is not opened', async (_, make, count) => {
  const links = Object.assign({}, ...Array.from({ length: count }, (__, index) => make(index)));
  await expect(open(links)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  using lifted = await open(links, { writable: ['*.code-workspace'] });
  expect(await lifted.judge('x/a')).toBe('written');
});
