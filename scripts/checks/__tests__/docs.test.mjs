import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAgentNotes, symbolsIn } from '../agent-notes.mjs';
import { checkCommands } from '../commands.mjs';
import { checkLinks } from '../links.mjs';
import { checkAgentsFile, checkDecisions, checkErrorsPage, checkRequirements } from '../pages.mjs';

const sources = {
  'package.json': '{"scripts":{"start":"","check":""}}',
  'scripts/a.mjs': '',
  'packages/cli/src/main.ts': 'program.command("logs").command("list <id>").option("--json, -j");',
  'packages/core/src/a.ts': 'export class ToolProxy { execute() {} } export interface Origin { channel: 1 }',
  'packages/core/src/error-codes.ts': 'export const ERROR_CODES = { A_ONE: { sentence: "" }, B_TWO: {} } as const satisfies R;',
  'packages/core/src/__tests__/a.test.ts': 'it("refuses null", () => {});',
};
const withFiles = (extra) => new Map(Object.entries({ ...sources, ...extra }));
const said = (check, extra) => check(withFiles(extra)).map(({ message }) => message).join('\n');
const fence = (line) => ({ 'README.md': `# x\n\`\`\`sh\n${line}\n\`\`\`\n` });
const note = (contract) => ({
  'packages/core/src/a.agent.md': `# a\n## Purpose\n## Contract\n${contract}\n## Invariants\n## Events\n## When you change this\n`,
});
const row = (cells) => ({ 'docs/architecture/requirements.md': `| id | where | test |\n|---|---|---|\n| [RISK-801] | ${cells} |\n` });

const red = [
  ['a dead link', checkLinks, { 'docs/a.md': '[x](b.md)' }, 'leads nowhere'],
  ['a dead reference', checkLinks, { 'docs/a.md': '[x]: ./b.md' }, 'leads nowhere'],
  ['a dead heading', checkLinks, { 'docs/a.md': '[x](b.md#two)', 'docs/b.md': '# One' }, 'not there'],
  ['an unknown script', checkCommands, fence('pnpm run nope'), 'no script `nope`'],
  ['an unknown script, short', checkCommands, fence('$ pnpm nope --x'), 'no script `nope`'],
  ['an unknown command', checkCommands, fence('devs frob'), 'no command `frob`'],
  ['an unknown flag', checkCommands, fence('devs logs --yaml'), 'no flag `--yaml`'],
  ['a missing script file', checkCommands, fence('node scripts/b.mjs'), 'no file scripts/b.mjs'],
  ['a symbol that is gone', checkAgentNotes, note('`ToolProxy.run(request)`'), 'no source knows `run`'],
  ['a file that is gone', checkAgentNotes, note('`gone.ts`'), 'There is no file'],
  ['a missing section', checkAgentNotes, { 'packages/core/src/a.agent.md': '# a\n## Contract\n' }, 'section "Purpose"'],
  ['a long note', checkAgentNotes, note('x\n'.repeat(60)), 'at most 60'],
  ['a long decision', checkDecisions, { 'docs/decisions/0001-a.md': `Status: accepted\n${'x\n'.repeat(41)}` }, 'at most 40'],
  ['a decision without status', checkDecisions, { 'docs/decisions/0001-a.md': '# a' }, 'status line'],
  ['a decision without number', checkDecisions, { 'docs/decisions/a.md': 'Status: x' }, 'NNNN-slug'],
  ['a long AGENTS.md', checkAgentsFile, { 'AGENTS.md': 'x\n'.repeat(121) }, 'at most 120'],
  ['no page of codes', checkErrorsPage, {}, 'missing'],
  ['a code that is not listed', checkErrorsPage, { 'docs/reference/errors.md': '| `A_ONE` | x |' }, 'B_TWO is not listed'],
  ['a code that is invented', checkErrorsPage, { 'docs/reference/errors.md': '## A_ONE\n## `B_TWO`\n| `C_THREE` |' }, 'C_THREE is not in'],
  ['no table of requirements', checkRequirements, {}, 'missing'],
  ['a requirement without a test', checkRequirements, row('`packages/core/src/a.ts` | none'), 'names the test file'],
  ['a requirement without its file', checkRequirements, row('`packages/core/src/b.ts` | `packages/core/src/__tests__/a.test.ts` "refuses null"'), 'no file packages/core/src/b.ts'],
  ['a test that is not there', checkRequirements, row('`packages/core/src/a.ts` | `packages/core/src/__tests__/a.test.ts` "refuses one"'), 'called "refuses one"'],
  ['a test without a name', checkRequirements, row('`packages/core/src/a.ts` | `packages/core/src/__tests__/a.test.ts`'), 'names its test'],
];

for (const [name, check, extra, message] of red) {
  test(`docs refuse: ${name}`, () => {
    const text = said(check, extra);
    assert.ok(text.includes(message), text);
  });
}

const green = [
  ['links', checkLinks, { 'docs/a.md': '[x](b.md#one-two) [y](../scripts) [z](https://x.y) `[c](d)`', 'docs/b.md': '## One, two' }],
  ['commands', checkCommands, fence('npm start -- --http 8080\nDEVS=1 devs logs list --json | head\npnpm --filter @devs/core test\nnode packages/cli/dist/main.js\ngit status')],
  ['an unchecked fence', checkCommands, { 'README.md': '```sh unchecked\ndevs frob\n```' }],
  ['notes', checkAgentNotes, note('`ToolProxy.execute(request)` `Origin` `JSON.stringify` `string` `a b` `a.ts`')],
  ['decisions', checkDecisions, { 'docs/decisions/0001-a.md': '# a\n\n**Status**: accepted\n', 'docs/decisions/README.md': '# all' }],
  ['codes', checkErrorsPage, { 'docs/reference/errors.md': '| `A_ONE` | x |\n| `B_TWO` | x |' }],
  ['requirements', checkRequirements, row('`packages/core/src/a.ts` | `packages/core/src/__tests__/a.test.ts` "refuses null"')],
];

for (const [name, check, extra] of green) {
  test(`docs allow: ${name}`, () => assert.equal(said(check, extra), ''));
}

test('a code span is read as a symbol only if it is one', () => {
  assert.deepEqual(symbolsIn('ToolProxy.execute(request, options)'), ['ToolProxy', 'execute']);
  assert.deepEqual(symbolsIn('Made<T, M>'), ['Made']);
  for (const text of ['a b', '{ ok: true }', '--json', 'tools/call', '"x"']) assert.deepEqual(symbolsIn(text), []);
});
