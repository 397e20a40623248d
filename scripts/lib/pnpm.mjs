import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { setupEnvironment } from './environment.mjs';
import { installDependencies } from './install.mjs';
import { report } from './processes.mjs';
import { readRootManifest, repository } from './repository.mjs';

export function isUnderPnpm(environment = process.env) {
  return (environment.npm_config_user_agent ?? '').startsWith('pnpm/');
}

export function pinnedPnpm(manifest) {
  const match = /^pnpm@(\d+\.\d+\.\d+)$/.exec(manifest.packageManager ?? '');
  if (match === null) throw new Error('package.json must pin pnpm exactly: "packageManager": "pnpm@<version>".');
  return match[1];
}

/**
 * Whether `pnpm` in the environment's PATH is the pinned one. Asked outside of the repository, where an older pnpm would first
 * download the pinned one, and in the root of the file system: pnpm and corepack run whatever version a `package.json` of the
 * current folder or of any above it names. In a temporary folder, a fresh one too, another user of the machine could put one.
 */
export function hasPnpm(pin, environment) {
  const env = { ...environment, COREPACK_ENABLE_NETWORK: '0' };
  const cwd = path.parse(repository).root;
  const probe = spawnSync('pnpm', ['--version'], { cwd, encoding: 'utf8', timeout: 30_000, env });
  return probe.status === 0 && probe.stdout.trim() === pin;
}

/** The PATH of a program that npx starts, on which the pinned pnpm is. Fetches pnpm the first time. */
function pathThroughNpx(pin, env) {
  const command = ['--package', `pnpm@${pin}`, '--', 'node', '--print', 'process.env.PATH'];
  // What npm has in its cache is asked first: otherwise a run without a network waits a minute for one.
  // A cache that is older than the pin does not know it (ETARGET), and only then is it renewed.
  const attempts = [['--yes', '--prefer-offline', ...command], ['--yes', ...command]];
  let said = '';
  for (const attempt of attempts) {
    const run = spawnSync('npx', attempt, { cwd: repository, encoding: 'utf8', env });
    const found = run.stdout?.trim().split('\n').at(-1);
    if (run.status === 0 && hasPnpm(pin, { ...env, PATH: found })) return found;
    said = run.stderr ?? run.error?.message ?? '';
    if (!said.includes('ETARGET')) break;
  }
  throw new Error(`pnpm ${pin} could not be fetched from the npm registry.\n${said}`);
}

/** An environment whose `pnpm` is the pinned one: the machine's own if it is, else one that npx brings. */
export function pnpmEnvironment() {
  const pin = pinnedPnpm(readRootManifest());
  const env = setupEnvironment();
  if (hasPnpm(pin, env)) return env;
  report(`getting pnpm ${pin} through npx`);
  return { ...env, PATH: pathThroughNpx(pin, env) };
}

/** Installs what is missing, then does `work(env)`, where `pnpm` is the pinned one. Resolves to an exit code. */
export async function withPnpm(work) {
  const env = pnpmEnvironment();
  const installed = await installDependencies(env);
  if (installed === 0) return work(env);
  report(`pnpm install failed with exit code ${installed}; what it said is above`);
  return installed;
}
