// `pnpm guards [rows] [--seed N] [--row START]`: removes the guards of that many requirements, chosen at random (default 20; 0: of
// all), one at a time in a copy of the repository, and runs the test that each row names. Says which tests stayed green;
// exit 1 when one did. Prints the seed, which chooses the same rows again.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { readRepository } from './checks/files.mjs';
import { GUARDS } from './checks/guards.config.mjs';
import { runNamedTest } from './lib/named-test.mjs';
import { pnpmEnvironment } from './lib/pnpm.mjs';
import { main, report, runQuietly } from './lib/processes.mjs';
import { inRepository, repository } from './lib/repository.mjs';
import { readRequirements, requirementsPage, rowsOf } from './lib/requirements.mjs';

await main(async () => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { seed: { type: 'string' }, row: { type: 'string' } } });
  const seed = values.seed ?? String(Math.floor(Math.random() * 1_000_000));
  const rows = choose(seed, Number(positionals[0] ?? 20)).filter(([start]) => values.row === undefined || start.startsWith(values.row));
  const copy = mkdtempSync(path.join(os.tmpdir(), 'devs-guards-'));
  try {
    report(`${rows.length} of ${GUARDS.length} requirements, seed ${seed}`);
    await makeCopy(copy);
    const verdicts = [];
    for (const row of rows) verdicts.push(await judge(copy, row));
    return summarize(verdicts);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

/** The same rows for the same seed, whatever the order of the table. */
function choose(seed, count) {
  const keyOf = ([start]) => createHash('sha256').update(`${seed} ${start}`).digest('hex');
  const shuffled = GUARDS.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  return count > 0 ? shuffled.slice(0, count) : shuffled;
}

async function makeCopy(copy) {
  for (const file of readRepository(repository).keys()) {
    mkdirSync(path.join(copy, path.dirname(file)), { recursive: true });
    copyFileSync(inRepository(file), path.join(copy, file));
  }
  // Checks look at the files that git lists.
  for (const words of [['init', '--quiet'], ['add', '--all']]) await runQuietly(['git', ...words], { cwd: copy });
  const installed = await runQuietly(['pnpm', 'install', '--frozen-lockfile', '--prefer-offline'], { cwd: copy, env: pnpmEnvironment() });
  if (installed !== 0) throw new Error('The packages of the copy could not be installed; what pnpm said is above.');
}

/** A test that is red with its guard in place, or that does not run, proves nothing either. */
async function judge(copy, [start, found, replacement]) {
  const [row] = rowsOf(readRequirements(readFileSync(path.join(copy, requirementsPage), 'utf8')), start);
  const guarded = path.join(copy, row.file);
  const text = readFileSync(guarded, 'utf8');
  const before = await runNamedTest(copy, row);
  if (before !== 'green') return say(row, `its test is ${before} while the guard is there`);
  writeFileSync(guarded, text.replace(found, () => replacement));
  try {
    const after = await runNamedTest(copy, row);
    return say(row, after === 'red' ? 'red' : `its test is ${after} without the guard`);
  } finally {
    writeFileSync(guarded, text);
  }
}

function say({ requirement, test, names }, verdict) {
  process.stdout.write(`${verdict === 'red' ? 'ok     ' : 'STAYED '} ${requirement}\n`);
  if (verdict !== 'red') process.stdout.write(`        ${test} ${names.join(', ')}: ${verdict}\n`);
  return verdict;
}

function summarize(verdicts) {
  const red = verdicts.filter((verdict) => verdict === 'red').length;
  process.stdout.write(`${red} of ${verdicts.length} tests turned red without their guard\n`);
  return red === verdicts.length ? 0 : 1;
}
