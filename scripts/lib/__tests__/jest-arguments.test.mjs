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
  test(`jest arguments: ${name}`, () => assert.deepEqual(jestArguments(typed, '@devs/core', true), expected));
}

test('jest arguments: a package without a floor keeps what was typed', () => {
  assert.deepEqual(jestArguments(['--ci'], '@devs/mcp', true), ['--ci']);
});

const withoutSlow = String.raw`--testPathIgnorePatterns=\.slow\.test\.ts$`;

test('jest arguments: a full run leaves slow tests out unless it is to have them', () => {
  assert.deepEqual(jestArguments(['--verbose'], '@devs/mcp', false), ['--verbose', withoutSlow]);
  assert.deepEqual(jestArguments([], '@devs/core', false), [withoutSlow, '--coverage', '--coverageReporters=text-summary', floor]);
});

test('jest arguments: a selection takes the slow tests that it names', () => {
  assert.deepEqual(jestArguments(['--', '--testPathPattern', 'log-kill'], '@devs/cli', false), ['--testPathPatterns', 'log-kill']);
});

test('jest arguments: slow tests alone, which have no floor', () => {
  const patterns = String.raw`--testPathPatterns=\.slow\.test\.ts$`;
  for (const hasSlow of [true, false]) assert.deepEqual(jestArguments(['--slow', '--ci'], '@devs/core', hasSlow), ['--ci', patterns]);
});
