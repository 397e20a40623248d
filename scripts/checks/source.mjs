import { parse as parseWithBabel } from '@babel/parser';

/** A finding says where, and in one sentence what rule is broken. */
export function finding(file, line, message) {
  return { file, line, message };
}

export function isTest(file) {
  return file.includes('/__tests__/');
}

export function isPackageSource(file) {
  return /^packages\/[^/]+\/src\/.*\.ts$/.test(file);
}

export function isScript(file) {
  return /^(scripts|bench)\/.*\.mjs$/.test(file);
}

const parsed = new WeakMap();

/** The syntax tree of a file; parsed once for a map of files. A file that does not parse fails the run. */
export function parse(files, file) {
  let trees = parsed.get(files);
  if (trees === undefined) parsed.set(files, (trees = new Map()));
  if (!trees.has(file)) {
    const plugins = file.endsWith('.ts') ? ['typescript', 'decorators-legacy'] : [];
    const options = { sourceType: 'module', sourceFilename: file, plugins, attachComment: false };
    trees.set(file, parseWithBabel(files.get(file), options));
  }
  return trees.get(file);
}

/** Calls `visit(node, parents)` for every node, outside in; the nearest parent is the last. */
export function walk(node, visit, parents = []) {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const item of node) walk(item, visit, parents);
    return;
  }
  if (typeof node.type !== 'string') return;
  visit(node, parents);
  const inside = [...parents, node];
  for (const [key, value] of Object.entries(node)) {
    if (key !== 'loc' && key !== 'errors' && key !== 'tokens') walk(value, visit, inside);
  }
}

export function lineOf(node) {
  return node.loc?.start.line ?? 1;
}

/** `name` of an identifier, a private name or a plain string key; undefined for anything computed. */
export function nameOf(key) {
  if (key?.type === 'Identifier') return key.name;
  if (key?.type === 'PrivateName') return `#${key.id.name}`;
  if (key?.type === 'StringLiteral') return key.value;
  return undefined;
}
