import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jestArguments } from '../jest-arguments.mjs';

const floor = '--coverageThreshold={"global":{"lines":95}}';
const rows = [
  ['seed 000', ['--', '--testPathPattern=output-sanitizer', '--coverage'], ['--testPathPatterns=output-sanitizer', '--coverage']],
  ['seed 003', ['--testPathPattern', '(tool-proxy|agent-logs)', '--ci'], ['--testPathPatterns', '(tool-proxy|agent-logs)', '--ci']],
  ['a full run has the floor', [], ['--coverage', '--coverageReporters=text-summary', floor]],
  ['a full run with a table', ['--coverage'], ['--coverage', floor]],
  ['a name pattern is a selection', ['-t', 'x', '--coverage'], ['-t', 'x', '--coverage']],
  ['a file is a selection', ['src/a.test.ts'], ['src/a.test.ts']],
];

for (const [name, typed, expected] of rows) {
  test(`jest arguments: ${name}`, () => assert.deepEqual(jestArguments(typed, '@devs/core'), expected));
}

test('jest arguments: a package without a floor keeps what was typed', () => {
  assert.deepEqual(jestArguments(['--ci'], '@devs/mcp'), ['--ci']);
});
