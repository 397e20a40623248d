import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asksForFloor, jestArguments } from '../jest-arguments.mjs';

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
  test(`jest arguments: ${name}`, () => assert.deepEqual(jestArguments(typed, '@devs/core', { hasSlow: true, hasFloor: true }), expected));
}

test('jest arguments: a package without a floor keeps what was typed', () => {
  assert.deepEqual(jestArguments(['--ci'], '@devs/mcp', { hasSlow: true, hasFloor: true }), ['--ci']);
});

const withoutSlow = String.raw`--testPathIgnorePatterns=\.slow\.test\.ts$`;

test('jest arguments: a full run leaves slow tests out unless it is to have them', () => {
  assert.deepEqual(jestArguments(['--verbose'], '@devs/mcp', { hasSlow: false, hasFloor: true }), ['--verbose', withoutSlow]);
  assert.deepEqual(jestArguments([], '@devs/core', { hasSlow: false, hasFloor: true }), [withoutSlow, '--coverage', '--coverageReporters=text-summary', floor]);
});

test('jest arguments: the floor is asked for, as counting is half of a run', () => {
  assert.deepEqual(jestArguments([], '@devs/core', { hasSlow: true, hasFloor: false }), []);
  assert.deepEqual([{ DEVS_LINE_FLOOR: '1' }, { DEVS_LINE_FLOOR: '' }, { CI: 'true' }, {}].map(asksForFloor), [true, false, false, false]);
});

test('jest arguments: a selection takes the slow tests that it names', () => {
  assert.deepEqual(jestArguments(['--', '--testPathPattern', 'log-kill'], '@devs/cli', { hasSlow: false, hasFloor: true }), ['--testPathPatterns', 'log-kill']);
});

test('jest arguments: slow tests alone, which have no floor', () => {
  const patterns = String.raw`--testPathPatterns=\.slow\.test\.ts$`;
  for (const hasSlow of [true, false]) assert.deepEqual(jestArguments(['--slow', '--ci'], '@devs/core', { hasSlow, hasFloor: true }), ['--ci', patterns]);
});
