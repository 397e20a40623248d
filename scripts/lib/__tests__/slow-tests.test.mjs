import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { inRepository } from '../repository.mjs';
import { changedPackages, leftApart, leftToCI, packagesWithSlowTests, planSlowTests, runsAllTests } from '../slow-tests.mjs';

const cli = { name: '@devs/cli', folder: 'cli', files: ['src/__tests__/log-kill.slow.test.ts'] };
const storage = { name: '@devs/storage', folder: 'storage', files: ['src/__tests__/a.slow.test.ts', 'src/b/__tests__/b.slow.test.ts'] };
const names = (packages) => packages.map(({ folder }) => folder);

for (const [title, asked, all, changed, added, left] of [
  ['of no package in a fresh clone', [], false, [], [], ['cli', 'storage']],
  ['of what has changed', [], false, ['core', 'cli'], ['cli'], ['storage']],
  ['of all with --slow', [], true, [], ['cli', 'storage'], []],
  ['of a package that is named, when it has changed', ['--filter', '@devs/cli'], false, ['cli', 'storage'], ['cli'], []],
  ['of a package that is named, with --slow', ['--filter=@devs/storage'], true, [], ['storage'], []],
  ['never when jest is told which files', ['--filter', '@devs/cli', '--', '--testPathPattern', 'kill'], true, ['cli'], [], ['cli']],
]) {
  test(`slow tests: ${title}`, () => {
    const plan = planSlowTests([cli, storage], asked, { all, changed: new Set(changed) });
    assert.deepEqual([names(plan.added), names(plan.left)], [added, left]);
  });
}

test('slow tests: what is left to CI is said, and how to run it', () => {
  const said = leftToCI([cli, storage], { DEVS_LAW_RUNS: '1' }).split('\n');
  assert.deepEqual(said.slice(1), ['  cli: log-kill', '  storage: a, b', 'To run them too: pnpm test --slow', '']);
  assert.equal(leftToCI([], { DEVS_LAW_RUNS: '1' }), '');
});

test('slow tests: that laws were tried on few cases is said too', () => {
  for (const left of [[], [cli]]) assert.match(leftToCI(left, {}), /\nLaws [^\n]*DEVS_LAW_RUNS=1\n$|^Laws [^\n]*DEVS_LAW_RUNS=1\n$/);
});

test('slow tests: all of them where DEVS_ALL_TESTS asks for it, and in no other CI', () => {
  assert.deepEqual([{ DEVS_ALL_TESTS: '1' }, { DEVS_ALL_TESTS: '' }, { CI: 'true' }, {}].map(runsAllTests), [true, false, false, false]);
});

test('slow tests: no package is left to another command but where it is named', () => {
  assert.deepEqual([{}, { CI: 'true', DEVS_ALL_TESTS: '1' }, { DEVS_TESTED_APART: '@devs/core' }].map((each) => leftApart(each)), [[], [], ['@devs/core']]);
});

test('slow tests: each package that has some can run them', () => {
  const packages = packagesWithSlowTests();
  assert.ok(packages.length > 0);
  for (const { folder } of packages) {
    const { scripts } = JSON.parse(readFileSync(inRepository('packages', folder, 'package.json'), 'utf8'));
    assert.equal(scripts['test:slow'], `${scripts.test} --slow`);
  }
});

function inClone(work) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'devs-slow-'));
  const [origin, clone] = [path.join(folder, 'origin'), path.join(folder, 'clone')];
  const git = (cwd, ...words) => {
    const { status, stderr } = spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.example', ...words], { cwd, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  };
  try {
    for (const name of ['one', 'two', 'three']) {
      mkdirSync(path.join(origin, 'packages', name), { recursive: true });
      writeFileSync(path.join(origin, 'packages', name, 'a.txt'), name);
    }
    git(origin, 'init', '--quiet', '--initial-branch=trunk');
    git(origin, 'add', '--all');
    git(origin, 'commit', '--quiet', '--message=first');
    git(folder, 'clone', '--quiet', origin, clone);
    work(clone, git);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('slow tests: a fresh clone has changed nothing', () => inClone((clone) => assert.deepEqual([...changedPackages(clone)], [])));

test('slow tests: what was committed, edited, or is new since the branch left the default one has changed', () =>
  inClone((clone, git) => {
    git(clone, 'switch', '--quiet', '--create', 'topic');
    writeFileSync(path.join(clone, 'packages', 'one', 'a.txt'), 'committed');
    git(clone, 'commit', '--quiet', '--all', '--message=second');
    writeFileSync(path.join(clone, 'packages', 'two', 'new.txt'), 'new');
    writeFileSync(path.join(clone, 'elsewhere.txt'), 'new');
    assert.deepEqual([...changedPackages(clone)].sort(), ['one', 'two']);
    writeFileSync(path.join(clone, 'packages', 'three', 'a.txt'), 'edited');
    assert.deepEqual([...changedPackages(clone)].sort(), ['one', 'three', 'two']);
  }));

test('slow tests: a page that was edited is one of cli, whose tests run it', () =>
  inClone((clone) => {
    mkdirSync(path.join(clone, 'docs', 'guide'), { recursive: true });
    writeFileSync(path.join(clone, 'docs', 'guide', 'page.md'), 'new');
    assert.deepEqual([...changedPackages(clone)], ['cli']);
  }));

test('slow tests: where there is no repository nothing has changed', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'devs-slow-'));
  try {
    assert.deepEqual([...changedPackages(folder)], []);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
