import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { isInstalled, writeStamp } from '../install.mjs';

let root;

function write(file, text) {
  const full = path.join(root, file);
  mkdirSync(path.dirname(full), { recursive: true });
  writeFileSync(full, text);
}

beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'devs install '));
  write('pnpm-lock.yaml', 'lock 1');
  write('pnpm-workspace.yaml', 'packages: []');
  write('package.json', '{"devDependencies":{"turbo":"1"}}');
  write('packages/core/package.json', '{"dependencies":{"ajv":"1"}}');
  write('node_modules/.modules.yaml', 'modules');
  write('node_modules/turbo/package.json', '{}');
  write('packages/core/node_modules/ajv/package.json', '{}');
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

test('without a stamp nothing counts as installed', () => {
  assert.equal(isInstalled(root), false);
});

test('a stamp of this very state is enough', () => {
  writeStamp(root);
  assert.equal(isInstalled(root), true);
});

const changes = [
  ['another lockfile', () => write('pnpm-lock.yaml', 'lock 2')],
  ['an edited manifest', () => write('packages/core/package.json', '{"dependencies":{"ajv":"1"},"x":1}')],
  ['a new package', () => write('packages/tools/package.json', '{}')],
  ['an install by hand', () => write('node_modules/.modules.yaml', 'modules, prod only')],
  ['a dependency deleted', () => rmSync(path.join(root, 'packages/core/node_modules'), { recursive: true })],
  ['node_modules deleted', () => rmSync(path.join(root, 'node_modules'), { recursive: true })],
];

for (const [name, change] of changes) {
  test(`not installed any more after: ${name}`, () => {
    writeStamp(root);
    change();
    assert.equal(isInstalled(root), false);
  });
}
