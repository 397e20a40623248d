// `npm test`: sets up, builds and tests everything. With arguments, what they ask for:
// `pnpm test --filter @devs/core -- --testPathPattern tool-proxy --ci`.
import process from 'node:process';
import { refuseUnsupportedPlatform } from './lib/find-node.mjs';
import { isUnderPnpm, withPnpm } from './lib/pnpm.mjs';
import { main, runVisibly } from './lib/processes.mjs';
import { inRepository, readRootManifest, repository } from './lib/repository.mjs';
import { findScriptTests } from './lib/script-tests.mjs';
import { runTurbo } from './lib/turbo.mjs';

async function testScripts() {
  const files = findScriptTests(inRepository('scripts'));
  return runVisibly([process.execPath, '--test', '--test-reporter=dot', ...files], { cwd: repository });
}

await main(async () => {
  const asked = process.argv.slice(2);
  if (!isUnderPnpm()) {
    refuseUnsupportedPlatform(readRootManifest());
    return withPnpm((env) => runVisibly(['pnpm', 'run', 'test', ...asked], { cwd: repository, env }));
  }
  // One package after the other, each on all processors: more at once only wait for each other.
  const packages = await runTurbo(['test', '--continue=dependencies-successful', '--concurrency=1', ...asked]);
  const interrupted = packages > 128;
  if (asked.length > 0 || interrupted) return packages;
  const scripts = await testScripts();
  return packages === 0 ? scripts : packages;
});
