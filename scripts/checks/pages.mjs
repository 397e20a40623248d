import { readRequirements, requirementsPage } from '../lib/requirements.mjs';
import { readMarkdown } from './markdown.mjs';
import { finding, nameOf, parse, walk } from './source.mjs';

const longestDecision = 40;
const longestAgents = 120;
const errorsPage = 'docs/reference/errors.md';
const errorsTable = 'packages/core/src/error-codes.ts';

function lineCount(text) {
  return text.trimEnd().split('\n').length;
}

/** `docs/decisions/NNNN-slug.md`: short, with a status line. */
export function checkDecisions(files) {
  const findings = [];
  for (const [file, text] of files) {
    const name = /^docs\/decisions\/(.+\.md)$/.exec(file)?.[1];
    if (name === undefined || name === 'README.md') continue;
    if (!/^\d{4}-[a-z0-9-]+\.md$/.test(name)) findings.push(finding(file, 1, 'A decision is named NNNN-slug.md.'));
    if (lineCount(text) > longestDecision) findings.push(finding(file, longestDecision + 1, `A decision has at most ${longestDecision} lines.`));
    if (!/^[*_-]*\s*\**status\**\s*:/im.test(text)) findings.push(finding(file, 1, 'A decision has a status line: `Status: accepted`.'));
  }
  return findings;
}

export function checkAgentsFile(files) {
  const text = files.get('AGENTS.md');
  if (text === undefined || lineCount(text) <= longestAgents) return [];
  return [finding('AGENTS.md', longestAgents + 1, `AGENTS.md has at most ${longestAgents} lines.`)];
}

/** The keys of `ERROR_CODES`, in order. */
export function errorCodes(files) {
  const codes = [];
  walk(parse(files, errorsTable).program, (node, parents) => {
    if (node.type !== 'ObjectProperty') return;
    const holder = parents.filter((parent) => !parent.type.startsWith('TS')).slice(-2);
    if (holder[0]?.type === 'VariableDeclarator' && holder[0].id.name === 'ERROR_CODES') codes.push(nameOf(node.key));
  });
  return codes;
}

/** The codes page lists exactly the codes of the table, each at the start of a row or in a heading. */
export function checkErrorsPage(files) {
  if (!files.has(errorsTable)) return [];
  if (!files.has(errorsPage)) return [finding(errorsPage, 1, 'The page of error codes is missing.')];
  const listed = readMarkdown(files.get(errorsPage)).lines.flatMap(({ number, line }) => {
    const match = /^(?:\|\s*|#+\s+|[-*]\s+)`?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`?/.exec(line);
    return match === null ? [] : [{ number, code: match[1] }];
  });
  const codes = errorCodes(files);
  const missing = codes.filter((code) => !listed.some((entry) => entry.code === code));
  const invented = listed.filter(({ code }) => !codes.includes(code));
  return [
    ...missing.map((code) => finding(errorsPage, 1, `${code} is not listed.`)),
    ...invented.map(({ number, code }) => finding(errorsPage, number, `${code} is not in ERROR_CODES.`)),
  ];
}

function rowFindings(files, { number, file, test, names }) {
  const say = (message) => finding(requirementsPage, number, message);
  const missing = [file, test].filter((named) => named !== undefined && !files.has(named)).map((named) => say(`There is no file ${named}.`));
  if (test === undefined) return [...missing, say('A requirement names the test file that proves it.')];
  if (file === undefined) return [...missing, say('A requirement names the file that meets it.')];
  if (names.length === 0 && test.includes('.test.')) return [...missing, say('A requirement names its test, in double quotes, as the test file spells it.')];
  const said = files.get(test) ?? '';
  const unknown = missing.length > 0 ? [] : names.filter((name) => !said.includes(name));
  return [...missing, ...unknown.map((name) => say(`No test of this row is called "${name}".`))];
}

/** Each row of the requirements table names the file that meets it, the file of its test, and the test. */
export function checkRequirements(files) {
  const text = files.get(requirementsPage);
  if (text === undefined) return [finding(requirementsPage, 1, 'The table of requirements is missing.')];
  const rows = readRequirements(text);
  if (rows.length === 0) return [finding(requirementsPage, 1, 'The table of requirements has no rows.')];
  return rows.flatMap((row) => rowFindings(files, row));
}
