import { moduleState } from './shape.config.mjs';
import { finding, isPackageSource, isScript, isTest, lineOf, parse } from './source.mjs';

const collections = new Set(['Map', 'Set', 'WeakMap', 'WeakSet']);

/** `new Uint8Array(65_536)`, `new Uint8Array(2 * CHUNK)`: all zeros. Made of something else, it is a table. */
function startsAtZero({ callee, arguments: [first] }) {
  return /^(?:Big)?(?:Ui|I)nt\d+(?:Clamped)?Array$|^Float\d+Array$/.test(callee.name ?? '') && ((first?.type === 'NumericLiteral' && first.value > 0) || first?.type === 'BinaryExpression');
}

/** A collection that starts empty at module level can only be there to be filled. */
function startsEmpty(value) {
  if (value?.type === 'TSAsExpression' || value?.type === 'TSSatisfiesExpression') return startsEmpty(value.expression);
  if (value?.type === 'ArrayExpression') return value.elements.length === 0;
  if (value?.type !== 'NewExpression') return false;
  return startsAtZero(value) || (collections.has(value.callee.name) && value.arguments.length === 0);
}

function mutable(statement) {
  const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  if (declaration?.type !== 'VariableDeclaration' || declaration.declare) return [];
  return declaration.declarations.filter(({ init }) => declaration.kind !== 'const' || startsEmpty(init));
}

/** No module-level `let`, `var` or collection to be filled. A test file's `let` is set anew by its hooks. */
export function checkState(files, { rule, exceptions } = moduleState) {
  const findings = [];
  for (const file of files.keys()) {
    const checked = isPackageSource(file) || isScript(file);
    if (!checked || isTest(file)) continue;
    for (const declarator of parse(files, file).program.body.flatMap(mutable)) {
      const { name } = declarator.id;
      if (exceptions.some((exception) => exception.file === file && exception.name === name && exception.reason)) continue;
      findings.push(finding(file, lineOf(declarator), `\`${name}\`: ${rule}`));
    }
  }
  return findings;
}
