import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ERROR_CODES, type ErrorCodeEntry } from '../error-codes.ts';
import { greeted, refused } from './readme-example.ts';
import { firstText } from '../protocol/__tests__/first-text.ts';

function read(...place: string[]): string {
  return readFileSync(path.resolve(process.cwd(), ...place), 'utf8');
}

describe('docs/reference/errors.md', () => {
  it('is the table of codes: every code, in its order, with its words', () => {
    const rows = read('..', '..', 'docs', 'reference', 'errors.md').split('\n').filter((line) => /^\| `[A-Z_]+`/.test(line));
    const expected = Object.entries<ErrorCodeEntry>(ERROR_CODES).map(
      ([code, { sentence, status, effect, retryAllowed }]) => `| \`${code}\` | ${sentence} | ${status} | ${effect} | ${retryAllowed ? 'yes' : 'no'} |`,
    );
    expect(rows).toEqual(expected);
  });
});

describe('README.md', () => {
  it('has the example that compiles here', () => {
    const example = read('src', '__tests__', 'readme-example.ts').replace("'../index.ts'", "'@devs/core'");
    expect(read('README.md')).toContain(`\`\`\`ts\n${example.replaceAll('export const', 'const')}\`\`\``);
  });

  it('says what the example gives', async () => {
    expect(await greeted).toMatchObject({ content: [{ type: 'text', text: 'hello "Ada"' }] });
    expect(firstText(await refused)).toMatch(/^Argument "\/name" must be string\. /);
  });
});
