// `pnpm test:times [package] [-- pattern]`: runs the tests of a package, or of all, the slow ones too, and prints what each file
// costs, slowest first: CPU seconds of its process and of the children that it waits for; seconds on the clock where the system
// does not say.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { main, report, runVisibly } from './lib/processes.mjs';
import { inRepository, repository } from './lib/repository.mjs';
import { readCosts, timesTable } from './lib/times-table.mjs';

/** Stdout belongs to the table. */
const toStderr = ['inherit', 2, 2];

await main(async () => {
  const { packages, pattern } = whatIsAsked(process.argv.slice(2));
  if (packages.length === 0) return 64;
  const built = await runVisibly([process.execPath, inRepository('scripts', 'build.mjs')], { cwd: repository, stdio: toStderr });
  if (built !== 0) return built;
  const place = mkdtempSync(path.join(os.tmpdir(), 'devs-test-times-'));
  try {
    return await measure(packages, pattern, path.join(place, 'costs'));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});

/** `@devs/core`, `core` or none, which is all; jest's pattern after `--`, or after the package. */
function whatIsAsked(typed) {
  const known = readdirSync(inRepository('packages'));
  const [first, ...others] = typed.filter((argument) => argument !== '--');
  const name = first?.replace(/^@devs\//, '');
  if (typed[0] === '--' || first === undefined) return { packages: known, pattern: first };
  if (!known.includes(name) || others.length > 1) report(`usage: pnpm test:times [package] [-- pattern]; packages: ${known.join(' ')}`);
  return { packages: known.filter((each) => each === name), pattern: others[0] };
}

async function measure(packages, pattern, file) {
  writeFileSync(file, '');
  const environment = inRepository('scripts', 'lib', 'times-environment.mjs');
  const words = [`--env=${environment}`, ...(pattern === undefined ? [] : [`--testPathPattern=${pattern}`])];
  const env = { DEVS_ALL_TESTS: '1', ...process.env, DEVS_TEST_TIMES: file };
  let worst = 0;
  for (const name of packages) {
    const command = [process.execPath, inRepository('scripts', 'jest.mjs'), ...words];
    const code = await runVisibly(command, { cwd: inRepository('packages', name), env, stdio: toStderr });
    worst = Math.max(worst, code);
    if (code > 128) break;
  }
  process.stdout.write(`${timesTable(readCosts(readFileSync(file, 'utf8')), (each) => path.relative(repository, each))}\n`);
  return worst;
}
