// Runs jest for the package in the current folder. It understands the spellings that people type:
// a literal `--` that pnpm passes on, and jest 29's `--testPathPattern` (jest 30 renamed it).
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import process from 'node:process';
import { jestArguments } from './lib/jest-arguments.mjs';
import { isModernNode, minimumNode } from './lib/node-version.mjs';
import { main, runVisibly } from './lib/processes.mjs';
import { inRepository } from './lib/repository.mjs';

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
  const env = { NODE_COMPILE_CACHE: inRepository('node_modules', '.cache', 'compiled'), ...process.env };
  return runVisibly([process.execPath, jest, ...fixed, ...jestArguments(process.argv.slice(2), name)], { env });
});
