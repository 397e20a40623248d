import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLayers } from '../layers.mjs';
import * as tables from '../layers.config.mjs';

const manifest = JSON.stringify({
  name: '@devs/x',
  dependencies: { '@devs/core': '', '@devs/mcp': '', '@devs/sandbox': '', '@devs/tools': '', tsyringe: '' },
});

function messagesFor(file, text, rules = { ...tables, layerOffenders: [] }) {
  const files = new Map([[file, text]]);
  for (const name of ['core', 'mcp', 'cli', 'new']) files.set(`packages/${name}/package.json`, manifest);
  return checkLayers(files, rules).map(({ message }) => message);
}

const sibling = tables.packageLayers.rule;
const order = tables.innerLayers[0].rule;
const injection = tables.restrictedImports[0].rule;
const locks = tables.restrictedText[0].rule;
const mcp = 'packages/mcp/src/a.ts';

const red = [
  ['a sibling', mcp, 'import { x } from "@devs/sandbox";', sibling],
  ['a type of a sibling', mcp, 'import type { X } from "@devs/sandbox";', sibling],
  ['an inline type of a sibling', mcp, 'type X = import("@devs/sandbox").X;', sibling],
  ['a sibling in a test', 'packages/mcp/src/__tests__/a.test.ts', 'import "@devs/tools";', sibling],
  ['a dynamic import', mcp, 'await import("@devs/sandbox");', sibling],
  ['require', mcp, 'const x = require("@devs/sandbox");', sibling],
  ['import equals', mcp, 'import x = require("@devs/sandbox");', sibling],
  ['jest.mock', 'packages/mcp/src/__tests__/a.test.ts', 'jest.mock("@devs/sandbox");', sibling],
  ['export from', mcp, 'export { x } from "@devs/sandbox";', sibling],
  ['export all', mcp, 'export * from "@devs/sandbox";', sibling],
  ['core importing a package', 'packages/core/src/tool-proxy/a.ts', 'import "@devs/tools";', sibling],
  ['a sibling in a package that the table does not name', 'packages/new/src/a.ts', 'import "@devs/tools";', sibling],
  ['a computed import', mcp, 'await import(name);', 'A computed import cannot be checked'],
  ['a relative path into another package', mcp, 'import "../../core/src/json.ts";', 'leaves the package'],
  ['a dependency that is not declared', mcp, 'import "left-pad";', 'left-pad is not a dependency'],
  ['upwards inside core', 'packages/core/src/policy/a.ts', 'import "../tool-proxy/types.ts";', order],
  ['the index from inside core', 'packages/core/src/policy/a.ts', 'import "../index.ts";', order],
  ['the container from the index', 'packages/core/src/index.ts', 'export { x } from "./container.ts";', order],
  ['a folder that the table does not know', 'packages/core/src/extra/a.ts', 'import "../json.ts";', order],
  ['upwards inside another package', 'packages/mcp/src/raw/a.ts', 'import type { X } from "../http/body.ts";', tables.innerLayers[1].rule],
  ['the container outside of wiring', mcp, 'import "@devs/core/container";', injection],
  ['tsyringe in a domain class', 'packages/core/src/policy/a.ts', 'import { injectable } from "tsyringe";', injection],
  ['a lock of its own', 'packages/storage/src/search/a.ts', "database.exec('BEGIN EXCLUSIVE');", locks],
  ['the file of a lock', 'packages/cli/src/a.ts', 'await open(`${file}-lock`);', locks],
  ['the file of the lock of a session', 'packages/storage/src/verify/a.ts', 'readFileSync(`${log}-session-${id}`);', locks],
];

for (const [name, file, text, message] of red) {
  test(`layers refuse: ${name}`, () => {
    const messages = messagesFor(file, text);
    assert.ok(messages.some((said) => said.includes(message)), JSON.stringify(messages));
  });
}

const green = [
  ['core in a package that the table does not name', 'packages/new/src/a.ts', 'import "@devs/core";'],
  ['core from anywhere', mcp, 'import { x } from "@devs/core";'],
  ['everyone from cli', 'packages/cli/src/a.ts', 'import "@devs/mcp"; import "@devs/sandbox";'],
  ['the container in compose', 'packages/cli/src/compose.ts', 'import { container } from "@devs/core/container";'],
  ['downwards inside core', 'packages/core/src/tool-proxy/a.ts', 'import "../policy/decide.ts"; import "../json.ts";'],
  ['a lock where locks are taken', tables.restrictedText[0].only, "database.exec('BEGIN EXCLUSIVE'); const name = `${file}-lock`;"],
  ['the file of a lock in a test', 'packages/cli/src/__tests__/a.test.ts', 'await open(`${file}-lock`);'],
  ['the same folder', 'packages/core/src/policy/a.ts', 'import "./b.ts";'],
  ['anything of core in its tests', 'packages/core/src/policy/__tests__/a.test.ts', 'import "../../index.ts"; import "fast-check";'],
  ['node modules', mcp, 'import "node:fs"; import "node:path/posix";'],
];

for (const [name, file, text] of green) {
  test(`layers allow: ${name}`, () => assert.deepEqual(messagesFor(file, text), []));
}

test('a table may name a folder in a folder: the two are held apart', () => {
  const order = [['raw'], ['up/protocol'], ['up/http', 'up/stdio'], ['up'], ['http']];
  const said = (file, text) => messagesFor(`packages/mcp/src/${file}`, text, { ...tables, innerLayers: [{ folder: 'packages/mcp/src/', order, rule: '' }], layerOffenders: [] });
  assert.deepEqual(said('up/http/a.ts', 'import "../stdio/b.ts";'), ['up/http imports up/stdio. ']);
  assert.deepEqual(said('up/http/a.ts', 'import "../create.ts";'), ['up/http imports up. ']);
  assert.deepEqual(said('up/protocol/a.ts', 'import "../new/b.ts";'), ['up/protocol imports up. ']);
  assert.deepEqual(said('up/create.ts', 'import "../http/b.ts";'), ['up imports http. ']);
  assert.deepEqual(said('up/create.ts', 'import "./http/b.ts"; import "./stdio/b.ts"; import "./other.ts";'), []);
  assert.deepEqual(said('up/http/a.ts', 'import "../protocol/b.ts"; import "./c.ts"; import "../../raw/c.ts";'), []);
});

test('an exception lets one import pass, and needs its reason', () => {
  const rules = (reason) => ({ ...tables, layerOffenders: [], layerExceptions: [{ from: mcp, to: '@devs/sandbox', reason }] });
  assert.deepEqual(messagesFor(mcp, 'import "@devs/sandbox";', rules('because')), []);
  assert.match(messagesFor(mcp, 'import "@devs/sandbox";', rules(''))[0], /carries its reason/);
});

test('an offender that is listed passes, and one that offends no more is red', () => {
  const file = 'packages/mcp/src/raw/a.ts';
  const rules = { ...tables, layerOffenders: [[file, '../http/body.ts']] };
  assert.deepEqual(messagesFor(file, 'import "../http/body.ts";', rules), []);
  assert.match(messagesFor(file, 'import "../auth/scope.ts";', rules)[0], /offends no more/);
  assert.match(messagesFor('packages/mcp/src/raw/b.ts', '', rules)[0], /offends no more/);
});
