import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import os from 'node:os';
import process from 'node:process';
import { test } from 'node:test';
import { inRepository, repository } from '../repository.mjs';
import { testMachine } from '../turbo.mjs';

/** What turbo would run, with the inputs that its answer depends on. */
function plan() {
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', TEST_MACHINE: 'this', DEVS_SOME: '1', TMPDIR: os.tmpdir(), npm_lifecycle_event: 'test' };
  const words = ['run', 'test', 'test:slow', '--dry=json'];
  const { status, stdout, stderr } = spawnSync(inRepository('node_modules/.bin/turbo'), words, { cwd: repository, encoding: 'utf8', env, maxBuffer: 2 ** 28 });
  assert.equal(status, 0, stderr);
  return new Map(JSON.parse(stdout.slice(stdout.indexOf('{'))).tasks.map((task) => [task.taskId, task]));
}

const tasks = plan();
const testTasks = [...tasks.keys()].filter((id) => /#test(:slow)?$/.test(id));

test('turbo: what a test reads outside of its package counts', () => {
  assert.ok(testTasks.length >= 14);
  for (const id of testTasks) {
    const inputs = Object.keys(tasks.get(id).inputs);
    for (const file of ['../../jest.config.mjs', '../../scripts/lib/same-laws.mjs', '../../docs/security/audit-log.md', '../../README.md', '../../bin/devs', 'package.json']) {
      assert.ok(inputs.includes(file), `${id}: ${file}`);
    }
  }
});

test('turbo: an edit reaches the tests of those who depend on it, and of nobody else', () => {
  const dependsOn = (id, other, seen = tasks.get(id).dependencies) => seen.includes(other) || seen.some((each) => dependsOn(each, other));
  for (const name of ['agent', 'mcp', 'sandbox', 'storage', 'tools']) {
    assert.ok(dependsOn(`@devs/${name}#test`, '@devs/core#build'), name);
    assert.ok(dependsOn('@devs/cli#test', `@devs/${name}#build`), name);
    assert.ok(!dependsOn('@devs/storage#test', `@devs/${name}#build`) || name === 'storage', name);
  }
});

test('turbo: tests of the command count what they take from the tests of others', () => {
  const inputs = Object.keys(tasks.get('@devs/cli#test').inputs);
  for (const file of ['../sandbox/src/__tests__/with-boxes.ts', '../storage/src/__tests__/hostile-pages.ts']) assert.ok(inputs.includes(file), file);
  assert.ok(!Object.keys(tasks.get('@devs/storage#test').inputs).some((file) => file.startsWith('../sandbox/')));
});

test('turbo: another machine, or CI, is another result', () => {
  for (const id of testTasks) {
    const { environmentVariables, resolvedTaskDefinition } = tasks.get(id);
    const names = environmentVariables.configured.map((each) => each.split('=')[0]);
    for (const name of ['DEVS_SOME', 'TEST_MACHINE', 'TMPDIR']) assert.ok(names.includes(name), `${id}: ${name}`);
    assert.ok(!names.includes('npm_lifecycle_event'), id);
    assert.equal(resolvedTaskDefinition.cache, true, id);
  }
});

test('turbo: nothing is the same in CI, or where files of coverage are wanted', () => {
  const isSame = (asked, environment) => testMachine(asked, environment) === testMachine(asked, environment);
  assert.deepEqual([{}, { CI: '' }, { CI: 'false' }].map((environment) => isSame([], environment)), [true, true, true]);
  assert.deepEqual([{ CI: 'true' }, { CI: '1' }, { DEVS_ALL_TESTS: '1' }].map((environment) => isSame([], environment)), [false, false, false]);
  assert.equal(isSame(['--', '--coverage'], {}), false);
});

test('turbo: what tests are built from does not depend on the machine', () => {
  const { environmentVariables } = tasks.get('@devs/core#build');
  assert.deepEqual(environmentVariables.specified.env, []);
});
