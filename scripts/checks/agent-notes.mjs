import path from 'node:path';
import { codeSpans, headingsOf, sectionOf } from './markdown.mjs';
import { finding, isPackageSource, isTest, nameOf, parse, walk } from './source.mjs';

const sections = ['Purpose', 'Contract', 'Invariants', 'Events', 'When you change this'];
const longest = 60;
const languageWords = new Set(
  'any asserts async await bigint boolean class const extends false function interface is keyof let never new null number object readonly string symbol this throw true type typeof undefined unknown void'.split(' '),
);

function declaredName(node) {
  switch (node.type) {
    case 'VariableDeclarator':
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
    case 'TSTypeParameter':
      return typeof node.name === 'string' ? node.name : nameOf(node.id);
    case 'Identifier':
      return node.name;
    case 'StringLiteral':
      return node.value;
    default:
      return node.key === undefined ? undefined : nameOf(node.key);
  }
}

/** Every name that the sources declare, use or spell as a string. A renamed symbol is gone from it. */
export function knownNames(files) {
  const names = new Set();
  for (const file of files.keys()) {
    if (!isPackageSource(file) || isTest(file)) continue;
    walk(parse(files, file).program, (node) => {
      const name = declaredName(node);
      if (name !== undefined) names.add(name);
    });
  }
  return names;
}

/** The names that a code span refers to: `ToolProxy` and `execute` of `ToolProxy.execute(request)`. */
export function symbolsIn(code) {
  const head = /^([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)(?:<[^>]*>)?(?:\(.*\))?$/.exec(code.trim());
  return head === null ? [] : head[1].split('.');
}

function isForeign(name) {
  return languageWords.has(name) || name in globalThis;
}

function pathProblem(files, file, code) {
  if (!/^[\w.@/-]+\.(ts|mjs|md|json)$/.test(code)) return undefined;
  const places = [code, path.posix.join(path.posix.dirname(file), code), `packages/${code}`];
  return places.some((place) => files.has(place)) ? undefined : `There is no file \`${code}\`.`;
}

function spanProblem(files, file, { code, names }) {
  if (/\.(ts|mjs|md|json)$/.test(code)) return pathProblem(files, file, code);
  const [first, ...rest] = symbolsIn(code);
  if (first === undefined || isForeign(first)) return undefined;
  const missing = [first, ...rest].find((name) => !names.has(name));
  return missing === undefined ? undefined : `\`${code}\`: no source knows \`${missing}\`.`;
}

/** `*.agent.md`: the five sections, at most 60 lines, and a Contract that names what exists. */
export function checkAgentNotes(files) {
  const notes = [...files.keys()].filter((file) => file.endsWith('.agent.md'));
  const names = notes.length === 0 ? new Set() : knownNames(files);
  return notes.flatMap((file) => {
    const text = files.get(file);
    const findings = [];
    const length = text.trimEnd().split('\n').length;
    if (length > longest) findings.push(finding(file, longest + 1, `${length} lines; an agent note has at most ${longest}.`));
    const titles = headingsOf(text).map(({ title }) => title.toLowerCase());
    for (const title of sections.filter((section) => !titles.includes(section.toLowerCase()))) {
      findings.push(finding(file, 1, `An agent note has a section "${title}".`));
    }
    for (const { number, code } of codeSpans(sectionOf(text, 'Contract') ?? [])) {
      const problem = spanProblem(files, file, { code, names });
      if (problem !== undefined) findings.push(finding(file, number, problem));
    }
    return findings;
  });
}
