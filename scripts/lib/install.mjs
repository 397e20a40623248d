import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { report, runQuietly } from './processes.mjs';
import { repository } from './repository.mjs';

const stampFile = path.join('node_modules', '.devs-install');

function manifests(root) {
  const packages = readdirSync(path.join(root, 'packages'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join('packages', entry.name, 'package.json'));
  return ['package.json', ...packages.sort()].filter((file) => existsSync(path.join(root, file)));
}

/**
 * Everything that decides what an install puts in place, and what pnpm noted about the last one: a
 * `pnpm install --prod` by hand, an edited manifest, a moved folder or another machine changes it.
 */
export function installFingerprint(root) {
  const hash = createHash('sha256').update([root, process.platform, process.arch].join('\0'));
  const notes = [path.join('node_modules', '.modules.yaml'), path.join('node_modules', '.pnpm', 'lock.yaml')];
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests(root), ...notes]) {
    const full = path.join(root, file);
    hash.update(`\0${file}\0`).update(existsSync(full) ? readFileSync(full) : 'absent');
  }
  return hash.digest('hex');
}

function lacksItsModules(root, file) {
  const manifest = JSON.parse(readFileSync(path.join(root, file), 'utf8'));
  const wanted = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  return wanted.some((name) => !existsSync(path.join(root, path.dirname(file), 'node_modules', name)));
}

/** True when the last install was for exactly this state, so that a second run needs no network. */
export function isInstalled(root) {
  const stamp = path.join(root, stampFile);
  if (!existsSync(stamp)) return false;
  if (readFileSync(stamp, 'utf8').trim() !== installFingerprint(root)) return false;
  return !manifests(root).some((file) => lacksItsModules(root, file));
}

export function writeStamp(root) {
  writeFileSync(path.join(root, stampFile), `${installFingerprint(root)}\n`);
}

/** Installs what the lockfile says, if it is not there already. Resolves to an exit code. */
export async function installDependencies(environment) {
  if (isInstalled(repository)) return 0;
  report('installing dependencies (once)');
  // CI: never ask. A modules folder of another layout is replaced without a question.
  const env = { ...environment, CI: 'true' };
  const code = await runQuietly(['pnpm', 'install', '--frozen-lockfile'], { cwd: repository, env });
  if (code === 0) writeStamp(repository);
  return code;
}
