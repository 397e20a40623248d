import { functionName, isFunction, parametersOf } from './functions.mjs';
import { bannedVariables, parameterLimit } from './shape.config.mjs';
import { finding, isPackageSource, isScript, isTest, lineOf, parse, walk } from './source.mjs';

function bindingOf(parameter) {
  const target = parameter.type === 'TSParameterProperty' ? parameter.parameter : parameter;
  return target.type === 'AssignmentPattern' ? target.left.name : target.name;
}

function maximumFor(name, file, limit) {
  const exception = limit.exceptions.find((entry) => entry.name === name && (!entry.inTests || isTest(file)));
  return exception?.maximum ?? limit.maximum;
}

/** At most three parameters, and names that are words. */
export function checkParameters(files, { limit = parameterLimit, banned = bannedVariables } = {}) {
  const findings = [];
  for (const file of files.keys()) {
    if (!isPackageSource(file) && !isScript(file)) continue;
    walk(parse(files, file).program, (node, parents) => {
      if (node.type === 'VariableDeclarator' && banned.words.includes(node.id.name)) {
        findings.push(finding(file, lineOf(node), `\`${node.id.name}\`: ${banned.rule}`));
      }
      if (!isFunction(node)) return;
      const parameters = parametersOf(node);
      const name = functionName(node, parents);
      const allowed = maximumFor(name, file, limit);
      if (parameters.length > allowed) findings.push(finding(file, lineOf(node), `${name} has ${parameters.length}. ${limit.rule}`));
      for (const word of parameters.map(bindingOf).filter((bound) => banned.words.includes(bound))) {
        findings.push(finding(file, lineOf(node), `\`${word}\`: ${banned.rule}`));
      }
    });
  }
  return findings;
}
