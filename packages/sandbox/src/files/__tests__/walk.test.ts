import { expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { DEFAULT_CONFIG, PathReach, type PathRules } from '@devs/core';
import { createPlayground, type Playground } from '../../__tests__/playground.ts';
import { PortablePlaces } from '../portable-places.ts';
import { ProtectedPatterns } from '../protected-patterns.ts';
import { Protection } from '../protection.ts';
import { Walk } from '../walk.ts';

/** A walk as an operation makes it that forgets to ask anything itself. */
function walkIn(ground: Playground, rules: Partial<PathRules>, segments: readonly string[]): Walk {
  const places = new PortablePlaces(ground.root);
  const reach = new PathReach({ ...DEFAULT_CONFIG.files, ...rules }, places.spellings);
  return new Walk({ places, protection: new Protection({ patterns: new ProtectedPatterns({ anywhere: [], atHome: [] }), folders: [['state']] }).within(reach) }, segments);
}

function plant(ground: Playground): void {
  for (const folder of ['private', 'src', 'state']) mkdirSync(ground.at(folder));
  for (const file of ['private/key', 'src/a', 'way', 'state/log']) writeFileSync(ground.at(file), 'x');
  symlinkSync('private/key', ground.at('to-key'));
}

test.each<[string, Partial<PathRules>, string[]]>([
  ['PATH_BLOCKED', { blocked: ['private'] }, ['private']],
  ['PATH_BLOCKED', { blocked: ['private'] }, ['private', 'key']],
  ['PATH_BLOCKED', { blocked: ['to-key'] }, ['to-key']],
  ['PATH_NOT_ALLOWED', { allowed: ['src'] }, ['private', 'key']],
  ['PATH_NOT_ALLOWED', { allowed: ['src'] }, ['none']],
  ['PATH_REFUSED', { maxDepth: 1 }, ['src', 'a']],
  ['PATH_PROTECTED', {}, ['state', 'log']],
  ['PATH_PROTECTED', {}, ['state']],
])('a walk gives no name to an operation that may not have it: %s', (code, rules, segments) => {
  using ground = createPlayground();
  plant(ground);
  using walk = walkIn(ground, rules, segments);
  expect(() => walk.toLastName()).toThrow(code);
});

test('nor does it open what only leads to what is allowed, or follow a link where links are refused', () => {
  using ground = createPlayground();
  plant(ground);
  using way = walkIn(ground, { allowed: ['way/er'] }, ['way']);
  expect(way.toLastName()).toBe('way');
  expect(() => way.open('way')).toThrow('PATH_NOT_ALLOWED');
  using linked = walkIn(ground, { symlinks: 'refuse' }, ['to-key']);
  expect(linked.toLastName()).toBe('to-key');
  expect(() => linked.follow('to-key')).toThrow('PATH_REFUSED');
  using entered = walkIn(ground, { blocked: ['private'] }, []);
  expect(() => entered.enter('private')).toThrow('PATH_BLOCKED');
});
