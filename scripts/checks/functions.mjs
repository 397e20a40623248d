import { nameOf } from './source.mjs';

const kinds = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ObjectMethod',
  'ClassMethod',
  'ClassPrivateMethod',
  'TSDeclareFunction',
  'TSDeclareMethod',
  'TSMethodSignature',
  'TSFunctionType',
  'TSCallSignatureDeclaration',
  'TSConstructSignatureDeclaration',
]);

const owners = new Set(['ClassDeclaration', 'ClassExpression', 'TSInterfaceDeclaration', 'TSTypeAliasDeclaration']);
const holders = new Set(['VariableDeclarator', 'ClassProperty', 'ObjectProperty', 'TSPropertySignature', 'AssignmentExpression']);

export function isFunction(node) {
  return kinds.has(node.type);
}

export function parametersOf(node) {
  const parameters = node.params ?? node.parameters ?? [];
  return parameters.filter((parameter) => parameter.name !== 'this');
}

function ownName(node, parents) {
  const own = nameOf(node.key ?? node.id);
  if (own !== undefined) return own;
  const holder = parents.at(-1)?.type === 'TSTypeAnnotation' ? parents.at(-2) : parents.at(-1);
  return holders.has(holder?.type) ? nameOf(holder.key ?? holder.id ?? holder.left) : undefined;
}

/** `Class.method`, `Interface.method` or the function's name; `(anonymous)` when it has none. */
export function functionName(node, parents) {
  const name = ownName(node, parents);
  const owner = parents.findLast((parent) => owners.has(parent.type) || isFunction(parent));
  const owned = owner !== undefined && owners.has(owner.type) && owner.id;
  if (!owned) return name ?? '(anonymous)';
  return name === undefined ? owner.id.name : `${owner.id.name}.${name}`;
}
