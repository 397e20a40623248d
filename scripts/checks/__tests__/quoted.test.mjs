import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repository } from '../../lib/repository.mjs';
import { readRepository } from '../files.mjs';
import { checkQuoted } from '../quoted.mjs';

const messages = (text, entry) => checkQuoted(new Map([['a.md', text]]), [{ file: 'a.md', texts: [], ...entry }]).map(({ message }) => message);
const diagram = { kind: 'sequenceDiagram', participants: ['Agent', 'Gate'] };
const drawn = (...names) => ['```mermaid', 'sequenceDiagram', ...names.map((name, index) => `  participant P${index} as ${name}`), '```'].join('\n');

const red = [
  ['a text that is not there', 'one two', { texts: ['one three'] }, 'does not say'],
  ['a section that is not there', '# A\nx', { section: 'B' }, 'section "B" is missing'],
  ['a text of another section', '# A\nx\n# B\ny', { section: 'A', texts: ['y'] }, 'does not say'],
  ['another order', 'second, first', { inOrder: ['first', 'second'] }, 'in this order'],
  ['no diagram', 'x', { diagram }, 'no Mermaid'],
  ['a diagram without one of them', drawn('Agent'), { diagram }, 'no participant Gate'],
  ['a diagram in another order', drawn('Gate', 'Agent'), { diagram }, 'in this order'],
];
for (const [name, text, entry, message] of red) {
  test(`quoted texts refuse: ${name}`, () => assert.match(messages(text, entry).join('\n'), new RegExp(message)));
}

test('quoted texts refuse: a file that is not there', () => assert.equal(checkQuoted(new Map()).length > 0, true));

test('quoted texts allow: other line ends, and what stands around', () => {
  assert.deepEqual(messages('# A\n- one\n  two (more)\n', { section: 'A', texts: ['one two'] }), []);
  assert.deepEqual(messages(drawn('Agent', 'Other', 'Gate'), { diagram }), []);
});

test('the repository says what the requirements quote', () => {
  assert.deepEqual(checkQuoted(readRepository(repository)), []);
});
