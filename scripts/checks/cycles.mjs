import path from 'node:path';
import { findImports } from './imports.mjs';
import { knownCycles } from './layers.config.mjs';
import { finding, isPackageSource, isTest, parse } from './source.mjs';

const config = 'scripts/checks/layers.config.mjs';

/** Imports between the sources of a package. Those of types count: a reader follows them too. */
function importsInPackages(files) {
  return [...files.keys()].filter((file) => isPackageSource(file) && !isTest(file)).flatMap((file) =>
    findImports(parse(files, file)).flatMap(({ line, module }) =>
      module?.startsWith('.') ? [{ file, line, target: path.posix.join(path.posix.dirname(file), module) }] : [],
    ),
  );
}

/** A file in `src` itself stands for itself, as in the layer tables: `index.ts` imports every folder, and every folder `errors.ts`. */
function folderOf(file) {
  const folder = path.posix.dirname(file);
  return folder.endsWith('/src') ? file : folder;
}

function reachableFrom(start, graph) {
  const reached = new Set();
  const open = [start];
  for (const node of open) {
    for (const next of graph.get(node) ?? []) {
      if (reached.has(next)) continue;
      reached.add(next);
      open.push(next);
    }
  }
  return reached;
}

/** Sets of nodes that all lead to each other. */
function findCycles(edges) {
  const graph = new Map(edges.map(({ from }) => [from, new Set()]));
  for (const { from, to } of edges) if (from !== to) graph.get(from).add(to);
  const reachable = new Map([...graph.keys()].map((node) => [node, reachableFrom(node, graph)]));
  const cycles = new Map();
  for (const [node, reached] of reachable) {
    if (!reached.has(node)) continue;
    const members = [...reached].filter((other) => reachable.get(other)?.has(node)).sort();
    cycles.set(members.join(' '), members);
  }
  return cycles;
}

function findingsOf(edges, members, what) {
  const inside = edges.filter(({ from, to }) => from !== to && members.includes(from) && members.includes(to));
  return inside.map(({ file, line, from, to }) => finding(file, line, `${from} imports ${to}, which leads back to it: a cycle of ${members.length} ${what}.`));
}

/** No cycles between files, and none between folders. Those that are known are listed, and the list says nothing that is no longer true. */
export function checkCycles(files, known = knownCycles) {
  const imports = importsInPackages(files);
  const listed = new Set(known.map((members) => [...members].sort().join(' ')));
  const kinds = [['files', (file) => file], ['folders', folderOf]];
  const findings = kinds.flatMap(([what, nodeOf]) => {
    const edges = imports.map(({ file, line, target }) => ({ file, line, from: nodeOf(file), to: nodeOf(target) }));
    return [...findCycles(edges)].flatMap(([key, members]) => (listed.delete(key) ? [] : findingsOf(edges, members, what)));
  });
  return [...findings, ...[...listed].map((key) => finding(config, 1, `This cycle is gone or has changed: update \`knownCycles\`. ${key}`))];
}
