import { spawnSync } from 'node:child_process';
import { finding } from './source.mjs';

/** Licences that a user of devs may be handed without a question. */
const permissive = new Set([
  '0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'CC0-1.0', 'ISC', 'MIT', 'MIT-0', 'Python-2.0', 'Unlicense', 'CC-BY-4.0', 'CC-BY-3.0',
]);

/** `MIT`, `(MIT OR GPL-3.0)`, `Apache-2.0 AND MIT`. An unknown word is not permissive. */
export function isPermissive(expression) {
  const plain = expression.replace(/[()]/g, '').trim();
  return plain.split(/\s+OR\s+/).some((choice) => choice.split(/\s+AND\s+/).every((part) => permissive.has(part.trim())));
}

/** `installed` is what `pnpm licenses list --json` prints: licence → packages. */
export function checkLicences(installed) {
  return Object.entries(installed)
    .filter(([licence]) => !isPermissive(licence))
    .flatMap(([licence, packages]) => packages.map(({ name }) => finding('pnpm-lock.yaml', 1, `${name} has the licence ${licence}.`)));
}

export function installedLicences(folder) {
  const run = spawnSync('pnpm', ['licenses', 'list', '--json'], { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (run.status !== 0) throw new Error(`pnpm licenses list failed: ${run.stderr ?? run.error}`);
  return JSON.parse(run.stdout);
}
