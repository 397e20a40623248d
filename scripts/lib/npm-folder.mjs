// Programs of others that devs is held against. They are no dependencies: they come, pinned, into a folder of their own.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setupEnvironment } from './environment.mjs';
import { report, runQuietly } from './processes.mjs';

const DONE = '.devs-installed';

/**
 * Installs `packages` (name → exact version) with npm, without their scripts. The folder goes when it is disposed of and
 * with the process, unless `DEVS_PEERS_DIR` names a folder where they stay for the next run.
 */
export async function installPackages(packages) {
  const kept = process.env['DEVS_PEERS_DIR'];
  const folder = kept === undefined ? mkdtempSync(path.join(os.tmpdir(), 'devs-peers-')) : path.join(kept, nameOf(packages));
  const remove = () => kept === undefined && rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const dispose = () => {
    process.removeListener('exit', remove);
    remove();
  };
  if (!existsSync(path.join(folder, DONE))) await install(folder, packages);
  return { folder, file: (...segments) => path.join(folder, 'node_modules', ...segments), [Symbol.dispose]: dispose };
}

async function install(folder, packages) {
  const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  report(`installing ${wanted.join(', ')}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'devs-peers', private: true }));
  const words = ['install', '--save-exact', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...wanted];
  const code = await runQuietly(['npm', ...words], { cwd: folder, env: setupEnvironment() });
  if (code !== 0) throw new Error(`npm could not install ${wanted.join(', ')} (exit ${code}).`);
  writeFileSync(path.join(folder, DONE), '');
}

function nameOf(packages) {
  return createHash('sha256').update(JSON.stringify(packages)).digest('hex').slice(0, 16);
}
