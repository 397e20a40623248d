import { builtinModules } from 'node:module';
import path from 'node:path';
import { bareName, findImports } from './imports.mjs';
import { innerLayers, layerExceptions, layerOffenders, packageLayers, restrictedImports, restrictedText } from './layers.config.mjs';
import { finding, isPackageSource, isTest, parse } from './source.mjs';

const defaults = { packageLayers, innerLayers, restrictedImports, restrictedText, layerExceptions, layerOffenders };

function packageOf(file) {
  return file.split('/')[1];
}

function siblingProblem({ file, module }, { packageLayers: rules }) {
  if (!module.startsWith(rules.scope)) return undefined;
  const from = packageOf(file);
  const to = bareName(module).slice(rules.scope.length);
  const allowed = rules.mayImport[from] ?? rules.others;
  if (allowed === '*' || allowed.includes(to)) return undefined;
  return `${rules.scope}${from} imports ${rules.scope}${to}. ${rules.rule}`;
}

function escapeProblem({ file, module }) {
  if (!module.startsWith('.')) return undefined;
  const target = path.posix.join(path.posix.dirname(file), module);
  const home = `packages/${packageOf(file)}/`;
  return target.startsWith(home) ? undefined : `${module} leaves the package: import it by the package's name.`;
}

/** The entry of a file is its folder in `src`, or a folder in that one where the table names it: `egress`, `egress/in-box`. */
function rankOf(file, { folder, order }) {
  const [outer, inner] = file.slice(folder.length).replace(/\.(ts|js)$/, '').split('/');
  const entry = order.flat().includes(`${outer}/${inner}`) ? `${outer}/${inner}` : outer;
  return { entry, rank: order.findIndex((line) => line.includes(entry)) };
}

function innerProblem({ file, module }, { innerLayers }) {
  const rules = innerLayers.find(({ folder }) => file.startsWith(folder));
  if (rules === undefined || isTest(file) || !module.startsWith('.')) return undefined;
  const target = path.posix.join(path.posix.dirname(file), module);
  const from = rankOf(file, rules);
  const to = rankOf(target, rules);
  if (from.entry === to.entry || !target.startsWith(rules.folder)) return undefined;
  const unknown = [from, to].find(({ rank }) => rank === -1);
  if (unknown !== undefined) return `${rules.folder}${unknown.entry} is not in scripts/checks/layers.config.mjs. ${rules.rule}`;
  return to.rank < from.rank ? undefined : `${from.entry} imports ${to.entry}. ${rules.rule}`;
}

function restrictedProblem({ file, module }, rules) {
  const broken = rules.restrictedImports.find(
    ({ modules, except }) => modules.includes(module) && !except.some((pattern) => pattern.test(file)),
  );
  return broken?.rule;
}

function undeclaredProblem({ file, module }, files) {
  if (module.startsWith('.') || module.startsWith('node:') || builtinModules.includes(module) || isTest(file)) return undefined;
  const manifest = JSON.parse(files.get(`packages/${packageOf(file)}/package.json`) ?? '{}');
  const name = bareName(module);
  if (name === manifest.name) return undefined;
  const declared = { ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.optionalDependencies };
  return name in declared ? undefined : `${name} is not a dependency of this package.`;
}

function isOffender({ file, module }, { layerOffenders: offenders }) {
  return offenders.some(([from, to]) => from === file && to === module);
}

/** The list of offenders can only get shorter: an entry that offends no more has to go. */
function staleFindings(files, rules) {
  const isStale = ([file, module]) => {
    const isImported = files.has(file) && findImports(parse(files, file)).some((found) => found.module === module);
    return !isImported || innerProblem({ file, module }, rules) === undefined;
  };
  return rules.layerOffenders.filter(isStale).map(([file, module]) => finding(file, 1, `The import of ${module} offends no more: remove it from \`layerOffenders\`.`));
}

function problemsOf(found, files, rules) {
  if (found.module === undefined) return ['A computed import cannot be checked: name the module.'];
  if (rules.layerExceptions.some(({ from, to }) => from === found.file && to === found.module)) return [];
  const problems = [
    siblingProblem(found, rules) ?? undeclaredProblem(found, files),
    escapeProblem(found),
    isOffender(found, rules) ? undefined : innerProblem(found, rules),
    restrictedProblem(found, rules),
  ];
  return problems.filter((problem) => problem !== undefined);
}

function textFindings(file, text, { restrictedText: rules = [] }) {
  if (isTest(file)) return [];
  const broken = rules.filter(({ only, pattern }) => file !== only && pattern.test(text));
  return broken.map(({ pattern, rule }) => finding(file, text.slice(0, text.search(pattern)).split('\n').length, rule));
}

/** Who imports whom, held to the tables of layers.config.mjs. */
export function checkLayers(files, rules = defaults) {
  const findings = rules.layerExceptions
    .filter(({ reason }) => !reason)
    .map(({ from }) => finding(from, 1, 'An exception to the layers carries its reason.'));
  findings.push(...staleFindings(files, rules));
  for (const file of files.keys()) {
    if (!isPackageSource(file)) continue;
    findings.push(...textFindings(file, files.get(file), rules));
    for (const { line, module } of findImports(parse(files, file))) {
      const problems = problemsOf({ file, module }, files, rules);
      findings.push(...problems.map((problem) => finding(file, line, problem)));
    }
  }
  return findings;
}
