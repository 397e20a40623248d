import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkReferences, staleReferences } from '../references.mjs';
import { checkUnused } from '../unused.mjs';

const said = (findings) => findings.map(({ file, message }) => `${file} ${message}`).join('\n');
const manifest = (name, { dependencies = {}, ...rest } = {}) => JSON.stringify({ name: `@devs/${name}`, dependencies, ...rest });
const cli = manifest('cli', { bin: { devs: 'dist/main.js' }, dependencies: { '@devs/core': 'workspace:*' } });
const workspace = (extra) =>
  new Map(Object.entries({ 'packages/cli/package.json': cli, 'packages/cli/src/main.ts': 'import "@devs/core/container";', 'packages/core/package.json': manifest('core'), ...extra }));

const red = [
  ['a package that nothing imports', { 'packages/x/package.json': manifest('x') }, 'packages/x/package.json No package imports @devs/x'],
  ['a package that only its own sources import', { 'packages/x/package.json': manifest('x'), 'packages/x/src/a.ts': 'import "@devs/x";' }, 'No package imports @devs/x'],
  ['a package that only tests import', { 'packages/x/package.json': manifest('x'), 'packages/cli/src/__tests__/a.test.ts': 'import "@devs/x";' }, 'No package imports @devs/x'],
  ['a dependency that nothing imports', { 'packages/core/package.json': manifest('core', { dependencies: { ajv: 'catalog:' } }) }, 'packages/core/package.json ajv is a dependency that no source'],
  ['a dependency that only another package imports', { 'packages/core/package.json': manifest('core', { dependencies: { ajv: 'catalog:' } }), 'packages/cli/src/a.ts': 'import "ajv";' }, 'ajv is a dependency'],
];

for (const [name, extra, message] of red) {
  test(`unused refuses: ${name}`, () => {
    const text = said(checkUnused(workspace(extra)));
    assert.ok(text.includes(message), text);
  });
}

const green = [
  ['a package that a subpath is imported of, and a command that nobody imports', {}],
  ['a package that is imported for its types', { 'packages/x/package.json': manifest('x'), 'packages/cli/src/a.ts': 'import type { X } from "@devs/x";' }],
  ['a dependency that is loaded later', { 'packages/core/package.json': manifest('core', { dependencies: { ajv: 'catalog:' } }), 'packages/core/src/a.ts': 'await import("ajv/dist/2020.js");' }],
];

for (const [name, extra] of green) test(`unused allows: ${name}`, () => assert.equal(said(checkUnused(workspace(extra))), ''));

const config = (references) => ({ 'packages/cli/tsconfig.json': JSON.stringify({ include: ['src'], references }) });

test('references refuse one too few and one too many', () => {
  for (const references of [[], [{ path: '../core' }, { path: '../gone' }]]) {
    assert.match(said(checkReferences(workspace(config(references)))), /packages\/cli\/tsconfig\.json The references are not the dependencies/);
  }
});

test('references: what is written is what is checked, and the rest stays', () => {
  const files = workspace(config([]));
  const text = staleReferences(files).get('packages/cli/tsconfig.json');
  assert.deepEqual(JSON.parse(text), { include: ['src'], references: [{ path: '../core' }] });
  assert.equal(said(checkReferences(new Map([...files, ['packages/cli/tsconfig.json', text]]))), '');
});
