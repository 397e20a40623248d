import { bareName, findImports } from './imports.mjs';
import { finding, isPackageSource, isTest, parse } from './source.mjs';

function manifestsOf(files) {
  return [...files].flatMap(([file, text]) => {
    const folder = /^(packages\/[^/]+\/)package\.json$/.exec(file)?.[1];
    return folder === undefined ? [] : [{ file, folder, manifest: JSON.parse(text) }];
  });
}

/** The packages that the sources of each package import, tests left out: folder → names. */
function importsByFolder(files) {
  const found = new Map();
  for (const file of files.keys()) {
    if (!isPackageSource(file) || isTest(file)) continue;
    const folder = /^packages\/[^/]+\//.exec(file)[0];
    if (!found.has(folder)) found.set(folder, new Set());
    for (const { module } of findImports(parse(files, file))) if (module !== undefined) found.get(folder).add(bareName(module));
  }
  return found;
}

function dependencyFindings({ file, folder, manifest }, imported) {
  const names = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  const idle = names.filter((name) => imported.get(folder)?.has(name) !== true);
  return idle.map((name) => finding(file, 1, `${name} is a dependency that no source of this package imports.`));
}

/** A package that no other package imports is an empty shell, unless it is a command. A dependency that nothing imports is a risk for nothing. */
export function checkUnused(files) {
  const imported = importsByFolder(files);
  return manifestsOf(files).flatMap((entry) => {
    const { file, folder, manifest } = entry;
    const isImported = [...imported].some(([from, names]) => from !== folder && names.has(manifest.name));
    const idle = isImported || manifest.bin !== undefined ? [] : [finding(file, 1, `No package imports ${manifest.name}: import it, or remove it.`)];
    return [...idle, ...dependencyFindings(entry, imported)];
  });
}
