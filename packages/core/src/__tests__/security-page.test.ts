import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isRecord } from '../json.ts';
import { cleanOne, unwrap } from '../sanitization/__tests__/pipeline-scene.ts';

const page = readFileSync(path.resolve(process.cwd(), '../../docs/security/output-sanitization.md'), 'utf8');

/** Put together here: no file holds a secret whole. */
const TOKEN = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_');
const SECRETS: Readonly<Record<string, string>> = {
  '{{github-token}}': TOKEN,
  '{{github-token split}}': `${TOKEN.slice(0, 9)}\u200b${TOKEN.slice(9)}`,
  '{{password}}': 'Tr0ub4dor' + 'Horse',
};

interface Example {
  readonly what: string;
  readonly in: string;
  readonly out: string;
}

function isExample(value: unknown): value is Example {
  return isRecord(value) && ['what', 'in', 'out'].every((key) => typeof value[key] === 'string');
}

/** The lists of examples, in the order of the page. */
const lists = [...page.matchAll(/```json\n(\[[^]*?\n\])\n```/g)].map(([, json = '']) => {
  const list: unknown = JSON.parse(json);
  if (!Array.isArray(list) || !list.every(isExample)) throw new Error(`no list of examples: ${json}`);
  return list;
});

const filled = (text: string) => text.replace(/\{\{[a-z -]+\}\}/g, (name) => SECRETS[name] ?? name);
const rowsOf = (list: readonly Example[] = []) => list.map((example) => [example.what, filled(example.in), example.out] as const);

describe('the examples of docs/security/output-sanitization.md', () => {
  it('are there', () => {
    expect(lists.map((list) => list.length >= 5)).toEqual([true, true]);
  });

  it.each(rowsOf(lists[0]))('%s', (_, text, expected) => {
    expect(cleanOne(text)).toBe(expected);
  });

  it.each(rowsOf(lists[1]))('with a boundary: %s', (_, text, expected) => {
    expect(unwrap(cleanOne(text, { labels: ['untrusted'] }))).toBe(expected);
  });
});
