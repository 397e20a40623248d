import { expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { readYamlEntry } from '../yaml-entry.ts';

it.each<[line: string, start: number, value: string]>([
  ['  key: value', 7, 'value'],
  ['  key: "value" # a remark', 8, 'value'],
  ["key:\t'a # b' # c # d", 6, 'a'],
  ['key: a#b #', 5, 'a#b'],
  ['key:  # no remark', 6, '# no remark'],
  ['key: ""', 6, ''],
  ['key: value\r', 5, 'value'],
  ['key: value\r# remark', 5, 'value'],
])('%j has a value behind %d units: %j', (line, start, value) => expect(readYamlEntry(line)).toEqual({ start, value }));

it.each(['', 'key:', 'key:value', '# key: value', ': value', 'a:b: c', 'key: a\rb', `${'k'.repeat(258)}: v`])('%j is no entry', (line) => expect(readYamlEntry(line)).toBeUndefined());

/** It says the same in one pattern, in cubic time. */
const WHOLE = /^(\s*[^\s:#][^:\n]{0,256}:[ \t]+["']?)(.*?)["']?\s*(?:\s#.*)?$/;

test('law: an entry is what one pattern for all of it says', () => {
  const part = fc.constantFrom('a', 'k:', ':', ' ', '\t', '#', ' #', '"', "'", '\r', '\u2028', 'k: ');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 14 }), (parts) => {
      const [, before = '', value = ''] = WHOLE.exec(parts.join('')) ?? [];
      expect(readYamlEntry(parts.join(''))).toEqual(before === '' ? undefined : { start: before.length, value });
    }),
    { numRuns: 20_000 },
  );
});

it('reads a row of spaces once: behind 1,600 of them a line end within the value took a second, and 16,000 a quarter of an hour', () => {
  for (const end of ['\u2028x', '\rx', ' #\rx', '"\rx']) expect(readYamlEntry(`key:${'\t'.repeat(200_000)}${end}`)).toBeUndefined();
});
