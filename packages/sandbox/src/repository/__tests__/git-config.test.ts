import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { withBoxes } from '../../__tests__/with-boxes.ts';
import { formatGitConfig, isTrue, parseGitConfig, type ConfigEntry } from '../git-config.ts';

/** What git itself reads in it; undefined when it reads nothing. */
function readByGit(text: string): readonly string[] | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'devs-config-'));
  try {
    writeFileSync(path.join(folder, 'config'), text);
    const listed = execFileSync('git', ['config', '--file', 'config', '--list', '-z'], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return listed.split('\0').slice(0, -1).map((entry) => (entry.includes('\n') ? entry : `${entry}\ntrue`));
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function toListed({ section, subsection, key, value }: ConfigEntry): string {
  return `${[section, ...(subsection === undefined ? [] : [subsection]), key].join('.')}\n${value}`;
}

function tryParse(text: string): readonly string[] | undefined {
  try {
    return parseGitConfig(text).map(toListed);
  } catch {
    return undefined;
  }
}

withBoxes('a git configuration', () => {
  test.each([
    '[core]\n\tbare = false\n',
    '[core] bare = false ; no\n[x "A.b\\"c\\\\"]\nkey\n',
    '# only\n; words\n',
    '[a]\nk = "x # y" z  # no\nl = a\\\n  b\nm = \\"q\\" \\t\\n\\\\\n',
    '[a.B]\nK = 1\n',
    '\uFEFF[a]\r\nk = v\r\n',
    '[a]\nk = a "b" \nl=\nm = "  "\n',
    '[a]k=v',
    '[a]\nk = v',
    '[a\n',
    '[a]\nk = "x\n',
    '[a]\nk = \\q\n',
    '[a]\n1k = v\n',
    '[a]\nk v\n',
    '[]\nk = v\n',
  ])('reads as git reads it: %j', (text) => {
    expect(tryParse(text)).toEqual(readByGit(text));
  });

  test('what git reads is refused, or read as git reads it', () => {
    // Without tabs: what they become within a value differs between versions of git.
    const piece = fc.constantFrom('[a]', '[a "b"]', '[A.b]', 'k', '=', ' ', '"', '\\', '\n', '#', ';', 'x', '\\n', '\\"', 'k = v\n', '\r\n');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = `[s]\n${pieces.join('')}`;
        const read = tryParse(text);
        const byGit = readByGit(text);
        if (read !== undefined && byGit !== undefined) expect(read).toEqual(byGit);
      }),
      { numRuns: 300 },
    );
  });

  test('a value before any section is refused', () => {
    expect(tryParse('k = v\n')).toBeUndefined();
  });

  test('what is written is what is read, by git too', () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
    const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((value) => !/[\0\r]/.test(value));
    const entry = fc.record({ section: word, subsection: fc.option(text.filter((value) => !value.includes('\n')), { nil: undefined }), key: word, value: text });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 5 }), (entries) => {
        const written = formatGitConfig(entries);
        expect(parseGitConfig(written)).toEqual(entries);
        expect(readByGit(written)).toEqual(entries.map(toListed));
      }),
      { numRuns: 50 },
    );
  });

  test('truth as git has it, and nothing that is none', () => {
    expect(['true', 'YES', 'on', '1', '-1'].map(isTrue)).toEqual([true, true, true, true, true]);
    expect([undefined, '', 'no', 'Off', '0', 'false'].map(isTrue)).toEqual([false, false, false, false, false, false]);
    expect(() => isTrue('maybe')).toThrow('cannot be read');
  });
});
