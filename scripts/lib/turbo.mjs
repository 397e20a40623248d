import { spawnSync } from 'node:child_process';
import os from 'node:os';
import process from 'node:process';
import { setupEnvironment } from './environment.mjs';
import { runVisibly } from './processes.mjs';
import { inRepository, repository } from './repository.mjs';
import { isInCI } from './slow-tests.mjs';

/** `turbo run …` without telemetry. Resolves to its exit code. */
export function runTurbo(asked, more = {}) {
  const turbo = inRepository('node_modules', '.bin', 'turbo');
  return runVisibly([turbo, 'run', ...asked], { cwd: repository, env: { ...setupEnvironment(), ...more } });
}

/**
 * A task of tests, in one package after the other, each on all processors: more at once only wait for each other. What passed
 * before, with the same files, variables and machine, is not run again, and turbo says so (`--force` runs it). CI runs
 * all of it, and who asks for tables of coverage gets their files.
 */
export function runTests(task, asked) {
  return runTurbo(testWords(task, asked), { TEST_MACHINE: machine() });
}

export function testWords(task, asked, environment = process.env) {
  const force = isInCI(environment) || asked.includes('--coverage') ? ['--force'] : [];
  return [task, '--continue=dependencies-successful', '--concurrency=1', ...force, ...asked];
}

/** What results of tests depend on beside files and variables: other programs are there, or other versions of them. */
function machine() {
  const versions = ['bwrap', 'git'].map((program) => spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout?.trim());
  return [process.version, process.arch, os.version(), process.getuid?.(), process.env.PATH, ...versions].join('; ');
}
