import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { test } from 'node:test';
import { cpuSecondsOf, secondsUsed } from '../cpu-seconds.mjs';
import { inRepository } from '../repository.mjs';
import { readCosts, timesTable } from '../times-table.mjs';

test('times: a process and the children that it waited for, whatever its name', () => {
  const stat = '7 (a) b (c) S 1 7 7 0 -1 4194560 900 800 0 0 100 20 3000 400 20 0 11 0 5 6 7';
  assert.equal(cpuSecondsOf(stat), 35.2);
});

test('times: children count once they were waited for', { skip: !existsSync('/proc/self/stat') }, () => {
  const before = secondsUsed();
  spawnSync(process.execPath, ['-e', 'const end = process.cpuUsage().user + 300_000; while (process.cpuUsage().user < end);']);
  const after = secondsUsed();
  assert.equal(after.unit, 'CPU');
  assert.ok(after.seconds - before.seconds >= 0.29, `${after.seconds - before.seconds}`);
});

test('times: slowest first, with a total by package', () => {
  const costs = readCosts(
    [
      { file: '/r/packages/core/src/a.test.ts', unit: 'CPU', seconds: 1.25 },
      { file: '/r/packages/cli/src/b.test.ts', unit: 'CPU', seconds: 40 },
      { file: '/r/packages/core/src/c.test.ts', unit: 'CPU', seconds: 2 },
    ]
      .map((cost) => `${JSON.stringify(cost)}\n`)
      .join(''),
  );
  const table = timesTable(costs, (file) => file.slice('/r/'.length));
  assert.deepEqual(table.split('\n'), [
    'CPU seconds',
    '    40.0  packages/cli/src/b.test.ts',
    '     2.0  packages/core/src/c.test.ts',
    '     1.3  packages/core/src/a.test.ts',
    '    40.0  packages/cli, 1 file',
    '     3.3  packages/core, 2 files',
    '    43.3  in all, 3 files',
  ]);
});

test('times: the command prints the table of what it ran, and nothing else on stdout', () => {
  const words = [inRepository('scripts/test-times.mjs'), '@devs/core', '--', 'src/__tests__/errors'];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const [unit, file, ofPackage, inAll] = stdout.replaceAll(/ +\d+\.\d {2}/g, '').split('\n');
  assert.match(unit, /^(CPU|wall) seconds$/);
  assert.deepEqual([file, ofPackage, inAll], ['packages/core/src/__tests__/errors.test.ts', 'packages/core, 1 file', 'in all, 1 file']);
});

test('times: a package that there is not is a usage error', () => {
  const { status, stderr } = spawnSync(process.execPath, [inRepository('scripts/test-times.mjs'), 'nothing'], { encoding: 'utf8' });
  assert.equal(status, 64);
  assert.match(stderr, /^devs: usage: pnpm test:times /);
});
