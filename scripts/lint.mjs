// `pnpm lint`: oxlint with types over the packages, the scripts and the bench. A warning is an error.
// Arguments are files to look at instead, and flags (`--fix`).
import { existsSync } from 'node:fs';
import process from 'node:process';
import { main, runVisibly } from './lib/processes.mjs';
import { inRepository, repository } from './lib/repository.mjs';

const everything = ['packages', 'scripts', 'bench', 'jest.config.mjs'].filter((place) => existsSync(inRepository(place)));

await main(() => {
  const asked = process.argv.slice(2).filter((argument) => argument !== '--');
  const places = asked.some((argument) => !argument.startsWith('-')) ? [] : everything;
  const oxlint = inRepository('node_modules', '.bin', 'oxlint');
  return runVisibly([oxlint, '--type-aware', '--deny-warnings', ...asked, ...places], { cwd: repository });
});
