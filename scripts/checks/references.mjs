import { finding } from './source.mjs';

const advice = 'Run `pnpm check --write`.';

/** The `references` that a package's tsconfig.json needs: those of our packages that it depends on. */
function wantedReferences(files, folder) {
  const { dependencies = {} } = JSON.parse(files.get(`${folder}package.json`));
  const own = Object.entries(dependencies).filter(([, version]) => version.startsWith('workspace:'));
  return own.map(([name]) => ({ path: `../${name.split('/')[1]}` })).sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** The tsconfig.json files whose `references` are not the dependencies of their package: path → text as it has to be. */
export function staleReferences(files) {
  const stale = new Map();
  for (const [file, text] of files) {
    const folder = /^(packages\/[^/]+\/)tsconfig\.json$/.exec(file)?.[1];
    if (folder === undefined || !files.has(`${folder}package.json`)) continue;
    const config = JSON.parse(text);
    const references = wantedReferences(files, folder);
    if (JSON.stringify(config.references ?? []) !== JSON.stringify(references)) stale.set(file, `${JSON.stringify({ ...config, references }, undefined, 2)}\n`);
  }
  return stale;
}

/** A build compiles what a package depends on before the package: the two lists are one. */
export function checkReferences(files) {
  return [...staleReferences(files).keys()].map((file) => finding(file, 1, `The references are not the dependencies of the package. ${advice}`));
}
