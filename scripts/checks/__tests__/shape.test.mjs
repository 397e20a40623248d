import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkShape } from '../shape.mjs';

const policy = 'packages/core/src/policy/a.ts';
const inATest = 'packages/core/src/policy/__tests__/a.test.ts';
const messages = (file, text) => checkShape(new Map([[file, text]])).map(({ message }) => message);

const red = [
  ['four parameters', policy, 'function f(a, b, c, d) {}', 'At most 3'],
  ['four in an arrow', policy, 'const f = (a, b, c, d) => 0;', 'f has 4'],
  ['four in a constructor', policy, 'class A { constructor(private a: 1, b, c, d) {} }', 'A.constructor has 4'],
  ['four in an interface', policy, 'interface A { m(a: 1, b: 1, c: 1, d: 1): void }', 'A.m has 4'],
  ['four in a function type', policy, 'type F = (a: 1, b: 1, c: 1, d: 1) => void;', 'F has 4'],
  ['six in an exception', policy, 'class ToolProxy { constructor(a, b, c, d, e, f) {} }', 'has 6'],
  ['a shortened parameter', policy, 'function f(req) {}', 'Whole words'],
  ['a shortened variable', policy, 'const cfg = 1;', 'Whole words'],
  ['a cast to a made type', policy, 'const a = x as ValidatedArgs;', '`ValidatedArgs` is minted in one file'],
  ['a cast in a test', inATest, 'const a = x as Permit<1>; const b = y as Permit;', 'minted in one file'],
  ['a cast through unknown', policy, 'const a = x as unknown as StartedCall;', 'minted in one file'],
  ['a cast inside a container type', policy, 'const a = x as Promise<Clean<string>[]>;', 'minted in one file'],
  ['an angle bracket cast', policy, 'const a = <ValidatedArgs>x;', 'minted in one file'],
  ['a type predicate', policy, 'function f(x: unknown): x is ValidatedArgs { return true; }', 'minted in one file'],
  ['an assertion function', policy, 'function f(x: unknown): asserts x is ValidatedArgs {}', 'minted in one file'],
  ['a cast to Made', 'packages/core/src/audit/a.ts', 'const a = x as Made<1, "policy">;', '`Made` is cast to'],
  ['a cast to never', policy, 'const a = x as never;', 'mint anything'],
  ['isError elsewhere', policy, 'const a = { isError: true };', 'One way out'],
  ['isError quoted', policy, 'const a = { "isError": true };', 'One way out'],
  ['a handler called', policy, 'await tool.handler(args);', 'tool handler'],
  ['a handler called by call', policy, 'tool.handler.call(null, args);', 'tool handler'],
  ['a handler called if there', policy, 'tool?.handler?.(args);', 'tool handler'],
  ['a handler called by key', policy, 'tool["handler"](args);', 'tool handler'],
  ['a handler taken out', policy, 'const { handler: run } = tool;', 'tool handler'],
  ['the container asked', policy, 'container.resolve(TOKEN);', 'The container is asked'],
  ['a module-level let', policy, 'let count = 0;', 'No mutable state'],
  ['an exported let', policy, 'export let count = 0;', 'No mutable state'],
  ['a module-level cache', policy, 'const cache = new Map<string, 1>();', 'No mutable state'],
  ['a module-level list', policy, 'const seen: string[] = [];', 'No mutable state'],
  ['a leftover', policy, '// TO' + 'DO later\nexport {};', 'An open end'],
  ['a rule off without a reason', policy, '// oxlint-' + 'disable-next-line no-eval\nexport {};', 'with its reason'],
  ['a skipped test', inATest, 'it.skip("x", () => {});', 'not a run'],
  ['a focused test', inATest, 'describe.only("x", () => {});', 'not a run'],
  ['a skipped table', inATest, 'it.skip.each([1])("x", () => {});', 'not a run'],
  ['a focused table', inATest, 'it.each.only([1])("x", () => {});', 'not a run'],
  ['xit', inATest, 'xit("x", () => {});', 'not a run'],
  ['a Utils file', 'packages/core/src/policy/string-utils.ts', 'export {};', 'no Manager'],
  ['a Manager class', policy, 'class ToolManager {}', 'no Manager'],
];

for (const [name, file, text, message] of red) {
  test(`shape refuses: ${name}`, () => {
    const said = messages(file, text);
    assert.ok(said.some((one) => one.includes(message)), JSON.stringify(said));
  });
}

const green = [
  ['what seeds fix', 'packages/core/src/tool-proxy/ToolProxy.ts', 'class ToolProxy { constructor(a, b, c, d, e) {} }'],
  ['this as a parameter', policy, 'function f(this: X, a, b, c) {}'],
  ['a maker in its file', 'packages/core/src/validation/schema.ts', 'const a = x as ValidatedArgs; const b = x as Made<1, "v">;'],
  ['as const', policy, 'const a = { b: 1 } as const;'],
  ['isError in its file', 'packages/core/src/tool-proxy/to-result.ts', 'const a = { isError: true };'],
  ['isError as a type or computed', policy, 'interface A { isError: true } const a = { isError: failed };'],
  ['tests', inATest, 'const a = { isError: true }; tool.handler(1); container.resolve(A); let x = 1;'],
  ['path and Promise', policy, 'path.resolve("a"); Promise.resolve(1); path.posix.resolve("b"); resolve(2); ended.resolve();'],
  ['constants', policy, 'const a = new Map([[1, 2]]); const b = [1]; const c = Object.freeze({});'],
  ['a rule off with a reason', policy, '// oxlint-' + 'disable-next-line no-eval -- the test of eval\nexport {};'],
];

for (const [name, file, text] of green) {
  test(`shape allows: ${name}`, () => assert.deepEqual(messages(file, text), []));
}

test('shape refuses: one made type minted in two files', () => {
  const text = 'export const a = x as Clean<string>;';
  const folder = 'packages/core/src/sanitization';
  const files = new Map([[`${folder}/a.ts`, text], [`${folder}/b.ts`, text]]);
  assert.match(checkShape(files)[0].message, /minted in two files/);
});
