import { expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createPlayground, signal, type Playground } from '../../__tests__/playground.ts';
import { PortablePlaces } from '../portable-places.ts';
import { ProtectedPatterns } from '../protected-patterns.ts';
import { Protection } from '../protection.ts';
import { TreeReader, type TreeOptions } from '../tree-reader.ts';
import { Walk } from '../walk.ts';

async function read(ground: Playground, options: Partial<TreeOptions>): Promise<[names: string[], incomplete: boolean]> {
  const reader = new TreeReader({ recursive: true, most: 99, scan: 99, isShown: () => true, signal: signal(), ...options });
  const protection = new Protection({ patterns: new ProtectedPatterns({ anywhere: [], atHome: [] }), folders: [] });
  using walk = new Walk({ places: new PortablePlaces(ground.root), protection }, []);
  const names: string[] = [];
  for await (const entry of reader.entries(walk)) names.push(entry.path);
  return [names, reader.incomplete];
}

function plant(ground: Playground): void {
  mkdirSync(ground.at('a/b'), { recursive: true });
  for (const name of ['a/b/c', 'a/d', 'e', 'f']) writeFileSync(ground.at(name), '');
}

test('looks at no more than it may, and says so', async () => {
  using ground = createPlayground();
  plant(ground);
  expect(await read(ground, {})).toEqual([['a', 'a/b', 'a/b/c', 'a/d', 'e', 'f'], false]);
  expect(await read(ground, { scan: 6 })).toEqual([['a', 'a/b', 'a/b/c', 'a/d', 'e', 'f'], false]);
  expect(await read(ground, { scan: 3 })).toEqual([['a', 'e', 'f'], true]);
});

test('holds no more of one folder than will be taken', async () => {
  using ground = createPlayground();
  for (let index = 0; index < 1_500; index += 1) writeFileSync(ground.at(String(index).padStart(4, '0')), '');
  const [names] = await read(ground, { recursive: false, most: 2, scan: 9_999 });
  expect(names).toEqual(['0000', '0001']);
});

test('what is not shown is not entered', async () => {
  using ground = createPlayground();
  plant(ground);
  expect(await read(ground, { isShown: (segments) => segments.join('/') !== 'a/b' })).toEqual([['a', 'a/d', 'e', 'f'], false]);
});

test('a tree deeper than a walk goes is listed as far as it goes', async () => {
  using ground = createPlayground();
  mkdirSync(ground.at('n/'.repeat(300)), { recursive: true });
  const [names, incomplete] = await read(ground, { most: 999, scan: 999 });
  expect([names.length, incomplete]).toEqual([257, true]);
});
