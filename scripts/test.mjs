// `npm test`: sets up, builds and tests everything, but slow tests of packages that are as on the default branch, which are left
// to CI. With arguments, what they ask for: `pnpm test --filter @devs/core -- --testPathPattern tool-proxy --ci`; with `--slow` all
// slow tests too.
import process from 'node:process';
import { refuseUnsupportedPlatform } from './lib/find-node.mjs';
import { isUnderPnpm, withPnpm } from './lib/pnpm.mjs';
import { main, runVisibly, worst } from './lib/processes.mjs';
import { inRepository, readRootManifest, repository } from './lib/repository.mjs';
import { findScriptTests } from './lib/script-tests.mjs';
import { changedPackages, leftApart, leftToCI, packagesWithSlowTests, planSlowTests, runsAllTests } from './lib/slow-tests.mjs';
import { runTests } from './lib/turbo.mjs';

async function testScripts() {
  const files = findScriptTests(inRepository('scripts'));
  return runVisibly([process.execPath, '--test', '--test-reporter=dot', ...files], { cwd: repository });
}

async function runAll(typed) {
  const asked = typed.filter((argument) => argument !== '--slow');
  const known = runsAllTests() ? [] : packagesWithSlowTests();
  const { added, left } = planSlowTests(known, asked, { all: asked.length < typed.length, changed: changedPackages() });
  const apart = asked.length === 0 ? leftApart() : [];
  const steps = [() => runTests('test', [...asked, ...apart.map((name) => `--filter=!${name}`)])];
  if (added.length > 0) steps.push(() => runTests('test:slow', added.map(({ name }) => `--filter=${name}`)));
  if (asked.length === 0) steps.push(testScripts);
  const code = await worst(steps);
  if (apart.length > 0) process.stdout.write(`Left to a command of its own: the tests of ${apart.join(', ')}\n`);
  if (!asked.includes('--')) process.stdout.write(leftToCI(left));
  return code;
}

await main(async () => {
  const asked = process.argv.slice(2);
  if (isUnderPnpm()) return runAll(asked);
  refuseUnsupportedPlatform(readRootManifest());
  return withPnpm((env) => runVisibly(['pnpm', 'run', 'test', ...asked], { cwd: repository, env }));
});
