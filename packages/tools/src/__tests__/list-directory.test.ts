import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { quoteName, type DirectoryEntry, type FsRoot, type ListingRequest } from '@devs/core';
import { listDirectoryTool } from '../list-directory/list-directory.ts';
import { argsFor, callTool } from './fake-files.ts';

function folderOf(entries: readonly DirectoryEntry[], truncated = false) {
  const asked: [string, ListingRequest][] = [];
  const listDirectory: FsRoot['listDirectory'] = async (path, request) => {
    asked.push([path, request]);
    return await Promise.resolve({ entries, truncated });
  };
  return { operations: { listDirectory }, asked };
}

describe('list_directory', () => {
  test('one path a line, with a mark for what is no file', async () => {
    const { operations } = folderOf([
      { path: 'a', kind: 'directory' },
      { path: 'a/b.ts', kind: 'file' },
      { path: 'link', kind: 'link' },
      { path: 'socket', kind: 'other' },
    ]);
    expect(await callTool(listDirectoryTool, { path: 'x', recursive: true }, operations)).toEqual([
      'a/\na/b.ts\nlink@\nsocket?',
    ]);
  });

  test('the project folder, not recursive and 1,000 entries unless asked otherwise', async () => {
    const { operations, asked } = folderOf([]);
    expect(await callTool(listDirectoryTool, {}, operations)).toEqual(['', '[The directory is empty.]']);
    expect(asked).toMatchObject([['.', { recursive: false, limit: 1_000 }]]);
  });

  test('says when there is more', async () => {
    const { operations } = folderOf([{ path: 'a', kind: 'file' }], true);
    expect(await callTool(listDirectoryTool, {}, operations)).toEqual([
      'a',
      '[Cut after 1 entry. List a subdirectory to see more.]',
    ]);
  });

  test.each([
    ['a line feed', 'a\nsecret/', '"a\\nsecret/"'],
    ['an escape sequence', 'a\u001b[2K', '"a\\u001b[2K"'],
    ['C1', 'a\u0085b', '"a\\u0085b"'],
    ['a line separator', 'a\u2028b', '"a\\u2028b"'],
    ['a right-to-left override', 'a\u202Etxt', '"a\\u202etxt"'],
    ['tag characters', 'a\u{E0041}', '"a\\udb40\\udc41"'],
    ['what looks like the mark of a link', 'a@', '"a@"'],
    ['what looks like a quoted name', '"a"', '"\\"a\\""'],
    ['a space at the end', 'a ', '"a "'],
    ['nothing unusual', 'ünï côde (1)[x] \\ "q" 日本😀.ts', 'ünï côde (1)[x] \\ "q" 日本😀.ts'],
  ])('a name cannot forge a line or a mark: %s', (_, name, shown) => {
    expect(quoteName(name)).toBe(shown);
  });

  test('law: every name is one line, and two names never look the same', () => {
    const name = fc.string({ unit: fc.constantFrom('a', '@', '?', '"', '\\', 'n', '\n', '\u2028', ' ', '\u200b'), minLength: 1 });
    fc.assert(
      fc.property(name, name, (one, other) => {
        expect(quoteName(one)).not.toMatch(/[\n\r\u2028\u2029\u0085]/);
        expect(quoteName(one) === quoteName(other)).toBe(one === other);
        if (quoteName(one) !== one) expect(JSON.parse(quoteName(one))).toBe(one);
      }),
    );
  });

  test.each([
    ['recursive as text', { recursive: 'yes' }],
    ['an empty path', { path: '' }],
    ['another key', { depth: 2 }],
  ])('refused by its schema: %s', (_, args) => {
    expect(() => argsFor(listDirectoryTool, args)).toThrow('refused');
  });
});
