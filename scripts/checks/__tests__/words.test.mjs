import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRetiredWords } from '../words.mjs';

const check = (file, text, remaining = []) => checkRetiredWords(new Map([[file, text]]), remaining).map(({ message }) => message);

const red = [
  ['a file', 'packages/mcp/src/http/door.ts', 'export {};', /^door: "door" .* say request admission/],
  ['a file of several words', 'packages/mcp/src/http/http-front.ts', 'export {};', /"front"/],
  ['a class', 'packages/mcp/src/a.ts', 'export class PoolSeat {}', /^PoolSeat: "seat"/],
  ['a type', 'packages/mcp/src/a.ts', 'export interface Faces {}', /"face"/],
  ['a constant', 'packages/mcp/src/a.ts', 'export const OWN_FACE = 1;', /"face"/],
  ['a name that is handed on', 'packages/mcp/src/a.ts', 'export { a as outlet } from "./b.ts";', /"outlet"/],
  ['a word that ends in s', 'packages/demo/src/a.ts', 'export function witness() {}', /"witness"/],
];
for (const [name, file, text, message] of red) {
  test(`a retired word in ${name} is found`, () => {
    const found = check(file, text);
    assert.equal(found.length, 1);
    assert.match(found[0], message);
  });
}

const green = [
  ['a name that only holds the letters', 'packages/mcp/src/a.ts', 'export interface Surface {} export const indoors = 1;'],
  ['what is not exported', 'packages/mcp/src/a.ts', 'const door = 1; export {};'],
  ['a test', 'packages/mcp/src/__tests__/door.ts', 'export {};'],
  ['a word of TLS', 'packages/sandbox/src/egress/client-hello.ts', 'export {};'],
];
for (const [name, file, text] of green) {
  test(`${name} is no retired word`, () => assert.deepEqual(check(file, text), []));
}

test('a name that is listed may stay, and one that is gone may not stay listed', () => {
  const listed = 'packages/mcp/src/a.ts PoolSeat';
  assert.deepEqual(check('packages/mcp/src/a.ts', 'export class PoolSeat {}', [listed]), []);
  assert.match(check('packages/mcp/src/a.ts', 'export {};', [listed])[0], /PoolSeat is gone/);
});
