import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCycles } from '../cycles.mjs';

function messagesFor(sources, known = []) {
  const files = new Map(Object.entries(sources).map(([file, text]) => [`packages/mcp/src/${file}`, text]));
  return checkCycles(files, known).map(({ file, message }) => `${file} ${message}`);
}

const red = [
  ['two files', { 'x/a.ts': 'import { b } from "./b.ts";', 'x/b.ts': 'import { a } from "./a.ts";' }, 'cycle of 2 files'],
  ['types alone', { 'x/a.ts': 'import type { B } from "./b.ts";', 'x/b.ts': 'type A = import("./a.ts").A;' }, 'cycle of 2 files'],
  ['a file that is loaded later', { 'x/a.ts': 'import "./b.ts";', 'x/b.ts': 'await import("./a.ts");' }, 'cycle of 2 files'],
  ['three files', { 'a.ts': 'import "./b.ts";', 'b.ts': 'export * from "./c.ts";', 'c.ts': 'import "./a.ts";' }, 'cycle of 3 files'],
  ['two folders', { 'x/a.ts': 'import "../y/a.ts";', 'y/b.ts': 'import "../x/b.ts";' }, 'cycle of 2 folders'],
  ['a folder and the one around it', { 'x/a.ts': 'import "./y/a.ts";', 'x/y/b.ts': 'import "../b.ts";' }, 'cycle of 2 folders'],
  ['a folder and a file of src', { 'a.ts': 'import "./x/a.ts";', 'x/b.ts': 'import "../a.ts";' }, 'cycle of 2 folders'],
];

for (const [name, sources, message] of red) {
  test(`cycles refuse: ${name}`, () => {
    const messages = messagesFor(sources);
    assert.ok(messages.some((said) => said.includes(message)), JSON.stringify(messages));
  });
}

const green = [
  ['one direction', { 'x/a.ts': 'import "../y/a.ts"; import "./b.ts";', 'x/b.ts': 'import "../y/a.ts";', 'y/a.ts': 'import "node:fs";' }],
  ['files of src that stand above and below a folder', { 'index.ts': 'import "./x/a.ts";', 'x/a.ts': 'import "../errors.ts";', 'errors.ts': '' }],
  ['tests', { 'x/__tests__/a.ts': 'import "./b.ts";', 'x/__tests__/b.ts': 'import "./a.ts";' }],
];

for (const [name, sources] of green) {
  test(`cycles allow: ${name}`, () => assert.deepEqual(messagesFor(sources), []));
}

test('a known cycle passes as long as it is the same, and is then removed from the list', () => {
  const [, two] = red[0];
  const known = [['packages/mcp/src/x/b.ts', 'packages/mcp/src/x/a.ts']];
  assert.deepEqual(messagesFor(two, known), []);
  const grown = { 'x/a.ts': 'import "./b.ts";', 'x/b.ts': 'import "./c.ts";', 'x/c.ts': 'import "./a.ts";' };
  assert.match(messagesFor(grown, known).join('\n'), /cycle of 3 files/);
  assert.match(messagesFor({ 'x/a.ts': '' }, known)[0], /is gone or has changed/);
});
