// `npm start`: sets up, builds and serves the folder it was called from. Needs Node 20 and npm, no packages.
import process from 'node:process';
import { findNode, refuseUnsupportedPlatform } from './lib/find-node.mjs';
import { pathLine } from './lib/path-line.mjs';
import { isUnderPnpm, withPnpm } from './lib/pnpm.mjs';
import { main, report, runQuietly, runVisibly } from './lib/processes.mjs';
import { inRepository, readRootManifest, repository } from './lib/repository.mjs';
import { serveArguments } from './lib/serve-arguments.mjs';

/** npm and pnpm run scripts in the repository; INIT_CWD is where the user stood. */
const calledFrom = process.env.INIT_CWD ?? process.cwd();

async function build(env) {
  report('building');
  return runQuietly([process.execPath, inRepository('scripts', 'build.mjs')], { cwd: repository, env });
}

await main(async () => {
  refuseUnsupportedPlatform(readRootManifest());
  const built = isUnderPnpm() ? await build(process.env) : await withPnpm(build);
  if (built !== 0) return built;
  const entry = inRepository('packages', 'cli', 'dist', 'main.js');
  const line = pathLine();
  if (line !== undefined) report(`to call devs by its name, in the shell that starts your client:\n  ${line}`);
  // The user's folder is also the working directory: relative paths in the arguments are theirs.
  return runVisibly([findNode(), entry, ...serveArguments(process.argv.slice(2), calledFrom)], { cwd: calledFrom });
});
