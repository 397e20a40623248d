import { expect, it } from '@jest/globals';
import { DEFAULT_CONFIG } from '../../config/defaults.ts';
import { checkConfig } from '../../config/schema.ts';
import { UntrustedPaths } from '../untrusted-paths.ts';

it.each<[string, boolean]>([
  ['node_modules/a/index.js', true],
  ['packages/app/node_modules/a/README.md', true],
  ['vendor/x', true],
  ['.venv/lib/x.py', true],
  ['third_party/x', true],
  ['Node_Modules/x', true],
  ['VENDOR/x', true],
  ['node_modules./x', true],
  ['node_modules::$INDEX_ALLOCATION/x', true],
  ['node\u200b_modules/x', true],
  ['NODE_M~1/x', true],
  ['.VENV/x', true],
  ['src/node_modules', true],
  ['src/node_modules.ts', false],
  ['src/vendors/x', false],
  ['my-vendor/x', false],
  ['README.md', false],
  ['', false],
])('%j by default: %s', (path, expected) => {
  expect(new UntrustedPaths(DEFAULT_CONFIG.labels.untrustedPaths).includes(path)).toBe(expected);
});

it.each<[string, string, boolean]>([
  ['docs/upstream', 'docs/upstream/a.md', true],
  ['docs/upstream', 'x/docs/upstream/a.md', true],
  ['docs/upstream', 'docs/a/upstream/a.md', false],
  ['docs/upstream', 'upstream/docs', false],
  ['*.egg-info', 'a/x.egg-info/PKG-INFO', true],
  ['*.egg-info', 'a/xegg-info/PKG-INFO', false],
  ['pkg*', 'pkg-1/x', true],
  ['a*b*c', 'aXbYc', true],
  ['*', 'anything', true],
  ['a.b', 'axb', false],
  ['a+(b)[c]', 'a+(b)[c]/x', true],
])('%j of a configuration, %j: %s', (pattern, path, expected) => {
  expect(new UntrustedPaths([pattern]).includes(path)).toBe(expected);
});

it('takes no time for a name that was made to take long', () => {
  const paths = new UntrustedPaths([`${'a*'.repeat(100)}b`]);
  expect(paths.includes('a'.repeat(255))).toBe(false);
});

it.each<[string, boolean]>([
  ['a', true],
  ['a/b', true],
  ['.venv', true],
  ['..a', true],
  ['', false],
  ['/', false],
  ['/a', false],
  ['a/', false],
  ['a//b', false],
  ['.', false],
  ['a/../b', false],
  ['a\\b', false],
  ['a\u0000', false],
])('the configuration takes %j: %s', (pattern, expected) => {
  expect(checkConfig({ labels: { untrustedPaths: [pattern] } }).ok).toBe(expected);
});
