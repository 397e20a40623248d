import { readMarkdown } from './markdown.mjs';
import { finding, isTest, parse, walk } from './source.mjs';

const shells = new Set(['bash', 'sh', 'shell', 'console']);
/** Programs that pnpm and npm bring by themselves, beside the scripts of package.json. */
const ownWords = new Set(['install', 'i', 'ci', 'exec', 'dlx', 'pack', 'add', 'run', 'why', 'outdated', 'test', 'start', 'tsc']);

/** Commands, subcommands and flags of the CLI: the literals of its sources. */
export function commandWords(files) {
  const words = new Set();
  for (const file of files.keys()) {
    if (!file.startsWith('packages/cli/src/') || !file.endsWith('.ts') || isTest(file)) continue;
    walk(parse(files, file).program, (node) => {
      const text = node.type === 'StringLiteral' ? node.value : node.type === 'TemplateElement' ? node.value.raw : undefined;
      for (const word of text?.match(/--?[a-z][a-z-]*|[a-z][a-z-]*/g) ?? []) words.add(word);
    });
  }
  return words;
}

function devsProblem(words, known) {
  const subcommand = words[0];
  if (subcommand !== undefined && /^[a-z-]+$/.test(subcommand) && !known.has(subcommand)) return `devs has no command \`${subcommand}\`.`;
  const flag = words.map((word) => word.split('=')[0]).find((word) => /^--[a-z]/.test(word) && !known.has(word));
  return flag === undefined || flag === '--help' || flag === '--version' ? undefined : `devs knows no flag \`${flag}\`.`;
}

function scriptProblem(words, scripts) {
  const rest = words.filter((word, index) => !/^--(filter|prefix)/.test(word) && !/^--(filter|prefix)$/.test(words[index - 1] ?? ''));
  const name = rest[0] === 'run' ? rest[1] : rest[0];
  if (name === undefined || name.startsWith('-') || (rest[0] !== 'run' && ownWords.has(name)) || name in scripts) return undefined;
  return `package.json has no script \`${name}\`.`;
}

function nodeProblem(words, files) {
  const file = words.find((word) => !word.startsWith('-'));
  if (file === undefined || words.some((word) => word === '-e' || word === '--eval' || word === '-p')) return undefined;
  const source = file.replace(/^\.\//, '').replace(/^(packages\/[^/]+)\/dist\/(.*)\.js$/, '$1/src/$2.ts');
  return files.has(source) ? undefined : `There is no file ${file}.`;
}

/** The words of one simple command: prompt, comment, assignments and what follows a pipe dropped. */
function wordsOf(line) {
  const simple = line.replace(/^\s*\$\s+/, '').replace(/(^|\s)#.*$/, '').split(/\s(?:\|\|?|&&|>|<)\s|;/)[0];
  const words = simple.trim().match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  return words.slice(words.findIndex((word) => !/^[A-Z_]+=/.test(word)));
}

function problemOf(line, { files, scripts, known }) {
  const [program, ...words] = wordsOf(line);
  if (program === 'devs') return devsProblem(words, known);
  if (program === 'npm' || program === 'pnpm') return scriptProblem(words, scripts);
  return program === 'node' ? nodeProblem(words, files) : undefined;
}

function fenceFindings(file, { line, lines }, facts) {
  return lines.flatMap((text, index) => {
    const problem = problemOf(text, facts);
    return problem === undefined ? [] : [finding(file, line + index, problem)];
  });
}

/** Shell fences of the docs name real scripts, commands, flags and files. ```` ```sh unchecked ```` is left alone. */
export function checkCommands(files) {
  const { scripts } = JSON.parse(files.get('package.json') ?? '{"scripts":{}}');
  const facts = { files, scripts, known: commandWords(files) };
  const pages = [...files].filter(([file]) => file.endsWith('.md'));
  return pages.flatMap(([file, text]) => {
    const shell = readMarkdown(text).fences.filter(({ info }) => shells.has(info[0]) && !info.includes('unchecked'));
    return shell.flatMap((fence) => fenceFindings(file, fence, facts));
  });
}
