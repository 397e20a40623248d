import { lineOf, walk } from './source.mjs';

const loaders = new Set(['require', 'require.resolve', 'jest.mock', 'jest.unstable_mockModule', 'jest.requireActual', 'import.meta.resolve']);

function calleeName(callee) {
  if (callee.type === 'Import') return 'import';
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type !== 'MemberExpression' || callee.computed) return undefined;
  const object = callee.object.type === 'MetaProperty' ? 'import.meta' : callee.object.name;
  return `${object}.${callee.property.name}`;
}

function importedBy(node) {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
      return node.source;
    case 'ExportNamedDeclaration':
      return node.source ?? undefined;
    case 'TSImportType':
      return node.argument;
    case 'TSExternalModuleReference':
      return node.expression;
    case 'CallExpression': {
      const name = calleeName(node.callee);
      return name === 'import' || loaders.has(name) ? node.arguments[0] : undefined;
    }
    default:
      return undefined;
  }
}

/** Every module that a file names: import, export from, types, `import()`, `require`, `jest.mock`. */
export function findImports(tree) {
  const found = [];
  walk(tree.program, (node) => {
    const source = importedBy(node);
    if (source === undefined || source === null) return;
    const literal = source.type === 'TSLiteralType' ? source.literal : source;
    found.push({ line: lineOf(node), module: literal.type === 'StringLiteral' ? literal.value : undefined });
  });
  return found;
}

/** The name of the package that a bare specifier names: `@devs/core` of `@devs/core/container`. */
export function bareName(module) {
  return module.split('/').slice(0, module.startsWith('@') ? 2 : 1).join('/');
}
