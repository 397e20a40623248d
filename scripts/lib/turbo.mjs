import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import os from 'node:os';
import process from 'node:process';
import { setupEnvironment } from './environment.mjs';
import { runVisibly } from './processes.mjs';
import { inRepository, repository } from './repository.mjs';
import { runsAllTests } from './slow-tests.mjs';

/** `turbo run …` without telemetry. Resolves to its exit code. */
export function runTurbo(asked, more = {}) {
  const turbo = inRepository('node_modules', '.bin', 'turbo');
  return runVisibly([turbo, 'run', ...asked], { cwd: repository, env: { ...setupEnvironment(), ...more } });
}

/**
 * A task of tests, in one package after the other, each on all processors: more at once only wait for each other. What passed
 * before, with the same files, variables and machine, is not run again, and turbo says so (`--force` runs it).
 */
export function runTests(task, asked) {
  return runTurbo([task, '--continue=dependencies-successful', '--concurrency=1', ...asked], { TEST_MACHINE: testMachine(asked) });
}

/** What tests skip where it is not there, or does not work. */
const PROBES = [
  ['bwrap', '--version'],
  ['bwrap', '--unshare-all', '--ro-bind', '/', '/', 'true'],
  ['git', '--version'],
  ['script', '--version'],
  ['ls', '-d', '/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance'],
];

/**
 * What results of tests depend on beside files and variables: the machine, and other programs on it. Never the same in CI, which
 * runs all of it, and for tables of coverage, whose files are wanted; what they are built from need not be made anew.
 */
export function testMachine(asked, environment = process.env) {
  const found = PROBES.map(([program, ...words]) => spawnSync(program, words, { encoding: 'utf8' })).map(({ status, stdout }) => `${status} ${stdout?.trim()}`);
  const once = isInCI(environment) || runsAllTests(environment) || asked.includes('--coverage') ? [randomUUID()] : [];
  return [process.version, process.arch, os.version(), process.getuid?.(), environment.PATH, ...found, ...once].join('; ');
}

function isInCI({ CI }) {
  return !['', '0', 'false', undefined].includes(CI);
}
