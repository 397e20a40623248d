import { codeSpans, readMarkdown } from '../checks/markdown.mjs';

export const requirementsPage = 'docs/architecture/requirements.md';

/** @typedef {{ number: number, line: string, requirement: string, file: string | undefined, test: string | undefined, names: readonly string[] }} Requirement */

/**
 * The rows of the requirements table: those that begin with an id, `| [RISK-801] … | file | test "name" |`.
 * @returns {readonly Requirement[]}
 */
export function readRequirements(page) {
  const rows = readMarkdown(page).lines.filter(({ line }) => /^\|\s*`?\[?[A-Z0-9_]+-[A-Z0-9_-]+\]?`?[^|]*\|/.test(line));
  return rows.map(({ number, line }) => {
    const cells = line.split(' | ');
    const paths = codeSpans([{ number, line }])
      .map(({ code }) => code)
      .filter((code) => /^[\w.@-]+(\/[\w.@-]+)+\.\w+$/.test(code));
    const names = [...line.replace(/`[^`]*`/g, '').matchAll(/["“]([^"”]+)["”]/g)].map(([, name]) => name);
    const test = paths.find(isTestFile);
    return { number, line, requirement: cells[0].replace(/^\|\s*/, ''), file: paths.find((file) => file !== test), test, names };
  });
}

/** A file of tests, or the smoke test, which is a program of its own. */
export function isTestFile(file) {
  return file.includes('.test.') || file === 'scripts/smoke-test.mjs';
}

/** The rows that begin with this text. */
export function rowsOf(rows, start) {
  return rows.filter(({ requirement }) => requirement.startsWith(start));
}
