import { setupEnvironment } from './environment.mjs';
import { runVisibly } from './processes.mjs';
import { inRepository, repository } from './repository.mjs';

/** `turbo run …` without telemetry. Resolves to its exit code. */
export function runTurbo(asked) {
  const turbo = inRepository('node_modules', '.bin', 'turbo');
  return runVisibly([turbo, 'run', ...asked], { cwd: repository, env: setupEnvironment() });
}
