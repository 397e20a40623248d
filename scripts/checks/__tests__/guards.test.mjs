import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkGuards } from '../guards.mjs';

const page = [
  '| id | where | test |',
  '|---|---|---|',
  '| [RISK-801] one | `core/src/a.ts` | `core/src/__tests__/a.test.ts` "one" |',
  '| [RISK-801] two | `core/src/a.ts` | `core/src/__tests__/a.test.ts` "two" |',
].join('\n');
const files = new Map([['docs/architecture/requirements.md', page], ['core/src/a.ts', 'check(); run(); run();']]);
const said = (guards) => checkGuards(files, guards).map(({ message }) => message).join('\n');
const one = ['[RISK-801] one', 'check();', ''];
const two = ['[RISK-801] two', 'check();', 'x'];

const red = [
  ['a requirement without an entry', [one], 'No entry .* removes the guard of "\\[RISK-801\\] two"'],
  ['an entry without a requirement', [one, two, ['[RISK-801] three', 'check();', '']], 'no requirement begins so'],
  ['an entry for two requirements', [['[RISK-801]', 'check();', '']], 'more than one requirement'],
  ['two entries for one', [one, one, two], 'has an entry already'],
  ['a guard that is gone', [one, ['[RISK-801] two', 'gone();', '']], 'occurs 0 times'],
  ['a guard that is not the only one', [one, ['[RISK-801] two', 'run();', '']], 'occurs 2 times'],
  ['an entry that removes nothing', [one, ['[RISK-801] two', 'check();', 'check();']], 'nothing is removed'],
];
for (const [name, guards, message] of red) test(`guards refuse: ${name}`, () => assert.match(said(guards), new RegExp(message)));

test('guards allow: one entry for each requirement', () => assert.equal(said([one, two]), ''));
