import { describe, expect, test } from '@jest/globals';
import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ErrorCode, PathRules } from '@devs/core';
import type { Opened, Place } from '../files/places.ts';
import { PortablePlaces } from '../files/portable-places.ts';
import type { ToolFiles } from '../guarded-fs-root.ts';
import { createFsRoot, openFsRoot } from '../open-fs-root.ts';
import { settingsOf } from './contract-rules.ts';
import { createPlayground, refusalOf, SECRET, signal, text, treeOf, type Playground } from './playground.ts';

const UNPRIVILEGED = 65_534;

const read = async (files: ToolFiles, name: string) => text((await files.readFile(name, { limit: 99 }, signal())).bytes);
const list = async (files: ToolFiles) => {
  const { entries } = await files.listDirectory('.', { recursive: true, limit: 99, signal: signal() });
  return entries.map((entry) => entry.path);
};

function plant(ground: Playground): void {
  for (const folder of ['src', 'Private']) mkdirSync(ground.at(folder));
  writeFileSync(ground.at('src/a'), 'inside');
  writeFileSync(ground.at('Private/key'), SECRET);
}

test('a root that is a link is where the link led when it was opened', async () => {
  using ground = createPlayground();
  plant(ground);
  const alias = path.join(ground.base, 'alias');
  symlinkSync(ground.root, alias);
  using root = openFsRoot({ root: alias });
  const files = root.forTool(settingsOf({ blocked: [path.join(alias, 'private')] }));
  unlinkSync(alias);
  symlinkSync(ground.outside, alias);
  expect(await read(files, path.join(alias, 'src/a'))).toBe('inside');
  await refusalOf(read(files, path.join(alias, 'secret.txt')), 'FILE_NOT_FOUND');
  await refusalOf(read(files, ground.at('Private/key')), 'PATH_BLOCKED');
});

test('a root that is removed while it is served: nothing is found, nothing is made', async () => {
  using ground = createPlayground();
  plant(ground);
  using root = openFsRoot({ root: ground.root });
  const files = root.forTool(settingsOf({ allowed: ['src'], blocked: ['private'] }));
  rmSync(ground.root, { recursive: true });
  symlinkSync(ground.outside, ground.root);
  for (const work of [read(files, 'src/a'), read(files, ground.at('src/a')), files.writeFile('src/new', { bytes: Buffer.from('x'), signal: signal() })]) {
    await refusalOf(work, 'FILE_NOT_FOUND');
  }
  await refusalOf(read(files, 'secret.txt'), 'PATH_NOT_ALLOWED');
  expect(treeOf(ground.outside)).toEqual(['secret.txt']);
});

test('a root that may only be read is read, and every change is refused', async () => {
  using ground = createPlayground();
  plant(ground);
  using root = openFsRoot({ root: ground.root });
  for (const name of ['.', ...treeOf(ground.root)]) chmodSync(ground.at(name), 0o555);
  await asUnprivileged(ground, async () => {
    expect(await read(root, 'src/a')).toBe('inside');
    expect(await list(root)).toEqual(['Private', 'Private/key', 'src', 'src/a']);
    const changes: readonly (readonly [Promise<unknown>, ErrorCode])[] = [
      [root.writeFile('src/a', { bytes: Buffer.from('x'), signal: signal() }), 'PERMISSION_DENIED'],
      [root.writeFile('src/new', { bytes: Buffer.from('x'), signal: signal() }), 'PERMISSION_DENIED'],
      [root.writeFile('new/deep/er', { bytes: Buffer.from('x'), signal: signal() }), 'PERMISSION_DENIED'],
      [root.editFile('src/a', () => ({ content: Buffer.from('x') }), signal()), 'PERMISSION_DENIED'],
    ];
    await Promise.all(changes.map(async ([change, code]) => await refusalOf(change, code)));
  });
  for (const name of ['.', 'src', 'Private']) chmodSync(ground.at(name), 0o755);
  expect(treeOf(ground.root)).toEqual(['Private', 'Private/key', 'src', 'src/a']);
  expect(await read(root, 'src/a')).toBe('inside');
});

/** As a file system that takes upper and lower case for one: any spelling finds the entry. */
class FoldingPlaces extends PortablePlaces {
  override enter(from: Place, name: string): Place | undefined {
    return super.enter(from, this.#entryOf(from, name));
  }

  override open(from: Place, name: string): Opened {
    return super.open(from, this.#entryOf(from, name));
  }

  #entryOf(from: Place, name: string): string {
    const fold = (one: string) => one.normalize('NFKC').toLowerCase();
    return treeOf(from.path).find((entry) => fold(entry) === fold(name)) ?? name;
  }
}

describe('a root on a file system that folds case', () => {
  const spellings = ['Private/key', 'private/key', 'PRIVATE/KEY', 'pRIVATE/key', '\uFF30rivate/key'];
  const open = (ground: Playground) => createFsRoot(new FoldingPlaces(ground.root), {});

  test.each(spellings)('it is one: %s is found', async (name) => {
    using ground = createPlayground();
    plant(ground);
    using root = open(ground);
    expect(await read(root, name)).toBe(SECRET);
  });

  test.each(spellings)('no spelling gets past what is blocked, nor is one more allowed: %s', async (name) => {
    using ground = createPlayground();
    plant(ground);
    using root = open(ground);
    const rules: readonly Partial<PathRules>[] = ['private', 'PRIVATE', 'Private/', './pRivate', ground.at('PRIVATE')].map((entry) => ({ blocked: [entry] }));
    for (const rule of rules) {
      await refusalOf(read(root.forTool(settingsOf(rule)), name), 'PATH_BLOCKED');
      expect(await list(root.forTool(settingsOf(rule)))).toEqual(['src', 'src/a']);
    }
    await refusalOf(read(root.forTool(settingsOf({ allowed: ['src'] })), name), 'PATH_NOT_ALLOWED');
    expect(await read(root.forTool(settingsOf({ allowed: ['src'] })), 'src/A')).toBe('inside');
  });
});

/** As a user whom permissions bind: root is bound by none. */
async function asUnprivileged(ground: Playground, work: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return await work();
  for (const name of ['', ...treeOf(ground.root)]) chownSync(ground.at(name), UNPRIVILEGED, UNPRIVILEGED);
  process.seteuid?.(UNPRIVILEGED);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}
