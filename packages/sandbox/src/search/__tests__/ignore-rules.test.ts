import { describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { IgnoreRules } from '../ignore-rules.ts';
import { Effort } from '../wildcard.ts';

const STEPS = 100_000_000;

/** As a search comes to a path: a folder that is left out is not entered. */
function isIgnored(rules: IgnoreRules, name: string): boolean {
  const segments = name.split('/').filter((segment) => segment !== '');
  return segments.some((_, index) => {
    const isFolder = index < segments.length - 1 || name.endsWith('/');
    const entry = { segments: segments.slice(0, index + 1), kind: isFolder ? 'directory' : 'file' } as const;
    return rules.isIgnored(entry, new Effort(STEPS));
  });
}

function rulesOf(text: string): IgnoreRules {
  const rules = new IgnoreRules();
  rules.enter(0, text);
  return rules;
}

describe('one file of rules', () => {
  test.each([
    ['a name at any depth', 'x', 'a/b/x', true],
    ['a name is not a part of one', 'x', 'xx', false],
    ['anchored by a slash before', '/x', 'a/x', false],
    ['anchored by a slash before, at its place', '/x', 'x', true],
    ['anchored by a slash in it', 'a/x', 'b/a/x', false],
    ['anchored by a slash in it, at its place', 'a/x', 'a/x', true],
    ['not anchored by a slash behind', 'x/', 'a/x/', true],
    ['a folder alone', 'x/', 'x', false],
    ['what lies in a folder', 'x/', 'x/y', true],
    ['a star', '*.log', 'a/x.log', true],
    ['a star takes no slash', 'a/*', 'a/b/c', true],
    ['a star takes no slash in a name', 'a*c', 'a/c', false],
    ['a star takes a dot', '*', '.env', true],
    ['a question mark', 'x?', 'xy', true],
    ['a question mark takes one character, not one byte', '?', 'é', true],
    ['a class', '[a-c]x', 'bx', true],
    ['a negated class', '[!a-c]x', 'bx', false],
    ['a class with its own end', '[]x]', ']', true],
    ['a named class', '[[:digit:]]', '7', true],
    ['a named class that nobody knows', '[[:none:]7]', '7', false],
    ['a class without an end', '[ab', 'a', false],
    ['two stars before', '**/x', 'a/b/x', true],
    ['two stars before, at the top', '**/x', 'x', true],
    ['two stars behind: what is inside', 'a/**', 'a/b/c', true],
    ['two stars behind: not the folder itself', 'a/**', 'a/', false],
    ['two stars between', 'a/**/z', 'a/b/c/z', true],
    ['two stars between: none', 'a/**/z', 'a/z', true],
    ['a later rule takes back', '*.log\n!keep.log', 'keep.log', false],
    ['and a still later one leaves out again', '*.log\n!keep.log\nkeep*', 'keep.log', true],
    ['nothing is taken back below what is left out', 'x/\n!x/y', 'x/y', true],
    ['a comment', '#x', '#x', false],
    ['no comment', '\\#x', '#x', true],
    ['no negation', '\\!x', '!x', true],
    ['spaces behind', 'x  ', 'x', true],
    ['a space behind that stands', 'x\\ ', 'x ', true],
    ['line ends of Windows', 'x\r\ny\r\n', 'x', true],
    ['a byte order mark', '\uFEFFx\n', 'x', true],
    ['a slash with a backslash before it', 'a\\/x', 'a/x', true],
    ['a slash behind a backslash that stands for itself', 'a\\\\/x', 'a/x', false],
    ['two stars that are no name of their own', 'a**/x', 'ab/c/x', false],
    ['a backslash before nothing', 'x\\', 'x', false],
    ['empty lines', '\n\n', 'x', false],
    ['a slash alone', '/', 'x', false],
    ['a rule too long to look at', `${'*'.repeat(600)}`, 'x', false],
  ])('%s', (_, text, name, expected) => {
    expect(isIgnored(rulesOf(text), name)).toBe(expected);
  });

  test('a hostile file of rules: 2,000 are looked at, and each comparison is bounded', () => {
    const rules = rulesOf(Array.from({ length: 10_000 }, () => `${'*a'.repeat(200)}b`).join('\n'));
    const effort = new Effort(STEPS);
    expect(rules.isIgnored({ segments: ['a'.repeat(250)], kind: 'file' }, effort)).toBe(false);
    expect(isIgnored(rulesOf(`${'none\n'.repeat(2_000)}x`), 'x')).toBe(false);
    expect(isIgnored(rulesOf(`${'none\n'.repeat(1_999)}x`), 'x')).toBe(true);
  });
});

describe('files of rules on several levels', () => {
  test('a deeper one decides first, on what is below it alone; what was left is forgotten', () => {
    const rules = rulesOf('*.log\n');
    rules.enter(1, '!wanted.log\n/x\n');
    expect(['a/wanted.log', 'a/other.log', 'a/x', 'a/b/x'].map((name) => isIgnored(rules, name))).toEqual([false, true, true, false]);
    rules.enter(1, '');
    expect(isIgnored(rules, 'b/wanted.log')).toBe(true);
    expect(isIgnored(rules, 'b/x')).toBe(false);
  });

  test('those from the root on count together', () => {
    const rules = rulesOf('none\n'.repeat(1_500));
    rules.enter(1, `${'none\n'.repeat(499)}in\nout\n`);
    expect([isIgnored(rules, 'a/in'), isIgnored(rules, 'a/out')]).toEqual([true, false]);
  });
});

const hasGit = spawnSync('git', ['--version']).status === 0;

test(`law: it leaves out what git leaves out${hasGit ? '' : ' (not tried: there is no git here)'}`, () => {
  if (!hasGit) return;
  const folder = mkdtempSync(path.join(realpathSync(tmpdir()), 'devs-ignore-'));
  spawnSync('git', ['init', '--quiet', folder]);
  const atom = fc.constantFrom('a', 'b', 'ab', '*', '**', '?', '[ab]', '[!a]', '/', '/**/', '\\*', '!', '#', '[a-c]', '[]a]', '[[:alpha:]]', '[', '\\', ' ', '\\ ', '.', '-');
  const spelled = fc.array(atom, { minLength: 1, maxLength: 6 }).map((atoms) => atoms.join(''));
  // Not tried: what git does against its documentation. It cuts the plain beginning off before it looks at the rest, so
  // that in `a**/b` the stars are a name of their own; it takes a `/` into a class, and `\/` after `**` for another one.
  const rule = spelled.filter((text) => !/[^/]\*\*|\[[^\]]*\/|\\\//.test(text));
  const segment = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '*', '.', '!', '#', ' ', '-', '[', ']'), minLength: 1, maxLength: 3 });
  const name = fc.array(segment.filter((text) => text !== '.' && text !== '..'), { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/'));
  try {
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 4 }), fc.array(name, { minLength: 40, maxLength: 40 }), (lines, names) => {
        writeFileSync(path.join(folder, '.gitignore'), lines.join('\n'));
        const rules = rulesOf(lines.join('\n'));
        expect(names.filter((each) => isIgnored(rules, each))).toEqual(ignoredByGit(folder, names));
      }),
      // Always the same runs: a corner of git's that nobody wrote down must not make this red by chance.
      { numRuns: 100, seed: 4 },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function ignoredByGit(folder: string, names: readonly string[]): string[] {
  const options = ['check-ignore', '--no-index', '--verbose', '--non-matching', '-z', '--stdin'];
  const { stdout } = spawnSync('git', options, { cwd: folder, input: names.map((name) => `${name}\0`).join(''), encoding: 'utf8' });
  // Of each path: source, line, pattern, path; all but the last are empty when no rule fits.
  const fields = stdout.split('\0');
  return names.filter((_, index) => {
    const pattern = fields[index * 4 + 2] ?? '';
    return pattern !== '' && !pattern.startsWith('!');
  });
}
