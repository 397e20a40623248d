import path from 'node:path';
import { bannedFileWords, retiredWords } from './shape.config.mjs';
import { finding, isPackageSource, isScript, isTest, lineOf, nameOf, parse, walk } from './source.mjs';
import { exportedNames } from './surface.mjs';

const testFunctions = new Set(['describe', 'it', 'test', 'suite']);
const renamedTests = new Set(['fdescribe', 'fit', 'ftest', 'xdescribe', 'xit', 'xtest']);
const leftovers = /\b(TODO|FIXME|XXX|HACK)\b/;
const lintOff = /\b(eslint-disable|oxlint-disable|@ts-ignore|@ts-nocheck)\b/;

/** `ToolManager.ts` and `string-utils.ts` both hold a banned word. */
function wordsOf(name) {
  return name.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase().split(/[^a-z]+/);
}

function vagueName(name) {
  return wordsOf(name).some((word) => bannedFileWords.words.includes(word));
}

/** `OWN_FACES` holds `face`. */
function retiredIn(name, file) {
  const words = wordsOf(name).flatMap((word) => [word, word.replace(/s$/, '')]);
  const isExcepted = (word) => retiredWords.exceptions.some((exception) => exception.word === word && exception.file.test(file));
  return [...new Set(words)].filter((word) => retiredWords.words.has(word) && !isExcepted(word));
}

function namesOf(files, file) {
  const exported = exportedNames(parse(files, file)).flatMap((name) => name?.replace(/^type /, '') ?? []);
  return [path.posix.basename(file).replace(/\..*$/, ''), ...exported];
}

/** Retired words in names of files and of exports: those that are not listed, and those that are listed and gone. */
export function checkRetiredWords(files, remaining = retiredWords.remaining) {
  const sources = [...files.keys()].filter((file) => isPackageSource(file) && !isTest(file));
  const offenders = new Map(
    sources.flatMap((file) => namesOf(files, file).flatMap((name) => retiredIn(name, file).map((word) => [`${file} ${name}`, { file, name, word }]))),
  );
  const unlisted = [...offenders].filter(([key]) => !remaining.includes(key));
  const gone = remaining.filter((key) => !offenders.has(key));
  return [
    ...unlisted.map(([, { file, name, word }]) => finding(file, 1, `${name}: "${word}" is a word of our own; say ${retiredWords.words.get(word)}.`)),
    ...gone.map((key) => finding('scripts/checks/shape.config.mjs', 1, `${key} is gone: take it off the list of remaining names.`)),
  ];
}

/** `['it', 'skip', 'each']` of `it.skip.each`. */
function chainOf(node) {
  if (node.type === 'MemberExpression') return [...chainOf(node.object), nameOf(node.property)];
  return [node.name];
}

function isSkippedTest(node) {
  if (node.type !== 'CallExpression') return false;
  const [base, ...modifiers] = chainOf(node.callee);
  if (renamedTests.has(base)) return true;
  return testFunctions.has(base) && modifiers.some((name) => ['skip', 'only', 'todo'].includes(name));
}

function commentFindings(file, tree) {
  return tree.comments.flatMap((comment) => {
    const line = comment.loc.start.line;
    if (leftovers.test(comment.value)) return [finding(file, line, 'An open end in a comment: finish it, or file an issue.')];
    if (!lintOff.test(comment.value) || /--\s*\S/.test(comment.value)) return [];
    return [finding(file, line, 'A rule is switched off for one line at most, with its reason after `--`.')];
  });
}

/** Names that say nothing, open ends in comments, tests that do not run. */
export function checkWords(files) {
  const findings = [];
  for (const file of files.keys()) {
    if (!isPackageSource(file) && !isScript(file)) continue;
    if (vagueName(path.posix.basename(file).replace(/\..*$/, ''))) findings.push(finding(file, 1, bannedFileWords.rule));
    const tree = parse(files, file);
    findings.push(...commentFindings(file, tree));
    walk(tree.program, (node) => {
      if (node.type === 'ClassDeclaration' && node.id && vagueName(node.id.name)) {
        findings.push(finding(file, lineOf(node), `${node.id.name}: ${bannedFileWords.rule}`));
      }
      if (isTest(file) && isSkippedTest(node)) findings.push(finding(file, lineOf(node), 'A test that is skipped or alone is not a run.'));
    });
  }
  return findings;
}
