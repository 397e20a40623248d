// Runs jest for the package in the current folder; in full without its slow tests, but for `.ci/run`. It understands the spellings that people type:
// a literal `--` that pnpm passes on, and jest 29's `--testPathPattern` (jest 30 renamed it).
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { asksForFloor, jestArguments } from './lib/jest-arguments.mjs';
import { isModernNode, minimumNode } from './lib/node-version.mjs';
import { main, report, runVisibly } from './lib/processes.mjs';
import { inRepository } from './lib/repository.mjs';
import { findSlowTests, runsAllTests, slowPattern } from './lib/slow-tests.mjs';

await main(async () => {
  if (!isModernNode(process.version)) {
    throw new Error(
      `these tests need Node ${minimumNode} or newer; this is ${process.version}. ` +
        'Run `npm test` in the repository: it brings one.',
    );
  }
  const { name } = JSON.parse(readFileSync('package.json', 'utf8'));
  const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
  // Without passWithNoTests=false a pattern that matches nothing could be green: a typo must not be.
  const fixed = ['--config', inRepository('jest.config.mjs'), '--rootDir', process.cwd(), '--passWithNoTests=false'];
  // Tests start the built command hundreds of times: most of a start is the compiling of the same modules.
  const compiled = inRepository('node_modules', '.cache', 'compiled');
  // A test that forgets to say where its configuration lies must not make a key in the home of whoever runs it.
  const home = mkdtempSync(path.join(os.tmpdir(), 'devs-test-home-'));
  const env = { NODE_COMPILE_CACHE: compiled, ...process.env, XDG_CONFIG_HOME: home };
  const words = jestArguments(process.argv.slice(2), name, { hasSlow: runsAllTests(), hasFloor: asksForFloor() });
  try {
    return await runVisibly([process.execPath, jest, ...fixed, ...words], { env });
  } finally {
    const slow = words.some((word) => word === `--testPathIgnorePatterns=${slowPattern}`) ? findSlowTests(process.cwd()).length : 0;
    if (slow > 0) report(`slow test files of ${name} that are not part of this run: ${slow}`);
    rmSync(home, { recursive: true, force: true });
  }
});
