import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findNode } from '../lib/find-node.mjs';
import { inRepository } from '../lib/repository.mjs';
import { findSlowLoops } from './backtracking/ambiguity.mjs';
import { madeLater } from './patterns.config.mjs';
import { finding, isPackageSource, isTest, lineOf, parse, walk } from './source.mjs';

const sentences = {
  exponential: ({ before, pump }) => `each ${JSON.stringify(pump)} behind ${JSON.stringify(before)} doubles the work`,
  polynomial: ({ before, pump }) => `a row of ${JSON.stringify(pump)} behind ${JSON.stringify(before)} is read again from each of its places`,
  search: ({ pump }) => `in a row of ${JSON.stringify(pump)} it is tried again at each place`,
  unknown: ({ why }) => why,
};
const advice = 'Write it so that a text is read in one way, or bound its loops; where that cannot happen, say why in a line above: `// slow pattern: …`.';
const reasoned = /^\s*\/\/ slow pattern: \S/;

/** What a shipped source says in literals, and where it makes patterns of parts. */
export function patternsOf(files) {
  const literals = [];
  const sites = [];
  for (const file of files.keys()) {
    if (!isPackageSource(file) || isTest(file)) continue;
    const copied = new Set();
    walk(parse(files, file).program, (node, parents) => {
      if (node.type === 'RegExpLiteral') {
        literals.push({ file, line: lineOf(node), source: node.pattern, flags: node.flags });
        if (parents.at(-1)?.type === 'VariableDeclarator') copied.add(parents.at(-1).id.name);
      }
      if ((node.type !== 'NewExpression' && node.type !== 'CallExpression') || node.callee.name !== 'RegExp') return;
      const [made] = node.arguments;
      if (made?.type !== 'Identifier' || !copied.has(made.name)) sites.push({ file, line: lineOf(node), made: files.get(file).slice(made?.start, made?.end) });
    });
  }
  return { literals, sites };
}

/** The patterns that the modules of these sites make when they are loaded and used. */
export function composedPatterns(sites) {
  const own = inRepository('node_modules', '.bin', 'node');
  const modules = [...new Set(sites.map(({ file }) => file))];
  const run = spawnSync(existsSync(own) ? own : findNode(), ['--no-warnings', inRepository('scripts', 'checks', 'backtracking', 'composed.mjs'), ...modules], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (run.status !== 0) throw new Error(`The modules that make patterns could not be loaded: ${run.stderr || run.error}`);
  return JSON.parse(run.stdout);
}

function look({ source, flags }) {
  try {
    return findSlowLoops(source, flags);
  } catch (error) {
    return [{ kind: 'unknown', why: error.message }];
  }
}

/** A pattern that stands in many places, or is made for each of many rules, is looked at once. */
function slowLoopsOf(patterns) {
  const known = new Map();
  return patterns.flatMap(({ file, line, ...pattern }) => {
    const key = `${pattern.flags}/${pattern.source}`;
    if (!known.has(key)) known.set(key, look(pattern));
    const worst = Object.keys(sentences).flatMap((kind) => known.get(key).filter((found) => found.kind === kind))[0];
    return worst === undefined ? [] : [{ file, line, message: `This pattern may take too long: ${sentences[worst.kind](worst)}. ${advice}` }];
  });
}

function reasonsIn(files) {
  return [...files].filter(([file]) => isPackageSource(file) && !isTest(file)).flatMap(([file, text]) => text.split('\n').flatMap((each, index) => (reasoned.test(each) ? [{ file, line: index + 2 }] : [])));
}

const isAt = ({ file, line }) => (other) => other.file === file && other.line === line;

/** No pattern of a shipped source reads a text in two ways, or again and again, without a reason why that is no matter. */
export function checkPatterns(files, compose = composedPatterns, later = madeLater) {
  const { literals, sites } = patternsOf(files);
  const composed = sites.length === 0 ? [] : compose(sites);
  const reasons = reasonsIn(files);
  const slow = slowLoopsOf([...literals, ...composed]);
  const isLater = (site) => (row) => row.file === site.file && row.made === site.made && row.reason;
  return [
    ...slow.filter((each) => !reasons.some(isAt(each))).map(({ file, line, message }) => finding(file, line, message)),
    ...reasons.filter((each) => !slow.some(isAt(each))).map(({ file, line }) => finding(file, line - 1, 'This gives a reason for a slow pattern, and there is none in the next line.')),
    ...sites.filter((site) => !composed.some(isAt(site)) && !later.some(isLater(site))).map(({ file, line, made }) => finding(file, line, `\`${made}\`: nobody has looked at this pattern. Have composed.mjs make it, or give a reason in patterns.config.mjs.`)),
    ...later.filter((row) => !sites.some((site) => isLater(site)(row))).map(({ file, made }) => finding(file, 1, `patterns.config.mjs has a reason for \`${made}\`, which is not made here.`)),
  ];
}
