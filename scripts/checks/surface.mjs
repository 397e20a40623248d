import { finding, lineOf, nameOf, parse } from './source.mjs';
import { publicSurface } from './surface.config.mjs';

const configFile = 'scripts/checks/surface.config.mjs';
const advice = 'If it is meant, run `pnpm check --write` and say why in a decision.';

function declaredNames(declaration) {
  if (declaration.type === 'VariableDeclaration') return declaration.declarations.map(({ id }) => id.name);
  const name = nameOf(declaration.id);
  return [/^TS(Interface|TypeAlias)/.test(declaration.type) ? `type ${name}` : name];
}

/** Exported names of an entry file, types written `type Name`; `*` for a list that hides its names. */
export function exportedNames(tree) {
  return tree.program.body.flatMap((statement) => {
    if (statement.type === 'ExportAllDeclaration') return ['*'];
    if (statement.type === 'ExportDefaultDeclaration') return ['default'];
    if (statement.type !== 'ExportNamedDeclaration') return [];
    if (statement.declaration) return declaredNames(statement.declaration);
    return statement.specifiers.map((specifier) => {
      const isType = statement.exportKind === 'type' || specifier.exportKind === 'type';
      return `${isType ? 'type ' : ''}${nameOf(specifier.exported)}`;
    });
  });
}

/** Entry points of our packages: `{ '@devs/core': 'packages/core/src/index.ts', … }`. */
export function entryPoints(files) {
  const entries = {};
  for (const [file, text] of files) {
    const folder = /^(packages\/[^/]+)\/package\.json$/.exec(file)?.[1];
    if (folder === undefined) continue;
    const manifest = JSON.parse(text);
    for (const [subpath, targets] of Object.entries(manifest.exports ?? {})) {
      const source = targets['devs-source'];
      if (source !== undefined) entries[manifest.name + subpath.slice(1)] = `${folder}/${source.replace(/^\.\//, '')}`;
    }
  }
  return entries;
}

/** What the packages export now, sorted. */
export function currentSurface(files) {
  const surface = {};
  for (const [entry, file] of Object.entries(entryPoints(files)).sort()) {
    if (files.has(file)) surface[entry] = exportedNames(parse(files, file)).sort();
  }
  return surface;
}

function namelessFindings(files) {
  return Object.values(entryPoints(files)).flatMap((file) => {
    if (!files.has(file)) return [finding(file, 1, 'An entry point of package.json has no source.')];
    const hidden = parse(files, file).program.body.filter(({ type }) => type === 'ExportAllDeclaration');
    return hidden.map((statement) => finding(file, lineOf(statement), 'The public surface is named: no `export *`.'));
  });
}

/** The public names are pinned as literals: another one, or one less, is a decision and not an accident. */
export function checkSurface(files, pinned = publicSurface) {
  const current = currentSurface(files);
  const findings = namelessFindings(files);
  for (const entry of new Set([...Object.keys(pinned), ...Object.keys(current)])) {
    if (pinned[entry] === undefined) {
      findings.push(finding(configFile, 1, `${entry} is not pinned. ${advice}`));
      continue;
    }
    const wanted = pinned[entry];
    const found = current[entry] ?? [];
    const gone = wanted.filter((name) => !found.includes(name));
    const added = found.filter((name) => !wanted.includes(name));
    const say = (name, what) => finding(configFile, 1, `${entry}: \`${name}\` ${what}. ${advice}`);
    findings.push(...gone.map((name) => say(name, 'is pinned and not exported any more')));
    findings.push(...added.map((name) => say(name, 'is exported and not pinned')));
  }
  return findings;
}

/** The text of surface.config.mjs for a surface. */
export function writeSurface(surface) {
  const lists = Object.entries(surface).map(([entry, names]) => {
    const lines = names.map((name) => `    '${name}',\n`).join('');
    return `  '${entry}': [\n${lines}  ],\n`;
  });
  return `/** The public names of every entry point, as literals. Change it by \`pnpm check --write\`, and say why. */\nexport const publicSurface = {\n${lists.join('')}};\n`;
}
