import { setupEnvironment } from './environment.mjs';
import { runVisibly } from './processes.mjs';
import { inRepository, repository } from './repository.mjs';

/** `turbo run …` without telemetry. Resolves to its exit code. */
export function runTurbo(asked) {
  const turbo = inRepository('node_modules', '.bin', 'turbo');
  return runVisibly([turbo, 'run', ...asked], { cwd: repository, env: setupEnvironment() });
}

/** A task of tests, in one package after the other, each on all processors: more at once only wait for each other. */
export function runTests(task, asked) {
  return runTurbo([task, '--continue=dependencies-successful', '--concurrency=1', ...asked]);
}
