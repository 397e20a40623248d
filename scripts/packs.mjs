// `pnpm check:packs`: packs every package as a release would and looks at what is inside:
// publint, are-the-types-wrong, and nothing that belongs to this workspace alone. Needs a build.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { packProblems } from './lib/pack-contents.mjs';
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
  const tarball = readdirSync(folder).find((file) => file.endsWith('.tgz'));
  if (!packed.ok || tarball === undefined) return [packed.said];
  const place = path.join(folder, tarball);
  const tool = (program) => inRepository('node_modules', '.bin', program);
  const judges = [
    [tool('publint'), '--strict', place],
    [tool('attw'), '--profile', 'esm-only', '--no-color', '--no-emoji', place],
  ];
  const complaints = judges.map((judge) => run(judge)).filter(({ ok }) => !ok).map(({ said }) => said);
  return [...contentProblems(place), ...complaints];
}

await main(() => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'devs-packs-'));
  try {
    let failed = 0;
    for (const name of readdirSync(inRepository('packages')).sort()) {
      const problems = problemsOf(name, mkdtempSync(path.join(folder, `${name}-`)));
      report(`@devs/${name}: ${problems.length === 0 ? 'ok' : `\n${problems.join('\n')}`}`);
      if (problems.length > 0) failed += 1;
    }
    return failed === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
