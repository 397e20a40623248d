import { mintedTypes } from './shape.config.mjs';
import { finding, isPackageSource, isTest, lineOf, parse, walk } from './source.mjs';

const claims = new Set(['TSAsExpression', 'TSTypeAssertion', 'TSTypePredicate']);

function namesIn(type) {
  const names = new Set();
  walk(type, (node) => {
    if (node.type === 'TSTypeReference') names.add(node.typeName.name ?? node.typeName.right?.name);
    if (node.type === 'TSNeverKeyword') names.add('never');
  });
  return names;
}

function problemOf(type, file, table) {
  const names = namesIn(type);
  // `never` fits every type, so casting to it would mint anything. Tests hand wrong values on purpose.
  if (names.has('never') && !isTest(file)) return 'A cast to `never` would mint anything.';
  const maker = table.find((entry) => names.has(entry.type));
  if (maker !== undefined && !maker.file.test(file)) return `\`${maker.type}\` is minted in one file (scripts/checks/shape.config.mjs): ask for one, do not cast.`;
  if (names.has('Made') && !table.some((entry) => entry.file.test(file))) return '`Made` is cast to in its makers’ files alone.';
  return undefined;
}

/** A value that only one file can make is cast to, or asserted, in that file alone. */
export function checkMinted(files, table = mintedTypes) {
  const findings = [];
  const makers = new Map();
  for (const file of files.keys()) {
    if (!isPackageSource(file)) continue;
    walk(parse(files, file).program, (node) => {
      if (!claims.has(node.type) || !node.typeAnnotation) return;
      const problem = problemOf(node.typeAnnotation, file, table);
      if (problem !== undefined) findings.push(finding(file, lineOf(node), problem));
      for (const { type } of table.filter((entry) => namesIn(node.typeAnnotation).has(entry.type) && entry.file.test(file))) {
        makers.set(type, new Set([...(makers.get(type) ?? []), file]));
      }
    });
  }
  for (const [type, owners] of makers) {
    if (owners.size > 1) findings.push(finding([...owners][1], 1, `\`${type}\` is minted in two files: ${[...owners].join(', ')}.`));
  }
  return findings;
}
