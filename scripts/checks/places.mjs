import { onePlace } from './shape.config.mjs';
import { finding, isPackageSource, isTest, lineOf, nameOf, parse, walk } from './source.mjs';

function isMember(node, name) {
  return (node?.type === 'MemberExpression' || node?.type === 'OptionalMemberExpression') && nameOf(node.property) === name;
}

function isCall(node) {
  return node.type === 'CallExpression' || node.type === 'OptionalCallExpression';
}

function objectName(node) {
  if (node.type === 'MetaProperty') return 'import.meta';
  if (node.type === 'MemberExpression') return `${objectName(node.object)}.${nameOf(node.property)}`;
  return node.name;
}

const detectors = {
  errorResult: (node) =>
    node.type === 'ObjectProperty' && nameOf(node.key) === 'isError' && node.value.type === 'BooleanLiteral' && node.value.value,

  // `tool.handler(…)`, `tool.handler.call(…)`, and taking it out of the tool under its own name.
  handlerCall: (node, parents) =>
    (isCall(node) && (isMember(node.callee, 'handler') || isMember(node.callee.object, 'handler'))) ||
    (node.type === 'ObjectProperty' && nameOf(node.key) === 'handler' && parents.at(-1)?.type === 'ObjectPattern'),

  errno: (node) => isMember(node, 'code') && node.computed && ['cause', 'error'].includes(node.object.name),

  // Without an argument it is a promise's own `resolve()`: a container is asked for something.
  resolve: (node) =>
    isCall(node) && node.arguments.length > 0 && isMember(node.callee, 'resolve') && !onePlace.resolve.innocent.includes(objectName(node.callee.object)),
};

/** What is done in one file only: the error result, the call of a handler, the code of an error, asking the container. */
export function checkPlaces(files) {
  const findings = [];
  for (const file of files.keys()) {
    if (!isPackageSource(file) || isTest(file)) continue;
    const watched = Object.entries(onePlace).filter(([, { allowed }]) => !allowed.some((pattern) => pattern.test(file)));
    walk(parse(files, file).program, (node, parents) => {
      for (const [name, { rule }] of watched) {
        if (detectors[name](node, parents)) findings.push(finding(file, lineOf(node), rule));
      }
    });
  }
  return findings;
}
