// `pnpm check:packs`: packs every package as a release would and looks at what is inside:
// publint, are-the-types-wrong, and nothing that belongs to this workspace alone. Then installs all of them and uses them on
// every Node that is supported, as their user would. Needs a build, and the npm registry.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { packProblems } from './lib/pack-contents.mjs';
import { engineProblems, tryPackedDevs } from './lib/packed-devs.mjs';
import { main, report } from './lib/processes.mjs';
import { inRepository, repository } from './lib/repository.mjs';

function run(command, cwd = repository) {
  const [program, ...rest] = command;
  const done = spawnSync(program, rest, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 64 * 1024 * 1024 });
  if (done.error) throw done.error;
  return { ok: done.status === 0, said: `${done.stdout}${done.stderr}`, out: done.stdout };
}

function contentProblems(tarball) {
  const paths = run(['tar', '-tzf', tarball]).out.trim().split('\n').map((file) => file.replace(/^package\//, ''));
  return packProblems(run(['tar', '-xzOf', tarball, 'package/package.json']).out, paths);
}

function problemsOf(name, folder) {
  const packed = run(['pnpm', 'pack', '--pack-destination', folder], inRepository('packages', name));
  const [place] = tarballsIn(folder);
  if (!packed.ok || place === undefined) return [packed.said];
  const tool = (program) => inRepository('node_modules', '.bin', program);
  const judges = [
    [tool('publint'), '--strict', place],
    [tool('attw'), '--profile', 'esm-only', '--no-color', '--no-emoji', place],
  ];
  const complaints = judges.map((judge) => run(judge)).filter(({ ok }) => !ok).map(({ said }) => said);
  return [...contentProblems(place), ...complaints];
}

function folderOf(folder, name) {
  mkdirSync(path.join(folder, name));
  return path.join(folder, name);
}

function tarballsIn(folder) {
  return readdirSync(folder).filter((file) => file.endsWith('.tgz')).map((file) => path.join(folder, file));
}

function tell(name, problems) {
  report(`${name}: ${problems.length === 0 ? 'ok' : `\n${problems.join('\n')}`}`);
  return problems.length === 0;
}

await main(async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'devs-packs-'));
  try {
    const names = readdirSync(inRepository('packages')).sort();
    const judged = names.map((name) => tell(`@devs/${name}`, problemsOf(name, folderOf(folder, name))));
    judged.push(tell('the lowest Node', engineProblems()));
    const tarballs = names.flatMap((name) => tarballsIn(path.join(folder, name)));
    judged.push(tell('the packs, installed and used', await tryPackedDevs(folder, tarballs)));
    return judged.every((isGood) => isGood) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
