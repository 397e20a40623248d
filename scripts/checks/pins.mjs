import { finding } from './source.mjs';

const exact = /^\d+\.\d+\.\d+(-[\w.]+)?$/;
const lists = ['dependencies', 'devDependencies', 'optionalDependencies'];

/** Entries of the default catalog of pnpm-workspace.yaml: a flat list of `name: version`. */
export function catalogOf(text) {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^catalog:\s*$/.test(line));
  const entries = [];
  for (let index = start + 1; start !== -1 && index < lines.length; index += 1) {
    if (/^\S/.test(lines[index])) break;
    const match = /^ {2}['"]?([^'":\s]+)['"]?:\s*['"]?([^'"#\s]+)['"]?/.exec(lines[index]);
    if (match !== null) entries.push({ name: match[1], version: match[2], line: index + 1 });
  }
  return entries;
}

/** One place for versions, and each exact: every dependency is `catalog:` or `workspace:`. */
export function checkPins(files) {
  const catalog = catalogOf(files.get('pnpm-workspace.yaml') ?? '');
  const findings = catalog
    .filter(({ version }) => !exact.test(version))
    .map(({ name, version, line }) => finding('pnpm-workspace.yaml', line, `${name}: ${version} is not an exact version.`));
  const used = new Set();
  for (const [file, text] of files) {
    if (!/^(packages\/[^/]+\/)?package\.json$/.test(file)) continue;
    const manifest = JSON.parse(text);
    for (const [name, version] of lists.flatMap((list) => Object.entries(manifest[list] ?? {}))) {
      used.add(name);
      if (version === 'catalog:' && !catalog.some((entry) => entry.name === name)) findings.push(finding(file, 1, `${name} is not in the catalog.`));
      if (version !== 'catalog:' && !version.startsWith('workspace:')) findings.push(finding(file, 1, `${name}: ${version}. Versions stand in the catalog.`));
    }
  }
  const idle = catalog.filter(({ name }) => !used.has(name));
  return [...findings, ...idle.map(({ name, line }) => finding('pnpm-workspace.yaml', line, `${name} is used by no package.`))];
}
