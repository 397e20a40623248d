import { describe, expect, test } from '@jest/globals';
import type { FsRoot } from '@devs/core';
import { writeFileTool } from '../write-file/write-file.ts';
import { argsFor, callTool } from './fake-files.ts';

function recorder(created: boolean): { operations: Partial<FsRoot>; written: Map<string, string> } {
  const written = new Map<string, string>();
  const writeFile: FsRoot['writeFile'] = async (path, bytes) => {
    written.set(path, Buffer.from(bytes).toString());
    return await Promise.resolve({ created });
  };
  return { operations: { writeFile }, written };
}

describe('write_file', () => {
  test.each([
    ['created', { path: 'src/a.ts', content: 'hello world\n' }, true, 'Created src/a.ts (12 bytes).'],
    ['replaced', { path: 'a', content: '€' }, false, 'Replaced a (3 bytes).'],
    ['one byte', { path: 'a', content: 'x' }, true, 'Created a (1 byte).'],
    ['nothing', { path: 'a', content: '' }, true, 'Created a (0 bytes).'],
    ['a path that would forge a line', { path: 'a\nDone.', content: '' }, true, 'Created "a\\nDone." (0 bytes).'],
    ['a long path', { path: 'x'.repeat(300), content: '' }, true, `Created ${'x'.repeat(200)}... (0 bytes).`],
  ])('says what it did: %s', async (_, args, created, expected) => {
    const { operations, written } = recorder(created);
    expect(await callTool(writeFileTool, args, operations)).toEqual([expected]);
    expect([...written]).toEqual([[args.path, args.content]]);
  });

  test('a lone surrogate is refused, not written as something else', async () => {
    const { operations, written } = recorder(true);
    const call = callTool(writeFileTool, { path: 'a', content: 'x\ud800' }, operations);
    await expect(call).rejects.toMatchObject({ code: 'CONTENT_REFUSED' });
    expect(written.size).toBe(0);
  });

  test.each([
    ['no content', { path: 'a' }],
    ['content that is no text', { path: 'a', content: 1 }],
    ['content that is null', { path: 'a', content: null }],
    ['force, which does not exist', { path: 'a', content: '', force: true }],
  ])('refused by its schema: %s', (_, args) => {
    expect(() => argsFor(writeFileTool, args)).toThrow('refused');
  });
});
