import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { inRepository } from '../lib/repository.mjs';

const long = (count) => 'work();\n'.repeat(count);
const rows = [
  ['max-lines', `import { work } from './work.ts';\n${long(300)}`],
  ['max-lines-per-function', `import { work } from './work.ts';\nexport function f(): void {\n${long(50)}}\n`],
  ['no-explicit-any', 'export const a: any = 1;\n'],
  ['no-non-null-assertion', 'export const a = (b?: { c: 1 }): 1 => b!.c;\n'],
  ['no-floating-promises', 'export function f(): void {\n  Promise.resolve(1);\n}\n'],
  ['no-misused-promises', 'export const a = [1].filter(async () => true);\n'],
  ['await-thenable', 'export async function f(): Promise<void> {\n  await 1;\n}\n'],
  ['no-unsafe-assignment', 'export const a: { b: 1 } = JSON.parse("{}");\n'],
  ['only-throw-error', 'export function f(): void {\n  throw "x";\n}\n'],
  ['switch-exhaustiveness-check', "export function f(a: 'x' | 'y'): void {\n  switch (a) {\n    case 'x':\n  }\n}\n"],
  ['ban-ts-comment', '// @ts-ignore\nexport const a = 1;\n'],
  ['no-eval', 'export const a: unknown = eval("1");\n'],
  ['no-default-export', 'export default 1;\n'],
];

let folder;
let said;

before(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'devs-lint-'));
  const source = path.join(folder, 'packages', 'a', 'src');
  mkdirSync(source, { recursive: true });
  writeFileSync(path.join(folder, 'tsconfig.json'), '{"compilerOptions":{"strict":true,"noEmit":true},"include":["packages"]}');
  writeFileSync(path.join(source, 'work.ts'), 'export function work(): void {}\n');
  for (const [rule, text] of rows) writeFileSync(path.join(source, `${rule}.ts`), text);
  const tools = inRepository('node_modules', '.bin');
  const env = { ...process.env, PATH: `${tools}${path.delimiter}${process.env.PATH}` };
  const asked = ['--type-aware', '--deny-warnings', '--format=unix', '-c', inRepository('.oxlintrc.json'), folder];
  const run = spawnSync(path.join(tools, 'oxlint'), asked, { cwd: folder, encoding: 'utf8', env });
  assert.notEqual(run.status, 0);
  said = run.stdout.split('\n');
});

after(() => rmSync(folder, { recursive: true, force: true }));

for (const [rule] of rows) {
  test(`lint refuses: ${rule}`, () => {
    const own = said.filter((line) => line.includes(`${path.sep}${rule}.ts:`));
    assert.ok(own.some((line) => line.includes(`(${rule})`)), own.join('\n') || said.join('\n').slice(0, 2000));
  });
}

test('lint allows a file that keeps the rules', () => {
  assert.deepEqual(said.filter((line) => line.includes('work.ts:')), []);
});
